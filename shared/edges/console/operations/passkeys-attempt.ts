/** The end of an attempt with a passkey, whether somebody adds one or signs in. */
import { GatewayError } from "../../../base/errors.ts";
import { describeError } from "../../../base/platform/log.ts";
import { readSealedCookie } from "../../../people/identity/sealed-cookie.ts";
import { type PasskeyAttempt, passkeyCookie } from "../../../people/passkeys/passkey.ts";
import type { ConsoleRequest } from "../call.ts";
import { originOf } from "../origin.ts";
import { attemptReply, spendAttempt } from "./attempts.ts";
import type { PasskeyDeps } from "./passkeys-deps.ts";

/** What the browser is asked, and the attempt that its answer ends. `adding`: who adds a passkey; null: somebody signs in. */
export async function beginAttempt(
  { headers }: Pick<ConsoleRequest, "headers">,
  adding: PasskeyAttempt["adding"],
  ask: (origin: string) => Promise<{ challenge: string }>,
  deps: Pick<PasskeyDeps, "keys" | "now">,
) {
  const origin = originOf(headers);
  const options = await ask(origin);
  const attempt: Omit<PasskeyAttempt, "ends_at"> = { challenge: options.challenge, origin, adding };
  return await attemptReply({ options }, { sealed: passkeyCookie, attempt }, deps);
}

/** The attempt of a request's cookie, which ends with it. Throws `verification_expired`. */
export async function endAttempt(
  { headers }: Pick<ConsoleRequest, "headers">,
  deps: Pick<PasskeyDeps, "keys" | "velocity" | "now">,
): Promise<PasskeyAttempt> {
  const attempt = await readSealedCookie<PasskeyAttempt>(passkeyCookie, headers, deps.now(), deps.keys);
  if (attempt && (await spendAttempt(attempt.challenge, attempt.ends_at, deps))) return attempt;
  const message = "This attempt has ended, or another browser began it. Begin again.";
  throw new GatewayError("verification_expired", { message, reason: "passkey_over" });
}

/** What `work` gives. Throws `verification_wrong` where the authenticator's answer proves nothing; the log says why. */
export async function proves<Value>(
  work: () => Promise<Value>,
  { log }: Pick<PasskeyDeps, "log">,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const { PasskeyError } = await import("../../../people/passkeys/ceremony.ts");
    if (!(error instanceof PasskeyError)) throw error;
    log("warn", "passkey_refused", { error: describeError(error) });
    throw wrongPasskey();
  }
}

/** One answer for every passkey that is not good here, so that nobody learns which ones there are. */
export function wrongPasskey(): GatewayError {
  const message = "This passkey is not good here. Sign in with a code.";
  return new GatewayError("verification_wrong", { message, reason: "passkey_wrong" });
}
