/**
 * What a provider's error answer means. 400, 413 and 422 blame the request and are told to the client,
 * redacted; everything else, and what is said of our account under these, is between us and the provider
 * (design §4, upstream errors).
 */
import { GatewayError } from "../errors.ts";
import { type Fields, isObject } from "../http/fields.ts";
import { type Confidential, redact, safeCode } from "./redaction.ts";

const clientFaults = new Set([400, 413, 422]);

/** Whether the status says that the request itself is wrong, wherever it is sent. */
export function blamesRequest(status: number): boolean {
  return clientFaults.has(status);
}

/** The provider's verdict on a bad request as an error of ours, without what is `confidential` of that provider. */
export function requestRefused(body: Buffer, confidential: Confidential): GatewayError {
  const { message, code } = readError(body);
  const shown = code === undefined ? undefined : safeCode(code, confidential);
  return new GatewayError("invalid_request", {
    message: redact(message ?? "The model's provider refused the request.", confidential),
    ...(shown === undefined ? {} : { upstream_code: shown }),
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
  const code = error["code"] ?? error["type"];
  const said = [error["message"], error["error"], error["detail"]].find((text) => typeof text === "string");
  return {
    ...(said ? { message: said } : {}),
    ...(code === undefined || code === null ? {} : { code: String(code) }),
  };
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
