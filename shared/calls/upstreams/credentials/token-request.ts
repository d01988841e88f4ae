/** One request to a cloud's token service. No error of it tells what was sent, nor what was answered. */
import { type Fields, objectIn } from "../../../base/json/fields.ts";
import { limits } from "../../../base/limits.ts";
import { readAll } from "../../../base/platform/http-client.ts";
import type { KeptToken, Lent } from "../../../base/platform/kept-token.ts";
import { describeError } from "../../../base/platform/log.ts";
import { ProviderFault } from "../fault.ts";
import type { Authorize, CloudDeps } from "./credential.ts";

export interface TokenRequest {
  /** The service, as a log line names it. */
  service: string;
  /** Where it is asked, unless the operator's own text names another place. */
  url: string;
  headers?: Record<string, string>;
  /** A form, or JSON. */
  body: URLSearchParams | Fields;
}

export type TokenDeps = Pick<CloudDeps, "send" | "now">;

/** A token has no more characters than this, all of which a header may hold. */
const tokenPattern = /^[\x21-\x7e]{1,16384}$/;

/** The statuses by which OAuth refuses whoever asks. */
const refusals = new Set([400, 401, 403, 404]);

/**
 * The object that the service answers. Throws `ProviderFault`: with `account` where the service refuses us, which only
 * an operator can mend. Throws `TransportError` where it does not answer.
 */
export async function askForToken(asked: TokenRequest, { send }: Pick<TokenDeps, "send">): Promise<Fields> {
  const { service, url, headers, body } = asked;
  checkAddress(service, url);
  const isForm = body instanceof URLSearchParams;
  const reply = await send({
    method: "POST",
    url,
    headers: {
      "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "model-gateway",
      ...headers,
    },
    body: isForm ? body.toString() : JSON.stringify(body),
    connectMs: limits.credentialMs,
    firstByteMs: limits.credentialMs,
    idleMs: limits.credentialMs,
  });
  const answer = objectIn((await readAll(reply, limits.tokenAnswerBytesMax)).toString("utf8"));
  if (reply.status === 200 && answer) return answer;
  throw refused(service, reply.status, answer);
}

/** OAuth's access token, which counts for so many seconds from when it was asked for. Throws as `askForToken`. */
export async function askForAccess(asked: TokenRequest, deps: TokenDeps): Promise<Lent<string>> {
  const asked_at = deps.now();
  const { access_token, expires_in } = await askForToken(asked, deps);
  return lentToken(asked.service, access_token, asked_at + Number(expires_in) * 1000);
}

/** The token of an answer, and until when it counts. Throws `ProviderFault` where the answer is not whole. */
export function lentToken(service: string, token: unknown, ends_at: number): Lent<string> {
  if (typeof token !== "string" || !tokenPattern.test(token) || !Number.isFinite(ends_at))
    throw new ProviderFault(`${service}: the answer holds no token`, { certain: true });
  return { value: token, ends_at };
}

/** Sends each request with the token that is kept. Where none can be had, that is the fault of the channel. */
export function authorizedBy(service: string, token: KeptToken<string>): Authorize {
  return async () => {
    const kept = await token().catch((error: unknown) => {
      if (error instanceof ProviderFault) throw error;
      throw new ProviderFault(`${service}: ${describeError(error)}`, { certain: true });
    });
    const headers = { authorization: `Bearer ${kept}` };
    const refused = ({ status }: { status: number }) => {
      if (status === 401) token.drop(kept);
    };
    return { headers, confidential: [kept], refused };
  };
}

/** The error of a text in the providers' secret that is no credential of its kind. `what` is missing or wrong in it. */
export function unusable(service: string, what: string): ProviderFault {
  return new ProviderFault(`${service}: ${what}`, { account: "key", certain: true });
}

/** Throws where a token would be asked for in the clear. This machine alone may be asked so. */
function checkAddress(service: string, url: string): void {
  const { protocol, hostname } = URL.parse(url) ?? {};
  if (protocol === "https:") return;
  if (protocol === "http:" && (hostname === "127.0.0.1" || hostname === "localhost")) return;
  throw unusable(service, "its address begins neither with https:// nor names this machine");
}

/** OAuth's error is one word; Google's own is an object with one. Anything else is not told: it may quote what we sent. */
function refused(service: string, status: number, answer: Fields | undefined): ProviderFault {
  const { error } = answer ?? {};
  const word = typeof error === "object" ? (error as Fields | null)?.status : error;
  const code = typeof word === "string" && /^[A-Za-z_]{1,40}$/.test(word) ? word : undefined;
  const told = { upstream_status: status, ...(code && { upstream_code: code }) };
  const account = refusals.has(status) ? ({ account: "key" } as const) : {};
  return new ProviderFault(`${service}: status ${status}`, { told, certain: true, ...account });
}
