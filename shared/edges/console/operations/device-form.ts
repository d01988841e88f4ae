/** Forms and refusals as OAuth has them (RFC 6749 §5.2, RFC 8628 §3.5), for the routes that programs ask. */
import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import type { OAuthRefusal } from "../../../people/identity/device.ts";
import type { ConsoleRequest } from "../call.ts";

/** A refusal with its words for a person. `wait_ms`: too much was asked for, and there is room again then. */
export class OAuthError extends Error {
  readonly refusal: OAuthRefusal;
  readonly wait_ms: number | undefined;

  constructor(refusal: OAuthRefusal, message: string, wait_ms?: number) {
    super(message);
    this.refusal = refusal;
    this.wait_ms = wait_ms;
  }
}

/** Answers, or refuses in OAuth's form. What is a fault of ours stays an error. */
export async function inOAuth<Reply>(answer: () => Promise<Reply>): Promise<Reply> {
  try {
    return await answer();
  } catch (error) {
    const refused = refusalOf(error);
    if (!refused) throw error;
    const { refusal, message, wait_ms } = refused;
    const reply = jsonReply(
      { error: refusal, error_description: message },
      wait_ms === undefined ? 400 : 429,
    );
    const wait = wait_ms === undefined ? {} : { "retry-after": String(Math.ceil(wait_ms / 1000)) };
    return { ...reply, headers: { ...reply.headers, ...wait } } as Reply;
  }
}

/** What the rooms of keys refuse is told in OAuth's words: whoever approved may not have this key. */
function refusalOf(error: unknown): OAuthError | undefined {
  if (error instanceof OAuthError) return error;
  if (!(error instanceof GatewayError) || error.key === "internal") return undefined;
  const { wait_ms } = error.detail;
  return new OAuthError(wait_ms === undefined ? "access_denied" : "slow_down", error.message, wait_ms);
}

/** The fields of a form. Throws `invalid_request` for another type, for a repeated field, and for one that is missing. */
export function readForm<Name extends string>(
  { headers, body }: Pick<ConsoleRequest, "headers" | "body">,
  needed: readonly Name[],
): Record<Name, string> & Record<string, string | undefined> {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded")
    throw new OAuthError(
      "invalid_request",
      "Send a form, as `content-type: application/x-www-form-urlencoded`.",
    );
  const given = [...new URLSearchParams(body.toString("utf8"))];
  const fields: Record<string, string> = Object.fromEntries(given);
  if (Object.keys(fields).length < given.length)
    throw new OAuthError("invalid_request", "A field of the form is there more than once.");
  const missing = needed.find((name) => !fields[name]);
  if (missing !== undefined) throw new OAuthError("invalid_request", `The form must have \`${missing}\`.`);
  return fields as Record<Name, string> & Record<string, string | undefined>;
}

/** One answer for everything that is no grant, so that nobody learns which exist. */
export function noGrant(): OAuthError {
  return new OAuthError("invalid_grant", "The code or token is not good, or not any more. Sign in again.");
}
