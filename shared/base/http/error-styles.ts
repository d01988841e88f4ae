/**
 * The error bodies of contract §7.1, side by side. The route decides the style before authentication, so even a 401
 * has the form that the client expects.
 */
import {
  type ErrorDetail,
  type ErrorKey,
  type ErrorType,
  errorCodes,
  isRetryUseless,
  type ProviderNames,
  statusOf,
} from "../errors.ts";
import type { HttpReply } from "./message.ts";
import type { ErrorStyle } from "./routes.ts";

interface Rendering {
  key: ErrorKey;
  code: number;
  type: ErrorType;
  status: number;
  message: string;
  detail: ErrorDetail;
}

/** Anthropic's own names (protocols.md §2.4), by HTTP status. */
const anthropicTypes: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  405: "invalid_request_error",
  409: "conflict_error",
  413: "request_too_large",
  415: "invalid_request_error",
  426: "invalid_request_error",
  429: "rate_limit_error",
};

/** Google's status names (protocols.md §3.3), by HTTP status; 402 has none of its own (design §4). */
const geminiStatuses: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  402: "RESOURCE_EXHAUSTED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "INVALID_ARGUMENT",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  426: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
};

/** Volcengine's code and type (protocols.md §4.1), by HTTP status. */
const volcengineNames: Record<number, readonly [code: string, type: string]> = {
  400: ["InvalidParameter", "BadRequest"],
  401: ["AuthenticationError", "Unauthorized"],
  402: ["AccountOverdueError", "Forbidden"],
  403: ["AccessDenied", "Forbidden"],
  404: ["InvalidEndpointOrModel.NotFound", "NotFound"],
  405: ["InvalidParameter", "BadRequest"],
  409: ["Conflict", "Conflict"],
  413: ["InvalidParameter", "BadRequest"],
  415: ["InvalidParameter", "BadRequest"],
  426: ["InvalidParameter", "BadRequest"],
  429: ["RateLimitExceeded", "TooManyRequests"],
};

/** The textual codes of the video endpoints (contract §4.8, design §4), by HTTP status. */
const videoCodes: Record<number, string> = {
  400: "INVALID_REQUEST",
  401: "UNAUTHENTICATED",
  402: "INSUFFICIENT_BALANCE",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "INVALID_REQUEST",
  409: "INVALID_STATE",
  413: "INVALID_REQUEST",
  415: "INVALID_REQUEST",
  426: "INVALID_REQUEST",
  429: "RATE_LIMITED",
  500: "INTERNAL",
  502: "UPSTREAM_CANCEL_FAILED",
};

const titles: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  426: "Upgrade Required",
  429: "Too Many Requests",
  500: "Internal Server Error",
};

/** The provider's name of the error and, where it stands in place of our number, that number. */
function beside({ detail, code }: Rendering, told: (keyof ProviderNames)[]): object {
  const { upstream_code, names } = detail;
  return {
    ...(told.some((name) => names?.[name] !== undefined) && { gateway_code: code }),
    ...(upstream_code !== undefined && { upstream_code }),
  };
}

/** Anthropic's errors name their request. */
function requestId({ detail }: Rendering): { request_id?: string } {
  return detail.request_id === undefined ? {} : { request_id: detail.request_id };
}

function volcengine(error: Rendering): object {
  const exhausted =
    error.key === "quota_exhausted" ? (["QuotaExceeded", "TooManyRequests"] as const) : undefined;
  const [code, type] = exhausted ??
    volcengineNames[error.status] ?? ["InternalServiceError", "InternalServerError"];
  const { names, param = "" } = error.detail;
  return {
    error: {
      code: names?.code ?? code,
      message: error.message,
      param,
      type: names?.type ?? type,
      ...beside(error, ["code"]),
    },
  };
}

function gemini(error: Rendering): object {
  const { names, wait_ms, resets_ms = wait_ms } = error.detail;
  // Google's clients look for the wait in the body. Gemini CLI ends at once where it is longer than five minutes.
  const wait = resets_ms === undefined ? [] : [{ "@type": retryInfo, retryDelay: `${resets_ms / 1000}s` }];
  const details = [...(names?.details ?? []), ...wait];
  return {
    error: {
      code: error.status,
      message: error.message,
      status: names?.status ?? geminiStatuses[error.status] ?? "INTERNAL",
      ...(details.length > 0 && { details }),
      ...beside(error, ["status"]),
    },
  };
}

const retryInfo = "type.googleapis.com/google.rpc.RetryInfo";

/** Anthropic's type: the provider's, or that of the status. */
function anthropicType({ status, detail }: Rendering): string {
  return detail.names?.type ?? anthropicTypes[status] ?? "api_error";
}

function video(error: Rendering): object {
  const upstream =
    error.key === "upstream_error" || error.key === "no_channel" ? "UPSTREAM_ERROR" : undefined;
  const exhausted =
    error.key === "quota_exhausted" || error.key === "subscription_lapsed" ? "QUOTA_EXCEEDED" : undefined;
  const code = upstream ?? exhausted ?? videoCodes[error.status] ?? "INTERNAL";
  return { error: { code, message: error.message, ...beside(error, []) } };
}

/** One item for each wrong field, with its place. Without a wrong field, one item without a place. */
function faultsOf({ message, detail }: Rendering): readonly { location?: string; message: string }[] {
  return detail.fields ?? [{ message }];
}

const renderers: Record<ErrorStyle, (error: Rendering) => object> = {
  standard: (error) => ({
    error: {
      type: error.type,
      code: error.code,
      message: error.message,
      ...beside(error, []),
      ...(error.detail.human && { human: error.detail.human }),
      ...(error.detail.told_reason && { reason: error.detail.told_reason }),
    },
  }),
  openai: (error) => ({
    error: {
      type: error.detail.names?.type ?? error.type,
      code: error.detail.names?.code ?? String(error.code),
      message: error.message,
      param: error.detail.param ?? null,
      ...beside(error, ["code"]),
    },
  }),
  anthropic: (error) => ({
    type: "error",
    error: { type: anthropicType(error), message: error.message, ...beside(error, ["type"]) },
    ...requestId(error),
  }),
  anthropic_superset: (error) => ({
    type: "error",
    error: {
      type: anthropicType(error),
      code: error.code,
      message: error.message,
      ...beside(error, []),
    },
    ...requestId(error),
  }),
  volcengine,
  gemini,
  video,
  problem: (error) => ({
    type: "about:blank",
    title: titles[error.status] ?? "Error",
    status: error.status,
    detail: error.message,
    errors: faultsOf(error).map((fault) => ({ ...fault, code: error.code, type: error.type })),
  }),
};

/** The error body of a style, as a value. */
export function errorBody(style: ErrorStyle, key: ErrorKey, detail: ErrorDetail = {}): object {
  const { code, type, message } = errorCodes[key];
  const text = detail.message ?? message;
  return renderers[style]({ key, code, type, status: statusOf(key), message: text, detail });
}

/** How to authenticate (RFC 9110 §11.6.1). For a key that is not valid it says so (RFC 6750 §3.1). */
function challenge(key: ErrorKey): string {
  const scheme = 'Bearer realm="model-gateway"';
  return key === "invalid_key" ? `${scheme}, error="invalid_token"` : scheme;
}

/** The wait in seconds, for every client, and in milliseconds, which the SDKs of OpenAI and Anthropic read first. */
function waitHeaders({ wait_ms }: ErrorDetail): Record<string, string> {
  if (wait_ms === undefined) return {};
  return { "retry-after": String(Math.max(1, Math.ceil(wait_ms / 1000))), "retry-after-ms": String(wait_ms) };
}

/** The whole error reply of a style. */
export function errorReply(style: ErrorStyle, key: ErrorKey, detail: ErrorDetail = {}): HttpReply {
  return {
    status: statusOf(key),
    headers: {
      "content-type": style === "problem" ? "application/problem+json" : "application/json",
      ...(isRetryUseless(key, detail.wait_ms !== undefined) ? { "x-should-retry": "false" } : {}),
      ...(statusOf(key) === 401 ? { "www-authenticate": challenge(key) } : {}),
      ...waitHeaders(detail),
      ...detail.headers,
    },
    body: JSON.stringify(errorBody(style, key, detail)),
  };
}
