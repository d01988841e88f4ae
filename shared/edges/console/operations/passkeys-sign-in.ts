/** Signing in by a passkey: no address is typed, and nobody is looked up before the signature is there. */
import { GatewayError } from "../../../base/errors.ts";
import { invalidField, isObject } from "../../../base/json/fields.ts";
import { isId } from "../../../base/platform/id.ts";
import { refuseOtherSites } from "../../../people/identity/cookie.ts";
import { passkeyId, passkeyLimits } from "../../../people/passkeys/passkey.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import type { ConsoleCall } from "../call.ts";
import { countAttempt } from "./attempts.ts";
import { beginAttempt, endAttempt, proves, wrongPasskey } from "./passkeys-attempt.ts";
import type { PasskeyDeps } from "./passkeys-deps.ts";
import { openPlace } from "./sign-in-place.ts";
import { signedInReply } from "./sign-in-reply.ts";
import { firstPlace, homeless, newSession, placeOf } from "./sign-in-user.ts";

const load = () => import("../../../people/passkeys/ceremony.ts");

/** `POST /api/v1/auth/passkey/options`: a challenge for any passkey of this console. */
export async function beginPasskeySignIn({ request }: ConsoleCall, deps: PasskeyDeps) {
  refuseOtherSites(request.headers);
  readFields(request, []);
  await countAttempt(request.ip, deps);
  const { optionsToSignIn } = await load();
  return await beginAttempt(request, null, optionsToSignIn, deps);
}

/** `POST /api/v1/auth/passkey {credential}`. The answer is that of a sign-in by a code. */
export async function passkeySignIn({ request }: ConsoleCall, deps: PasskeyDeps) {
  refuseOtherSites(request.headers);
  const { credential } = readFields<keyof ConsoleBody<"passkey_sign_in">>(request, ["credential"]);
  if (!isObject(credential)) throw invalidField("credential", "what the browser gave");
  const attempt = await endAttempt(request, deps);
  if (attempt.adding) throw wrongPasskey();
  const passkey = await passkeyOf(credential, deps);
  if (!passkey) throw wrongPasskey();
  const { signedBy } = await load();
  const counter = await proves(() => signedBy(passkey, credential, attempt), deps);
  const found = await deps.users.read(passkey.user);
  if (!found) throw new Error(`the user ${passkey.user} is missing`);
  const { user, memberships } = found;
  if (user.status === "frozen") throw new GatewayError("login_frozen");
  const first = firstPlace(found);
  if (!first) throw homeless();
  const session = { ...newSession(user, first.organization, request, deps.now()), passkey: passkey.id };
  if (!(await deps.passkeys.use(passkey, counter, session))) throw wrongPasskey();
  const place = await openPlace(await placeOf(first, user, deps), { session, memberships }, deps);
  deps.log("info", "console_signed_in");
  return await signedInReply(user, session, { place }, deps);
}

/** The stored passkey that an answer names. The authenticator says whose it is, as the user's id. */
async function passkeyOf(
  { id, response }: Record<string, unknown>,
  { passkeys }: Pick<PasskeyDeps, "passkeys">,
) {
  const handle = isObject(response) ? response.userHandle : undefined;
  if (typeof id !== "string" || id.length > passkeyLimits.credentialCharsMax) return undefined;
  const user = typeof handle === "string" ? Buffer.from(handle, "base64url").toString() : "";
  return isId(user, "user") ? await passkeys.read(user, passkeyId(id)) : undefined;
}
