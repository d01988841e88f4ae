/**
 * What a provider's error answer means. 400, 413 and 422 blame the request and are told to the client,
 * redacted; everything else, and what is said of our account under these, is between us and the provider
 * (design §4, upstream errors).
 */
import { GatewayError } from "../errors.ts";
import { type Fields, isObject } from "../http/fields.ts";
import { limits } from "../limits.ts";

const clientFaults = new Set([400, 413, 422]);

/** Whether the status says that the request itself is wrong, wherever it is sent. */
export function blamesRequest(status: number): boolean {
  return clientFaults.has(status);
}

/** The provider's verdict on a bad request as an error of ours. `secret` is the provider's key. */
export function requestRefused(body: Buffer, secret: string): GatewayError {
  const { message, code } = readError(body);
  return new GatewayError("invalid_request", {
    message: redact(message ?? "The model's provider refused the request.", secret),
    ...(code === undefined ? {} : { upstream_code: code }),
  });
}

/** Codes and reasons, Google's and OpenAI's, that speak of whoever holds the provider's key. */
const accountCodes: ReadonlySet<unknown> = new Set([
  "API_KEY_INVALID",
  "billing_hard_limit_reached",
  "billing_not_active",
  "insufficient_quota",
  "invalid_api_key",
]);

/** Anthropic and Google have no code for these. */
const accountWords = /^(?:Your credit balance is too low|User location is not supported)/;

/** Whether an answer that blames the request means our account at the provider: its key, its money or its place. */
export function blamesAccount(body: Buffer): boolean {
  const { code, details, message } = errorOf(body) ?? {};
  const reasons = Array.isArray(details) ? details.filter(isObject).map(({ reason }) => reason) : [];
  return [code, ...reasons].some((each) => accountCodes.has(each)) || accountWords.test(String(message));
}

function readError(body: Buffer): { message?: string; code?: string } {
  const error = errorOf(body);
  if (!error) return {};
  const code = String(error["code"] ?? error["type"] ?? "");
  const said = [error["message"], error["error"], error["detail"]].find((text) => typeof text === "string");
  return { ...(said ? { message: said } : {}), ...(/^[\w.-]{1,64}$/.test(code) ? { code } : {}) };
}

/** The error object of an answer, or the answer where there is none in it. Google's OpenAI form puts it into an array. */
function errorOf(body: Buffer): Fields | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
  const [answer] = Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
  if (!isObject(answer)) return undefined;
  return isObject(answer["error"]) ? answer["error"] : answer;
}

/** Takes our account out of a provider's sentence: addresses, keys, organization and project names (S15). */
export function redact(message: string, secret: string): string {
  return (
    message
      .replaceAll(secret, "[redacted]")
      .replace(/\bhttps?:\/\/\S+/gi, "[address]")
      .replace(/\bbearer\s+\S+/gi, "[redacted]")
      .replace(/\b(?:sk|pk|ak|api|key|org|proj|acct)[-_][\w*.-]{6,}/gi, "[redacted]")
      .replace(/\bAIza[\w-]{10,}/g, "[redacted]")
      .replace(/[\r\n\0]+/g, " ")
      .slice(0, limits.errorMessageBytesMax)
      // Half of a pair, cut or sent, is nothing that the store could keep.
      .toWellFormed()
  );
}
