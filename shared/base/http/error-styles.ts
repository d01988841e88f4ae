/** The error bodies of contract §7.1. The route says the style before authentication, so a 401 has it too. */
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

interface StatusNames {
  /** In `problem`. */
  title?: string;
  /** Anthropic's own name (protocols.md §2.4). */
  anthropic?: string;
  /** Google's status (protocols.md §3.3). 402 has none of its own (design §4). */
  gemini?: string;
  /** Volcengine's code and type (protocols.md §4.1). */
  volcengine?: readonly [code: string, type: string];
  /** The type of an error of Amazon Bedrock's. */
  aws?: string;
  /** The textual code of the video endpoints (contract §4.8, design §4). */
  video?: string;
}

const badRequest = {
  anthropic: "invalid_request_error",
  gemini: "INVALID_ARGUMENT",
  volcengine: ["InvalidParameter", "BadRequest"],
  aws: "ValidationException",
  video: "INVALID_REQUEST",
} as const;

/** What each style calls an error, by HTTP status. */
const named: Record<number, StatusNames> = {
  400: { title: "Bad Request", ...badRequest },
  401: {
    title: "Unauthorized",
    anthropic: "authentication_error",
    gemini: "UNAUTHENTICATED",
    volcengine: ["AuthenticationError", "Unauthorized"],
    aws: "UnrecognizedClientException",
    video: "UNAUTHENTICATED",
  },
  402: {
    title: "Payment Required",
    anthropic: "billing_error",
    gemini: "RESOURCE_EXHAUSTED",
    volcengine: ["AccountOverdueError", "Forbidden"],
    aws: "ServiceQuotaExceededException",
    video: "INSUFFICIENT_BALANCE",
  },
  403: {
    title: "Forbidden",
    anthropic: "permission_error",
    gemini: "PERMISSION_DENIED",
    volcengine: ["AccessDenied", "Forbidden"],
    aws: "AccessDeniedException",
    video: "PERMISSION_DENIED",
  },
  404: {
    title: "Not Found",
    anthropic: "not_found_error",
    gemini: "NOT_FOUND",
    volcengine: ["InvalidEndpointOrModel.NotFound", "NotFound"],
    aws: "ResourceNotFoundException",
    video: "NOT_FOUND",
  },
  405: { title: "Method Not Allowed", ...badRequest },
  409: {
    title: "Conflict",
    anthropic: "conflict_error",
    gemini: "ABORTED",
    volcengine: ["Conflict", "Conflict"],
    aws: "ConflictException",
    video: "INVALID_STATE",
  },
  413: { title: "Content Too Large", ...badRequest, anthropic: "request_too_large" },
  415: { title: "Unsupported Media Type", ...badRequest },
  426: { title: "Upgrade Required", ...badRequest },
  429: {
    title: "Too Many Requests",
    anthropic: "rate_limit_error",
    gemini: "RESOURCE_EXHAUSTED",
    volcengine: ["RateLimitExceeded", "TooManyRequests"],
    aws: "ThrottlingException",
    video: "RATE_LIMITED",
  },
  500: { title: "Internal Server Error", video: "INTERNAL" },
  502: { video: "UPSTREAM_CANCEL_FAILED" },
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
    named[error.status]?.volcengine ?? ["InternalServiceError", "InternalServerError"];
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
      status: names?.status ?? named[error.status]?.gemini ?? "INTERNAL",
      ...(details.length > 0 && { details }),
      ...beside(error, ["status"]),
    },
  };
}

const retryInfo = "type.googleapis.com/google.rpc.RetryInfo";

/** Anthropic's type: the provider's, or that of the status. */
function anthropicType({ status, detail }: Rendering): string {
  return detail.names?.type ?? named[status]?.anthropic ?? "api_error";
}

function video(error: Rendering): object {
  const upstream =
    error.key === "upstream_error" || error.key === "no_channel" ? "UPSTREAM_ERROR" : undefined;
  const exhausted =
    error.key === "quota_exhausted" || error.key === "subscription_lapsed" ? "QUOTA_EXCEEDED" : undefined;
  const code = upstream ?? exhausted ?? named[error.status]?.video ?? "INTERNAL";
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
  aws: (error) => ({
    message: error.message,
    code: error.code,
    type: error.type,
    ...beside(error, []),
  }),
  problem: (error) => ({
    type: "about:blank",
    title: named[error.status]?.title ?? "Error",
    status: error.status,
    detail: error.message,
    errors: faultsOf(error).map((fault) => ({ ...fault, code: error.code, type: error.type })),
  }),
};

/** Errors whose type in AWS's form says more than their status does. */
const awsTypes: Partial<Record<ErrorKey, string>> = {
  quota_exhausted: "ServiceQuotaExceededException",
  upstream_error: "ModelErrorException",
  no_channel: "ServiceUnavailableException",
};

/** The type of an error in AWS's form, by which its SDKs choose what they throw. */
export function awsType(key: ErrorKey): string {
  return awsTypes[key] ?? named[statusOf(key)]?.aws ?? "InternalServerException";
}

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
      ...(style === "aws" ? { "x-amzn-errortype": awsType(key) } : {}),
      ...(isRetryUseless(key, detail.wait_ms !== undefined) ? { "x-should-retry": "false" } : {}),
      ...(statusOf(key) === 401 ? { "www-authenticate": challenge(key) } : {}),
      ...waitHeaders(detail),
      ...detail.headers,
    },
    body: JSON.stringify(errorBody(style, key, detail)),
  };
}
