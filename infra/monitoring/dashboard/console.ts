/** The charts of the console: who signs up, which messages are sent, and what becomes of orders. */
import { Duration } from "aws-cdk-lib";
import { type IMetric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { countLines } from "../log-metrics.ts";
import type { DashboardParts, Section, Widget } from "./widget.ts";

/** The console is used by people, so five minutes have more to show than one. */
const period = Duration.minutes(5);

/** The section of the console; none where the stage has no console. */
export function consoleSections({ console, stage }: DashboardParts): Section[] {
  if (!console) return [];
  const lines: Lines = (event, label, and) =>
    countLines([console.logGroup], stage, { field: "$.event", value: event, ...(and && { and }) }).with({
      statistic: Stats.SUM,
      label,
      period,
    });
  return [{ title: "Console", widgets: [...people(lines), ...money(lines)] }];
}

/** How many lines of an event there are, perhaps only those with another field of this value. */
type Lines = (event: string, label: string, and?: { field: string; value: string }) => IMetric;

function people(lines: Lines): Widget[] {
  return [
    {
      title: "Sign-ups and sign-ins",
      says: "People who have made an account, people who have signed in, and sessions that were ended because an old token came back.",
      unit: "in five minutes",
      metrics: [
        lines("console_signed_up", "signed up"),
        lines("console_signed_in", "signed in"),
        lines("session_reused", "old tokens"),
      ],
    },
    {
      title: "Messages",
      says: "Verification codes that were sent, that the sender did not take, and that were refused because there were too many.",
      unit: "in five minutes",
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
      title: "Orders",
      says: "Orders by what became of them. Every paid one is credited soon after, so both lines are alike.",
      unit: "in five minutes",
      metrics: [
        lines("order_created", "created"),
        lines("order_paid", "paid"),
        lines("order_credited", "credited"),
        lines("order_closed", "closed"),
        lines("order_refunded", "refunded"),
      ],
    },
    {
      title: "Orders that need a hand",
      says: "Payments that do not fit their orders, orders that are paid and not credited, and refunds that hang. An alarm rings for each.",
      unit: "in five minutes",
      metrics: [
        lines("order_review", "in review"),
        lines("order_overdue", "overdue"),
        lines("refund_failed", "refunds"),
      ],
    },
    {
      title: "Payment platforms",
      says: "Notices that were not the platform's, questions without an answer that can be trusted, and runs of the reconciler, five in five minutes.",
      unit: "in five minutes",
      metrics: [
        lines("notice_refused", "notices refused", { field: "$.probe", value: "no" }),
        lines("platform_failed", "no answer"),
        lines("reconciled", "runs"),
        lines("reconcile_failed", "failed runs"),
      ],
    },
  ];
}
