/** Log lines that a person must see, by the names of their runbooks: money is uncertain, or something waits for a hand. */
import type { CountedLine, Joined } from "./log-metrics.ts";

/** What is looked for in a log line, an event or a flag of a call, and who writes it. */
interface WrittenLine {
  line: CountedLine;
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
}

/** A line that shares its alarm with others, and rings for itself all the same. */
interface JoinedLine extends WrittenLine {
  /** The name of the alarm. */
  alarm: keyof typeof joinedAlarms;
  /** How many lines within the alarm's time wake nobody; none without it. */
  above?: number;
}

/** A line with an alarm of its own, because it takes a version back (rollback.ts). */
interface OwnLine extends WrittenLine {
  why: string;
}

interface JoinedAlarm extends Joined {
  /** The minutes that it looks at. */
  minutes: number;
}

/**
 * Alarms of many lines. An alarm is paid for by the month, and one that watches a query costs what one metric costs
 * (infra/cost/cost.md). Lines that come with every hourly pass ring for an hour.
 */
export const joinedAlarms = {
  LogLines: { metricName: "log_lines", dimension: "event", minutes: 5 },
  LogLinesQuick: { metricName: "log_lines_quick", dimension: "event", minutes: 1 },
  LogLinesHourly: { metricName: "log_lines_hourly", dimension: "event", minutes: 60 },
  LogFlags: { metricName: "log_flags", dimension: "flags", minutes: 5 },
} as const satisfies Record<string, JoinedAlarm>;

export type JoinedName = keyof typeof joinedAlarms;

const event = (value: string, writer: WrittenLine["writer"], more: Partial<CountedLine> = {}) => ({
  line: { field: "$.event", value, ...more },
  writer,
});
const line = (value: string, writer: WrittenLine["writer"], more: Partial<CountedLine> = {}) => ({
  ...event(value, writer, more),
  alarm: "LogLines" as const,
});
const flag = (value: string, writer: WrittenLine["writer"]) => ({
  line: { field: "$.flags", value, among: true as const },
  writer,
  alarm: "LogFlags" as const,
});

const joined: Readonly<Record<string, JoinedLine>> = {
  UsageClamped: flag("usage_clamped", "gateway"),
  Implausible: flag("implausible", "charging"),
  Overrun: flag("overrun", "charging"),
  ZeroUsage: flag("zero_usage", "gateway"),
  UnpricedSwitch: flag("unpriced_switch", "charging"),
  HoldSeized: line("hold_seized", "sweep"),
  SealFailed: { ...event("seal_failed", "sweep"), alarm: "LogLinesHourly" },
  RepairFailed: line("repair_failed", "sweep"),
  ShardsFailed: line("shards_failed", "sweep"),
  PlanFeeFailed: { ...event("plan_fee_failed", "sweep"), alarm: "LogLinesHourly" },
  // The hourly pass alone looks at meters that take no calls.
  ThresholdsFailed: { ...event("thresholds_failed", "sweep"), alarm: "LogLinesHourly" },
  PriceNewsFailed: { ...event("price_news_failed", "sweep"), alarm: "LogLinesHourly" },
  TaskExpired: line("task_expired", "videoTask"),
  ProviderAccount: { ...event("provider_account_refused", "gateway"), alarm: "LogLinesQuick" },
  VideoProviderAccount: { ...event("task_account_refused", "videoTask"), alarm: "LogLinesQuick" },
  SecretUnreadable: line("secret_unreadable", "secrets"),
  CacheWrong: line("cache_semantic_off", "cache"),
  OrderReview: line("order_review", "console"),
  OrderOverdue: line("order_overdue", "console"),
  RefundFailed: line("refund_failed", "console"),
  ReconcileFailed: line("reconcile_failed", "console"),
  // WeChat Pay tries with wrong signatures whether they are checked.
  NoticeRefused: {
    ...line("notice_refused", "console", { and: { field: "$.probe", value: "no" } }),
    above: 10,
  },
  OrderRefundedElsewhere: line("order_refunded_elsewhere", "console"),
  // Members manage their keys at the gateway too.
  AuditNotWritten: line("audit_not_written", "members"),
  PlatformFailed: { ...line("platform_failed", "console"), above: 20 },
  PlatformSettings: line("platform_settings_wrong", "console"),
  SmsNotSent: { ...line("sms_not_sent", "console"), above: 5 },
  SmsBudgetLow: line("sms_budget_low", "console"),
  SmsPrefixStopped: line("sms_prefix_stopped", "console"),
  NewsFailed: line("news_failed", "console"),
  NewsHurried: line("news_hurried", "console"),
  NewsEventFailed: line("news_event_failed", "console"),
  NewsMailNotSent: { ...line("news_mail_not_sent", "console"), above: 5 },
  PlanNoticeFailed: line("plan_notice_failed", "console"),
  PlanNoticeNotSent: { ...line("plan_notice_not_sent", "console"), above: 5 },
};

const own: Readonly<Record<string, OwnLine>> = {
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
  SweepFailed: {
    ...event("sweep_failed", "sweep"),
    why: "a seized hold could not be settled; until it is, it keeps points of a customer",
  },
  ConsoleInternal: {
    ...event("internal", "console", { name: "console_internal" }),
    why: "the console answered 50000 to an exception nobody expected; its log line names it",
  },
};

const named = <Row>(rows: Readonly<Record<string, Row>>) =>
  Object.entries(rows).map(([id, row]) => ({ id, ...row }));

export const joinedLines = named(joined);
export const ownLines = named(own);
