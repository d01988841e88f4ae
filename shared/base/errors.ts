/** The one table of errors (contract §7.3 and design §4). The route's style renders them (http/error-styles.ts). */

interface ErrorRow {
  code: number;
  message: string;
  /** SDKs repeat 409, 429 and 5xx by themselves; `false` tells them that this is useless, as with 400 to 404. */
  retry?: false;
}

const rows = {
  invalid_request: { code: 40000, message: "The request is invalid." },
  invalid_period: { code: 40002, message: "The period must be one of today, week and month." },
  not_authenticated: {
    code: 40100,
    message: "No API key was given. Send it as `Authorization: Bearer <key>` or `x-api-key: <key>`.",
  },
  invalid_key: { code: 40101, message: "The API key is not valid." },
  account_frozen: { code: 40102, message: "The account is frozen." },
  insufficient_balance: { code: 40201, message: "The balance does not cover this call." },
  subscription_lapsed: {
    code: 40202,
    message: "The subscription has no running period. Renew it to continue.",
  },
  permission_denied: { code: 40300, message: "The API key has no permission for this." },
  own_key_refused: { code: 40310, message: "The provider refuses your organization's own key." },
  not_found: { code: 40400, message: "The resource does not exist." },
  key_not_found: { code: 40401, message: "The API key does not exist." },
  method_not_allowed: { code: 40500, message: "The path does not support this method." },
  idempotency_conflict: {
    code: 40900,
    message: "A call with this Idempotency-Key is still running.",
    retry: false,
  },
  too_large: { code: 41300, message: "The request body is too large." },
  unsupported_encoding: {
    code: 41500,
    message: "This `content-encoding` is not supported here. Send the body without it.",
  },
  no_websocket: {
    code: 42600,
    message: "Answers do not stream over WebSocket. Send the request by HTTP with `stream: true`.",
  },
  invalid_state: { code: 40910, message: "Only a queued task can be cancelled.", retry: false },
  global_rate_limited: { code: 42900, message: "The service is at its limit. Try again shortly." },
  rate_limited: { code: 42901, message: "The rate limit is exceeded." },
  quota_exhausted: { code: 42902, message: "The quota of this period is used up.", retry: false },
  internal: { code: 50000, message: "An internal error occurred." },
  upstream_error: { code: 50001, message: "The model's provider failed." },
  no_channel: { code: 50002, message: "No channel is available for this model." },
  upstream_cancel_failed: {
    code: 50200,
    message: "The provider did not cancel the task; it goes on.",
    retry: false,
  },
  phone_registration: { code: 40001, message: "Registration with this phone number is not possible." },
  payment_channel: { code: 40003, message: "The payment channel is not supported." },
  session_expired: { code: 40103, message: "The login session is invalid or expired." },
  login_frozen: { code: 40110, message: "The account is frozen." },
  verification_wrong: { code: 40111, message: "The verification code is wrong." },
  verification_expired: { code: 40112, message: "The verification code has expired." },
  phone_unknown: { code: 40113, message: "The phone number is not registered." },
  order_not_found: { code: 40410, message: "The recharge order does not exist." },
  invoice_not_found: { code: 40411, message: "The invoice does not exist." },
  sms_too_often: { code: 42910, message: "A message was sent less than 60 seconds ago." },
  payment_signature: { code: 50004, message: "The payment callback's signature is wrong." },
  payment_platform: { code: 50005, message: "The payment platform could not be reached." },
} as const satisfies Record<string, ErrorRow>;

export type ErrorKey = keyof typeof rows;

export type ErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "not_found_error"
  | "quota_exceeded"
  | "rate_limit_error"
  | "server_error";

/** The types of errors by their status (contract §7.3). All others are an `invalid_request_error`. */
const types: Readonly<Record<number, ErrorType>> = {
  401: "authentication_error",
  402: "quota_exceeded",
  404: "not_found_error",
  429: "rate_limit_error",
  500: "server_error",
  502: "server_error",
};

interface ErrorCode extends ErrorRow {
  type: ErrorType;
}

export const errorCodes = Object.fromEntries(
  Object.entries(rows).map(([key, row]) => [
    key,
    { ...row, type: types[statusOfCode(row.code)] ?? "invalid_request_error" },
  ]),
) as Readonly<Record<ErrorKey, ErrorCode>>;

/** Whether a value that was stored or sent is a key of the table: a newer version may know more of them. */
export function isErrorKey(value: unknown): value is ErrorKey {
  return typeof value === "string" && Object.hasOwn(errorCodes, value);
}

/** What a provider calls an error, in the names of the client's own protocol. They take the place of ours. */
export interface ProviderNames {
  code?: string;
  type?: string;
  /** Google's name of the status. */
  status?: string;
  /** Google's details, without those that could name our project. */
  details?: readonly object[];
}

/** Why the console's API refuses something. The pages have words for each; a wrong field's name is its reason. */
export type ErrorReason =
  | "changed"
  | "domain_held"
  | "domain_unproved"
  | "domains_full"
  | "invitations_full"
  | "key_refused"
  | "webhooks_full"
  | "keys_full"
  | "passkey_over"
  | "passkey_wrong"
  | "passkeys_full"
  | "programs_full"
  | "last_owner"
  | "last_contact"
  | "contact_there"
  | "session_old"
  | "memberships_full"
  | "no_organization"
  | "orders_open"
  | "plan_ahead"
  | "plan_booked"
  | "plan_of_operator"
  | "plan_soon"
  | "project_taken"
  | "projects_full"
  | "sign_on_deactivated"
  | "sign_on_groups"
  | "sign_on_linked"
  | "sign_on_over"
  | "sign_on_domain"
  | "sign_on_own_session"
  | "sign_on_owner"
  | "sign_on_not_provisioned"
  | "sign_on_provider"
  | "sign_on_required"
  | "sign_on_unknown"
  | "sign_on_unverified"
  | "sign_on_wrong"
  | "codes_of_day"
  | "wrong_codes";

export interface ErrorDetail {
  /** Replaces the table's message. Never holds a credential, an upstream host or a prompt. */
  message?: string;
  /** The offending request field. */
  param?: string;
  /** Why it is refused. Only the console's API tells it, as `told_reason`: the contract's own bodies have no room. */
  reason?: ErrorReason;
  /** The reason, or the offending field, as a body of the console's API names it. */
  told_reason?: string;
  /** Every wrong field, where a style has room for more than one: its place, such as `query.from`, and what is wrong. */
  fields?: readonly { location: string; message: string }[];
  /** The id of the model whose name is nearest to one that does not exist. */
  nearest?: string;
  /** The provider's own code, where it blames the request. */
  upstream_code?: string;
  /** What the error is called in the client's own protocol, in place of our names. */
  names?: ProviderNames;
  /** How long to wait before the next try, in milliseconds. */
  wait_ms?: number;
  /** After how many milliseconds a limit or quota has room again. Only Google's body says it, beside the headers. */
  resets_ms?: number;
  headers?: Record<string, string>;
  /** What the client has to solve before it sends the request again (identity/sms/README.md). */
  human?: { challenge: string; bits: number };
  /** Our id of the request, for the styles whose body has it. */
  request_id?: string;
}

/** A rejection on its way to the edge: a key of the table, with detail. */
export class GatewayError extends Error {
  readonly key: ErrorKey;
  readonly detail: ErrorDetail;

  constructor(key: ErrorKey, detail: ErrorDetail = {}) {
    super(detail.message ?? errorCodes[key].message);
    this.name = "GatewayError";
    this.key = key;
    this.detail = detail;
  }
}

/** The key that a client is told for a thrown value: anything but a rejection of ours is our own fault. */
export function keyOf(error: unknown): ErrorKey {
  return error instanceof GatewayError ? error.key : "internal";
}

/** An `invalid_request` about no single field. */
export function invalidRequest(message: string, reason?: ErrorReason): GatewayError {
  return new GatewayError("invalid_request", { message, ...(reason && { reason }) });
}

/** An `invalid_state` with a sentence of its own. */
export function invalidState(message: string, reason?: ErrorReason): GatewayError {
  return new GatewayError("invalid_state", { message, ...(reason && { reason }) });
}

/** The HTTP status of an error: its code divided by 100 (contract §7.2). */
export function statusOf(key: ErrorKey): number {
  return statusOfCode(rows[key].code);
}

function statusOfCode(code: number): number {
  return Math.floor(code / 100);
}

/** The error that has a code; undefined where none has it, as in a line of another version's log. */
export function errorOfCode(code: unknown): ErrorKey | undefined {
  return (Object.keys(errorCodes) as ErrorKey[]).find((key) => errorCodes[key].code === code);
}

/** Statuses of errors that stay as they are until somebody changes the request, the key or the account. */
const lasting: ReadonlySet<number> = new Set([400, 401, 402, 403, 404]);

/** Whether SDKs are told not to repeat the call. Some repeat a 401 for minutes. `waits`: the answer has a wait. */
export function isRetryUseless(key: ErrorKey, waits = false): boolean {
  return errorCodes[key].retry === false || (!waits && lasting.has(statusOf(key)));
}
