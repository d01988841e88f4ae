/** The charts of the console: who signs up, which messages are sent, and what becomes of orders. */
import { Duration } from "aws-cdk-lib";
import { type IMetric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IRule } from "aws-cdk-lib/aws-events";
import { countLines } from "../log-metrics.ts";
import { runsOf } from "../worker-alarms.ts";
import { chartOf } from "./charts.ts";
import type { DashboardParts, Section, Widget } from "./widget.ts";

/** The console is used by people, so five minutes have more to show than one. */
const period = Duration.minutes(5);

/** The section of the console; none where the stage has no console. */
export function consoleSections({ console, reconciling, stage }: DashboardParts): Section[] {
  if (!console || !reconciling) return [];
  const lines: Lines = (event, label, and) =>
    countLines([console.logGroup], stage, { field: "$.event", value: event, ...(and && { and }) }).with({
      statistic: Stats.SUM,
      label,
      period,
    });
  return [{ title: "Console", widgets: [...people(lines), ...money(lines), platforms(lines, reconciling)] }];
}

/** How many lines of an event there are, perhaps only those with another field of this value. */
type Lines = (event: string, label: string, and?: { field: string; value: string }) => IMetric;

function people(lines: Lines): Widget[] {
  return [
    {
      ...chartOf("Console", "Sign-ups and sign-ins"),
      metrics: [
        lines("console_signed_up", "signed up"),
        lines("console_signed_in", "signed in"),
        lines("session_reused", "old tokens"),
      ],
    },
    {
      ...chartOf("Console", "Messages"),
      metrics: [
        lines("sms_sent", "sent"),
        lines("sms_not_sent", "not sent"),
        lines("sms_refused", "refused"),
        lines("sms_prefix_stopped", "prefixes stopped"),
        lines("sms_budget_low", "half of the budget"),
      ],
    },
  ];
}

function money(lines: Lines): Widget[] {
  return [
    {
      ...chartOf("Console", "Orders"),
      metrics: [
        lines("order_created", "created"),
        lines("order_paid", "paid"),
        lines("order_credited", "credited"),
        lines("order_closed", "closed"),
        lines("order_refunded", "refunded"),
      ],
    },
    {
      ...chartOf("Console", "Orders that need a hand"),
      metrics: [
        lines("order_review", "in review"),
        lines("order_overdue", "overdue"),
        lines("refund_failed", "refunds"),
      ],
    },
  ];
}

function platforms(lines: Lines, reconciling: IRule): Widget {
  return {
    ...chartOf("Console", "Payment platforms"),
    metrics: [
      lines("notice_refused", "notices refused", { field: "$.probe", value: "no" }),
      lines("platform_failed", "no answer"),
      runsOf(reconciling, { statistic: Stats.SUM, label: "runs", period }),
      lines("reconcile_failed", "failed runs"),
    ],
  };
}
