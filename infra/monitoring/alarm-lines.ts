/** What is looked for in a log line: an event, or a flag of a call. */
interface AlarmLine {
  line: { field: string; value: string; among?: true; name?: string; and?: { field: string; value: string } };
  /** The functions that write it: one, or the four groups at the end, which `alarms.ts` spells out. */
  writer:
    | "gateway"
    | "settle"
    | "sweep"
    | "videoTask"
    | "console"
    | "charging"
    | "cache"
    | "secrets"
    | "members";
  /** The time that is looked at, if not five minutes: a line that comes with every hourly pass rings for an hour. */
  within?: "minute" | "hour";
  /** How many lines within that time wake nobody; none without it. */
  above?: number;
  why: string;
}

const event = (value: string, writer: AlarmLine["writer"], more: Partial<AlarmLine["line"]> = {}) => ({
  line: { field: "$.event", value, ...more },
  writer,
});
const flag = (value: string, writer: AlarmLine["writer"]) => ({
  line: { field: "$.flags", value, among: true as const },
  writer,
});

/**
 * Log lines that a person must see, by the names of their alarms: money is uncertain, or something waits for a hand.
 * Those of the console come last, which a stage may be without.
 */
const lines: Readonly<Record<string, AlarmLine>> = {
  SettleGap: {
    ...event("settle_gap", "gateway"),
    why: "a usage event reached neither queue nor ledger; the sweeper will bill this call from its intent",
  },
  UsageUnreadable: {
    ...event("poison_message", "settle"),
    why: "settle cannot read a usage event; after five tries it is a dead letter. A version of the gateway or of settle may be wrong",
  },
  UsageRefused: {
    ...event("settle_failed", "settle"),
    why: "the ledger did not take a usage event; the queue brings it again, and after five tries it is a dead letter",
  },
  UsageClamped: {
    ...flag("usage_clamped", "gateway"),
    why: "a provider reported more than 2^40 of something; the call was billed at the most it could cost. Compare its receipt with the provider's bill",
  },
  Implausible: {
    ...flag("implausible", "charging"),
    why: "a provider reported more than four times what its model takes and gives, or pictures that are not there; the call was billed at the most it could cost. Its receipt has the report: compare it with the provider's bill, and correct it",
  },
  Overrun: {
    ...flag("overrun", "charging"),
    why: "a provider reported more usage than was held for the request; it was billed as reported. Compare its receipt with the provider's bill",
  },
  ZeroUsage: {
    ...flag("zero_usage", "gateway"),
    why: "a provider reported no usage for an answer that has some; it was billed nothing. Compare its receipt with the provider's bill",
  },
  UnpricedSwitch: {
    ...flag("unpriced_switch", "charging"),
    why: "a provider served a call in a way, or counted something, for which its model has no rate; it was billed at the plain price. Add the rate to the catalog",
  },
  HoldSeized: {
    ...event("hold_seized", "sweep"),
    why: "a call died without settling, and the sweeper seized its hold; if there are many, functions crash",
  },
  SweepFailed: {
    ...event("sweep_failed", "sweep"),
    why: "a seized hold could not be settled; until it is, it keeps points of a customer",
  },
  SealFailed: {
    ...event("seal_failed", "sweep"),
    within: "hour",
    why: "an organization's days could not be sealed; until they are, its reports are right but read more hours",
  },
  RepairFailed: {
    ...event("repair_failed", "sweep"),
    why: "a video task whose execution died could not be repaired; until it is, the task and its hold stay open",
  },
  ShardsFailed: {
    ...event("shards_failed", "sweep"),
    why: "a wallet could not get the shards that its calls need; until it does, some of its calls get 42900",
  },
  PlanFeeFailed: {
    ...event("plan_fee_failed", "sweep"),
    within: "hour",
    why: "a subscription's fee could not be posted, as when the catalog lacks its plan; the next pass tries it again",
  },
  TaskExpired: {
    ...event("task_expired", "videoTask"),
    why: "a video task had no verdict in its time; its hold stays until an operator says what happened to it (task resolve)",
  },
  ProviderAccount: {
    ...event("provider_account_refused", "gateway"),
    within: "minute",
    why: "a provider refuses our key, our location, or our account for lack of money; the line names it, its reason and the credential. Repair the key or pay: until then other channels serve, and models without one fail",
  },
  VideoProviderAccount: {
    ...event("task_account_refused", "videoTask"),
    within: "minute",
    why: "a provider refuses our key or our account for a video; the line names it and its reason. Repair the key or pay: until then videos of its models fail",
  },
  SecretUnreadable: {
    ...event("secret_unreadable", "secrets"),
    why: "a secret could not be read again; functions go on with the keys they have, and do not see a new one",
  },
  CacheWrong: {
    ...event("cache_semantic_off", "cache"),
    why: "the semantic cache gave wrong answers in one context and is off there for a day; the line names the organization. If there are many, the verifier is not good enough: take another one, or none",
  },
  ConsoleInternal: {
    ...event("internal", "console", { name: "console_internal" }),
    why: "the console answered 50000 to an exception nobody expected; its log line names it",
  },
  OrderReview: {
    ...event("order_review", "console"),
    why: "a payment is not what its order says: another amount, currency or account. Nothing is credited until an operator decides",
  },
  OrderOverdue: {
    ...event("order_overdue", "console"),
    why: "an order was paid over ten minutes ago and is not credited; a customer waits for points",
  },
  RefundFailed: {
    ...event("refund_failed", "console"),
    why: "the points of a refund are taken, and its customer has no money: the platform has neither paid it back nor refused it, or the customer's bank has sent it back",
  },
  ReconcileFailed: {
    ...event("reconcile_failed", "console"),
    why: "orders that are due could not be asked about; if a notice was lost, its customer waits for points",
  },
  NoticeRefused: {
    // WeChat Pay tries with wrong signatures whether they are checked.
    ...event("notice_refused", "console", { and: { field: "$.probe", value: "no" } }),
    above: 10,
    why: "over ten notices of payments in five minutes were not the platform's. Somebody forges them, or a key of the platform has changed",
  },
  OrderRefundedElsewhere: {
    ...event("order_refunded_elsewhere", "console"),
    why: "a platform has paid an order back without us; its customer still has the points",
  },
  AuditNotWritten: {
    // Members manage their keys at the gateway too.
    ...event("audit_not_written", "members"),
    why: "something was done that the audit log of its organization does not have; the line says what",
  },
  PlatformFailed: {
    ...event("platform_failed", "console"),
    above: 20,
    why: "over twenty questions to payment platforms in five minutes had no answer that can be trusted; customers cannot pay there",
  },
  PlatformSettings: {
    ...event("platform_settings_wrong", "console"),
    why: "the secret platforms has a channel or a sender whose settings cannot be right; it is left out until they are",
  },
  SmsNotSent: {
    ...event("sms_not_sent", "console"),
    above: 5,
    why: "over five messages in five minutes were not taken by the sender; people cannot sign in",
  },
  SmsBudgetLow: {
    ...event("sms_budget_low", "console"),
    why: "half of the messages that are allowed by now are sent; soon only phones that have an account get codes, and then nobody until the hour ends. Look whether somebody attacks, or let more out (sms raise)",
  },
  SmsPrefixStopped: {
    ...event("sms_prefix_stopped", "console"),
    why: "messages to numbers of one prefix are stopped for an hour, because hardly anybody enters their codes; somebody may be paid for them",
  },
};

export const alarmLines = Object.entries(lines).map(([id, line]) => ({ id, ...line }));
