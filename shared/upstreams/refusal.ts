/**
 * What a provider's error answer means. 400, 413 and 422 blame the request and are told to the client,
 * redacted; everything else is between us and the provider (design §4, upstream errors).
 */
import { GatewayError } from "../errors.ts";
import { isObject } from "../http/fields.ts";
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

function readError(body: Buffer): { message?: string; code?: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    return {};
  }
  const error = isObject(parsed) && isObject(parsed["error"]) ? parsed["error"] : parsed;
  if (!isObject(error)) return {};
  const code = String(error["code"] ?? error["type"] ?? "");
  return {
    ...(typeof error["message"] === "string" ? { message: error["message"] } : {}),
    ...(/^[\w.-]{1,64}$/.test(code) ? { code } : {}),
  };
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
