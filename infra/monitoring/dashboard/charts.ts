/**
 * Every chart of the dashboard in words, by its section. The dashboard shows what it says and counts, and `charts.md`
 * all of it. Links are paths from the root.
 */

/** The words of a chart that the dashboard shows. */
export interface ShownWords {
  title: string;
  /** What a reader learns from it, in Markdown. It stands above the charts of its section. */
  says: string;
  /** What the vertical axis counts. */
  unit: string;
}

interface ChartWords extends Omit<ShownWords, "title"> {
  /** The lines or metrics that it is made of. */
  from: string;
  /** What is usual. */
  normal: string;
}

export const chartWords = {
  Calls: {
    "Calls by route": {
      says: "Calls that were answered, by the route that the client chose.",
      unit: "calls a minute",
      from: "`call`: how many values of `duration_ms`, by `route`",
      normal: "follows your customers' day",
    },
    "Errors by code and route": {
      says: "Calls that got an error of the gateway. 40xxx is the client's doing, 42xxx a limit, 500xx ours or a provider's.",
      unit: "errors a minute",
      from: "`refused`, `call_failed`, `internal`, by `code` and `route`",
      normal: "401xx and 429xx of a few clients; hardly any 500xx",
    },
    "Duration by route, p95": {
      says: "From the arrival of a call to its last byte. Long answers make it long, so compare a route with itself.",
      unit: "ms",
      from: "`call`: `duration_ms`, by `route`",
      normal: "seconds on chats, and level for one route",
    },
    "First byte of streams": {
      says: "From the arrival of a call to the first frame of its answer: half of all streams, and the slowest twentieth.",
      unit: "ms",
      from: "`call`: `first_byte_ms`, p50 and p95",
      normal: "what the models take; p95 a few times p50",
    },
    "First byte by provider, p95": {
      says: "The same for each provider. One that is slow stands out.",
      unit: "ms",
      from: "the same, by `provider`",
      normal: "level for each provider",
    },
    "Before a provider is asked": {
      says: "The gateway's own share: from the arrival of a call until it is sent, where the first attempt was answered.",
      unit: "ms",
      from: "`call` with one attempt: `sent_ms`, p50 and p95",
      normal: "tens of milliseconds. More means cold starts, or DynamoDB that is slow",
    },
  },
  Models: {
    "Tokens by model": {
      says: "Input and output together, as they were billed.",
      unit: "tokens a minute",
      from: "`call`: `tokens`, by `model`",
      normal: "follows the calls",
    },
    "Points by model": {
      says: "What calls and videos are worth at list price, on subscriptions too. Only the ledger says what was charged.",
      unit: "points a minute",
      from: "`call` and `task_settled`: `points`, by `model`; the worth at list price, whoever pays. It is rounded: only ledger and reports are exact",
      normal: "follows the tokens",
    },
    "Cache hits": {
      says: "The share of answered calls that were given an earlier answer, by the level that found it.",
      unit: "% of calls",
      from: "`call` with the flag `cache_exact`, `cache_canonical` or `cache_semantic`, as a share of `call`",
      normal: "0 if no plan has the cache",
    },
    "Tokens that the house pays": {
      says: "What no customer is charged: models that the semantic cache asks, and the input of races' losers as we estimate it.",
      unit: "tokens a minute",
      from: "`cache_model`: `tokens`; `race_lost`: `input_tokens`, an estimate",
      normal: "a small share of all tokens",
    },
  },
  Channels: {
    "Faults by provider": {
      says: "Attempts that failed at a provider. The calls may have been answered by another one.",
      unit: "attempts a minute",
      from: "`upstream_failed`, by `provider`",
      normal: "a few. Many at one provider are an outage, and other channels serve",
    },
    "Channels opened": {
      says: "A channel that is opened gets no calls until a probe succeeds, which closes it.",
      unit: "a minute",
      from: "`channel_opened`, by `model` and `provider`; `channel_closed` ([once](shared/calls/routing/README.md#health-of-a-channel) for all processes)",
      normal: "nothing; during an outage an opening now and then, and one closing at its end",
    },
    "Fail-overs and races": {
      says: "Calls that more than one attempt was made for, those of them with a race, and calls that no provider answered.",
      unit: "calls a minute",
      from: "`call` with more than one attempt; `race_lost`; `call_failed`",
      normal: "few; `call_failed` near 0",
    },
    "Refused accounts": {
      says: "Providers that refuse our key, our location or our account. An alarm rings at the first one.",
      unit: "attempts a minute",
      from: "`provider_account_refused`, `task_account_refused`",
      normal: "nothing. An alarm rings",
    },
  },
  Books: {
    "Holds in flight": {
      says: "The holds that each pass of the sweep found, and calls that run in Lambda at the same time.",
      unit: "calls",
      from: "`swept`: `holds`, at each pass of the sweep that finds some; `ConcurrentExecutions` of the gateway",
      normal: "both alike. Holds that grow alone are calls that died",
    },
    "Settle lag": {
      says: "From the end of a call until it is in the ledger, for the oldest call of each batch. Reports lag as much.",
      unit: "ms",
      from: "`settled` of the settling function: `lag_ms`, p50 and maximum",
      normal: "one to a few seconds",
    },
    "Queue age": {
      says: "How long the oldest message has waited. It grows while its function fails or is refused.",
      unit: "seconds",
      from: "SQS: `ApproximateAgeOfOldestMessage` of both queues",
      normal: "seconds. The alarm `UsageAge` rings at five minutes",
    },
    "Dead letters": {
      says: "Messages that failed each of their tries. Usage among them is not billed until it is redriven.",
      unit: "messages",
      from: "SQS: `ApproximateNumberOfMessagesVisible` of both dead letter queues",
      normal: "0",
    },
    Sweep: {
      says: "Runs of the sweep and its hourly seal, the holds of dead calls that they closed, and those that they could not close.",
      unit: "in five minutes",
      from: "Lambda: `Invocations` of the sweep; `hold_seized`, `sweep_failed`",
      normal: "one run in five minutes and one more an hour, and nothing else",
    },
    Seal: {
      says: "Once an hour: organizations and projects whose days and months were sealed, and what failed.",
      unit: "in five minutes",
      from: "`sealed`: `count`, if it is not 0; `seal_failed`, `plan_fee_failed`",
      normal: "once an hour as many places as there are organizations and projects",
    },
  },
  Console: {
    "Sign-ups and sign-ins": {
      says: "People who have made an account, people who have signed in, and sessions that were ended because an old token came back.",
      unit: "in five minutes",
      from: "`console_signed_up`, `console_signed_in`, `session_reused`",
      normal: "old tokens near 0: they are stolen, or a browser was restored from a backup",
    },
    Messages: {
      says: "Verification codes that were sent, that the sender did not take, and that were refused because there were too many.",
      unit: "in five minutes",
      from: "`sms_sent`, `sms_not_sent`, `sms_refused`, `sms_prefix_stopped`, `sms_budget_low`",
      normal: "about as many as people who sign in; none stopped, none low",
    },
    Orders: {
      says: "Orders by what became of them. Every paid one is credited soon after, so both lines are alike.",
      unit: "in five minutes",
      from: "`order_created`, `order_paid`, `order_credited`, `order_closed`, `order_refunded`",
      normal: "credited as many as paid; closed are those that nobody paid",
    },
    "Orders that need a hand": {
      says: "Payments that do not fit their orders, orders that are paid and not credited, and refunds that hang. An alarm rings for each.",
      unit: "in five minutes",
      from: "`order_review`, `order_overdue`, `refund_failed`",
      normal: "nothing. An alarm rings",
    },
    "Payment platforms": {
      says: "Notices that were not the platform's, questions without an answer that can be trusted, and runs of the reconciler, five in five minutes.",
      unit: "in five minutes",
      from: "`notice_refused`, `platform_failed`, `reconcile_failed`; EventBridge: `Invocations` of the schedule",
      normal: "five runs in five minutes, and nothing else",
    },
  },
  "Functions and cost": {
    Invocations: {
      says: "How often each function runs. AWS charges each.",
      unit: "a minute",
      from: "Lambda, by function",
      normal: "the gateway like the calls; settle less, because it takes batches",
    },
    "Errors and throttles": {
      says: "Functions that crashed or ran out of time, and those that Lambda refused to run.",
      unit: "a minute",
      from: "Lambda, by function",
      normal: "0",
    },
    "GB-seconds": {
      says: "The time that functions ran, times their memory: the largest part of the bill where streams are long.",
      unit: "GB-s a minute",
      from: "Lambda: `Duration` times the function's memory",
      normal: "follows the duration of calls",
    },
    "Write units": {
      says: "What DynamoDB charges for writes, by table. A call takes three units in the counters, and its share of the ledger.",
      unit: "units a minute",
      from: "DynamoDB: `ConsumedWriteCapacityUnits`, by table",
      normal: "three in the counters for each call, and the ledger's",
    },
    "Read units": {
      says: "What DynamoDB charges for reads, by table. Reports, the sweep and the audit read most.",
      unit: "units a minute",
      from: "DynamoDB: `ConsumedReadCapacityUnits`, by table",
      normal: "follows reports and the sweep",
    },
    "Log bytes": {
      says: "What CloudWatch charges for taking log lines in, by function.",
      unit: "bytes a minute",
      from: "CloudWatch Logs: `IncomingBytes`, by log group",
      normal: "less than a kilobyte a call beside Lambda's own lines",
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ChartWords>>>>;

/** What the dashboard shows of a chart. */
export function chartOf<Section extends keyof typeof chartWords>(
  section: Section,
  title: Extract<keyof (typeof chartWords)[Section], string>,
): ShownWords {
  const { says, unit } = chartWords[section][title] as ChartWords;
  return { title, says, unit };
}
