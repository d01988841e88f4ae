interface AlarmLine {
  id: string;
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

/**
 * Log lines that a person must see: money is uncertain, or something waits for a hand. Each with the field and value
 * to look for, the function that writes it, and why it rings.
 */
export const alarmLines: readonly AlarmLine[] = [
  {
    id: "SettleGap",
    line: { field: "$.event", value: "settle_gap" },
    writer: "gateway",
    why: "a usage event reached neither queue nor ledger; the sweeper will bill this call from its intent",
  },
  {
    id: "UsageUnreadable",
    line: { field: "$.event", value: "poison_message" },
    writer: "settle",
    why: "settle cannot read a usage event; after five tries it is a dead letter. A version of the gateway or of settle may be wrong",
  },
  {
    id: "UsageRefused",
    line: { field: "$.event", value: "settle_failed" },
    writer: "settle",
    why: "the ledger did not take a usage event; the queue brings it again, and after five tries it is a dead letter",
  },
  {
    id: "UsageClamped",
    line: { field: "$.flags", value: "usage_clamped", among: true },
    writer: "gateway",
    why: "a provider reported more than 2^40 of something; the call was billed at the most it could cost. Compare its receipt with the provider's bill",
  },
  {
    id: "Implausible",
    line: { field: "$.flags", value: "implausible", among: true },
    writer: "charging",
    why: "a provider reported more than four times what its model takes and gives, or pictures that are not there; the call was billed at the most it could cost. Its receipt has the report: compare it with the provider's bill, and correct it",
  },
  {
    id: "Overrun",
    line: { field: "$.flags", value: "overrun", among: true },
    writer: "charging",
    why: "a provider reported more usage than was held for the request; it was billed as reported. Compare its receipt with the provider's bill",
  },
  {
    id: "ZeroUsage",
    line: { field: "$.flags", value: "zero_usage", among: true },
    writer: "gateway",
    why: "a provider reported no usage for an answer that has some; it was billed nothing. Compare its receipt with the provider's bill",
  },
  {
    id: "UnpricedSwitch",
    line: { field: "$.flags", value: "unpriced_switch", among: true },
    writer: "charging",
    why: "a provider served a call in a way, or counted something, for which its model has no rate; it was billed at the plain price. Add the rate to the catalog",
  },
  {
    id: "HoldSeized",
    line: { field: "$.event", value: "hold_seized" },
    writer: "sweep",
    why: "a call died without settling, and the sweeper seized its hold; if there are many, functions crash",
  },
  {
    id: "SweepFailed",
    line: { field: "$.event", value: "sweep_failed" },
    writer: "sweep",
    why: "a seized hold could not be settled; until it is, it keeps points of a customer",
  },
  {
    id: "SealFailed",
    line: { field: "$.event", value: "seal_failed" },
    writer: "sweep",
    within: "hour",
    why: "an organization's days could not be sealed; until they are, its reports are right but read more hours",
  },
  {
    id: "RepairFailed",
    line: { field: "$.event", value: "repair_failed" },
    writer: "sweep",
    why: "a video task whose execution died could not be repaired; until it is, the task and its hold stay open",
  },
  {
    id: "ShardsFailed",
    line: { field: "$.event", value: "shards_failed" },
    writer: "sweep",
    why: "a wallet could not get the shards that its calls need; until it does, some of its calls get 42900",
  },
  {
    id: "PlanFeeFailed",
    line: { field: "$.event", value: "plan_fee_failed" },
    writer: "sweep",
    within: "hour",
    why: "a subscription's fee could not be posted, as when the catalog lacks its plan; the next pass tries it again",
  },
  {
    id: "TaskExpired",
    line: { field: "$.event", value: "task_expired" },
    writer: "videoTask",
    why: "a video task had no verdict in its time; its hold stays until an operator says what happened to it (task resolve)",
  },
  {
    id: "ProviderAccount",
    line: { field: "$.event", value: "provider_account_refused" },
    writer: "gateway",
    within: "minute",
    why: "a provider refuses our key, our location, or our account for lack of money; the line names it, its reason and the credential. Repair the key or pay: until then other channels serve, and models without one fail",
  },
  {
    id: "VideoProviderAccount",
    line: { field: "$.event", value: "task_account_refused" },
    writer: "videoTask",
    within: "minute",
    why: "a provider refuses our key or our account for a video; the line names it and its reason. Repair the key or pay: until then videos of its models fail",
  },
  {
    id: "SecretUnreadable",
    line: { field: "$.event", value: "secret_unreadable" },
    writer: "secrets",
    why: "a secret could not be read again; functions go on with the keys they have, and do not see a new one",
  },
  {
    id: "CacheWrong",
    line: { field: "$.event", value: "cache_semantic_off" },
    writer: "cache",
    why: "the semantic cache gave wrong answers in one context and is off there for a day; the line names the organization. If there are many, the verifier is not good enough: take another one, or none",
  },
  ...consoleLines(),
];

/** A line of the console's function. */
function line(id: string, value: string, why: string, above = 0): AlarmLine {
  return { id, line: { field: "$.event", value }, writer: "console", above, why };
}

/** The lines of the console's function, which a stage may be without. */
function consoleLines(): AlarmLine[] {
  return [
    {
      id: "ConsoleInternal",
      line: { field: "$.event", value: "internal", name: "console_internal" },
      writer: "console",
      why: "the console answered 50000 to an exception nobody expected; its log line names it",
    },
    line(
      "OrderReview",
      "order_review",
      "a payment is not what its order says: another amount, currency or account. Nothing is credited until an operator decides",
    ),
    line(
      "OrderOverdue",
      "order_overdue",
      "an order was paid over ten minutes ago and is not credited; a customer waits for points",
    ),
    line(
      "RefundFailed",
      "refund_failed",
      "the points of a refund are taken, and its customer has no money: the platform has neither paid it back nor refused it, or the customer's bank has sent it back",
    ),
    line(
      "ReconcileFailed",
      "reconcile_failed",
      "orders that are due could not be asked about; if a notice was lost, its customer waits for points",
    ),
    {
      id: "NoticeRefused",
      // WeChat Pay tries with wrong signatures whether they are checked.
      line: { field: "$.event", value: "notice_refused", and: { field: "$.probe", value: "no" } },
      writer: "console",
      above: 10,
      why: "over ten notices of payments in five minutes were not the platform's. Somebody forges them, or a key of the platform has changed",
    },
    line(
      "OrderRefundedElsewhere",
      "order_refunded_elsewhere",
      "a platform has paid an order back without us; its customer still has the points",
    ),
    {
      id: "AuditNotWritten",
      line: { field: "$.event", value: "audit_not_written" },
      // Members manage their keys at the gateway too.
      writer: "members",
      why: "something was done that the audit log of its organization does not have; the line says what",
    },
    line(
      "PlatformFailed",
      "platform_failed",
      "over twenty questions to payment platforms in five minutes had no answer that can be trusted; customers cannot pay there",
      20,
    ),
    line(
      "PlatformSettings",
      "platform_settings_wrong",
      "the secret platforms has a channel or a sender whose settings cannot be right; it is left out until they are",
    ),
    ...messageLines(),
  ];
}

/** Those of verification messages. */
function messageLines(): AlarmLine[] {
  return [
    line(
      "SmsNotSent",
      "sms_not_sent",
      "over five messages in five minutes were not taken by the sender; people cannot sign in",
      5,
    ),
    line(
      "SmsBudgetLow",
      "sms_budget_low",
      "half of the messages that are allowed by now are sent; soon only phones that have an account get codes, and then nobody until the hour ends. Look whether somebody attacks, or let more out (sms raise)",
    ),
    line(
      "SmsPrefixStopped",
      "sms_prefix_stopped",
      "messages to numbers of one prefix are stopped for an hour, because hardly anybody enters their codes; somebody may be paid for them",
    ),
  ];
}
