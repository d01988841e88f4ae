/** Whether a provider refuses our own account: key, money or region. Only an operator can do anything about that. */
import { blameRow } from "./blame.ts";
import { isOneOf, namesOf, type ProviderError } from "./provider-error.ts";

export type AccountReason = "key" | "money" | "place";

/** Codes, types and reasons by what they mean, from the vendors' error references. */
const known: Readonly<Record<AccountReason, readonly (string | RegExp)[]>> = {
  key: [
    "API_KEY_INVALID",
    "invalid_api_key",
    "authentication_error",
    /^AuthenticationError(?:\.|$)/,
    /^InvalidAccountStatus(?:\.|$)/,
    /^100[0-4]$/,
    "account_deactivated",
    // AWS, "Common errors": the signature or the credential itself.
    /^(?:UnrecognizedClient|InvalidSignature|ExpiredToken|MissingAuthenticationToken)(?:Exception)?$/,
  ],
  money: [
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "billing_error",
    "exceeded_current_quota_error",
    "AccountOverdueError",
    /^ServiceOverdue(?:\.|$)/,
    "Arrearage",
    "1113",
    // SiliconFlow's 403 (FoundationAgents/OpenManus#438) and Novita's.
    /^300(?:01|11)$/,
    "NOT_ENOUGH_BALANCE",
  ],
  place: ["unsupported_country_region_territory"],
};

/**
 * Anthropic, Google and xAI have no code for these: xAI says them with 403 or 429 (continuedev/continue#10373, #12670).
 * Only the beginning is read, because a message may quote a prompt further on.
 */
const sentences: readonly [beginning: RegExp, reason: AccountReason][] = [
  [/^Your credit balance is too low/, "money"],
  [/^Your team \S{1,80} has either used all available credits/, "money"],
  [/^Your newly created team doesn't have any credits/, "money"],
  [/^You have run out of credits/, "money"],
  [/^User location is not supported/, "place"],
];

const byStatus: Readonly<Record<number, AccountReason>> = { 401: "key", 402: "money", 403: "key" };

/** A 403 with one of these is about the model, not about our key. */
const otherwise403 = /ModelNotOpen|OperationDenied/i;

/** Why an error answer refuses our account; undefined where it is about anything else. */
export function accountReason(status: number, error: ProviderError): AccountReason | undefined {
  return namedReason(error) ?? (isAboutOther(status, error) ? undefined : byStatus[status]);
}

/** Whether our account is refused whatever was asked. A bare 403 may be about an odd request. */
export function isCertain(status: number, error: ProviderError): boolean {
  return namedReason(error) !== undefined || status === 401 || status === 402;
}

function namedReason(error: ProviderError): AccountReason | undefined {
  const names = namesOf(error);
  for (const [reason, list] of Object.entries(known) as [AccountReason, (string | RegExp)[]][]) {
    if (names.some((name) => isOneOf(name, list))) return reason;
  }
  return sentences.find(([beginning]) => beginning.test(error.message ?? ""))?.[1];
}

function isAboutOther(status: number, error: ProviderError): boolean {
  if (status !== 403) return false;
  if (blameRow(status, error)) return true;
  return [...namesOf(error), error.message ?? ""].some((text) => otherwise403.test(text));
}
