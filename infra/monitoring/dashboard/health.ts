/** The charts of what keeps calls and books going: channels, holds, queues, the sweep and the seal. */
import { Duration } from "aws-cdk-lib";
import { type IMetric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Stage } from "../../stage/stage.ts";
import { countLines, linesOf, measureLines } from "../log-metrics.ts";
import { type DashboardParts, gatewayLogs, type Section } from "./widget.ts";

const minute = Duration.minutes(1);
/** The sweep passes once in this time. */
const pass = Duration.minutes(5);

/** How many lines of an event there are in each period. */
function lines(
  logs: ILogGroup[],
  stage: Stage,
  event: string,
  { label, period = minute }: { label: string; period?: Duration },
): IMetric {
  const counted = countLines(logs, stage, { field: "$.event", value: event });
  return counted.with({ statistic: Stats.SUM, label, period });
}

/** How well the providers serve, and what routing makes of it. */
export function channelSection({ fronts, stage, videoTask }: DashboardParts): Section {
  const logs = gatewayLogs(fronts);
  const count = (event: string, by: string[]) =>
    measureLines(logs, stage, { name: `${event}_lines`, pattern: linesOf(event), by });
  const again = measureLines(logs, stage, {
    name: "several_attempts",
    pattern: FilterPattern.all(linesOf("call"), FilterPattern.numberValue("$.attempts", ">", 1)),
  });
  return {
    title: "Channels",
    widgets: [
      {
        title: "Faults by provider",
        says: "Attempts that failed at a provider. The calls may have been answered by another one.",
        unit: "attempts a minute",
        metrics: [count("upstream_failed", ["provider"])(Stats.SUM)],
        stacked: true,
      },
      {
        title: "Channels opened",
        says: "A channel that is opened gets no calls until a probe succeeds, which closes it.",
        unit: "a minute",
        metrics: [
          count("channel_opened", ["model", "provider"])(Stats.SUM),
          lines(logs, stage, "channel_closed", { label: "closed" }),
        ],
      },
      {
        title: "Fail-overs and races",
        says: "Calls that more than one attempt was made for, those of them with a race, and calls that no provider answered.",
        unit: "calls a minute",
        metrics: [
          again(Stats.SUM, "several attempts"),
          lines(logs, stage, "race_lost", { label: "races" }),
          lines(logs, stage, "call_failed", { label: "not answered" }),
        ],
      },
      {
        title: "Refused accounts",
        says: "Providers that refuse our key, our location or our account. An alarm rings at the first one.",
        unit: "attempts a minute",
        metrics: [
          lines(logs, stage, "provider_account_refused", { label: "calls" }),
          lines([videoTask.logGroup], stage, "task_account_refused", { label: "videos" }),
        ],
      },
    ],
  };
}

/** Whether usage reaches the ledger, and whether what was left open is closed. */
export function bookSection(seen: DashboardParts): Section {
  return { title: "Books", widgets: [...callWidgets(seen), ...queueWidgets(seen), ...passWidgets(seen)] };
}

const maximum = { statistic: Stats.MAXIMUM, period: minute };

/** Calls between their holds and the ledger. */
function callWidgets({ fronts, stage, settle, sweep }: DashboardParts): Section["widgets"] {
  const lag = measureLines([settle.logGroup], stage, {
    name: "settle_lag_ms",
    pattern: linesOf("settled"),
    value: "$.lag_ms",
  });
  const holds = measureLines([sweep.logGroup], stage, {
    name: "holds",
    pattern: FilterPattern.all(linesOf("swept"), FilterPattern.numberValue("$.holds", ">=", 0)),
    value: "$.holds",
  });
  return [
    {
      title: "Holds in flight",
      says: "The holds that each pass of the sweep found, and calls that run in Lambda at the same time.",
      unit: "calls",
      metrics: [
        holds(Stats.MAXIMUM, "holds", pass),
        ...(fronts.url
          ? [fronts.url.gateway.metric("ConcurrentExecutions", { ...maximum, label: "running" })]
          : []),
      ],
    },
    {
      title: "Settle lag",
      says: "From the end of a call until it is in the ledger, for the oldest call of each batch. Reports lag as much.",
      unit: "ms",
      metrics: [lag(Stats.percentile(50), "p50"), lag(Stats.MAXIMUM, "maximum")],
    },
  ];
}

function queueWidgets({ queues: { usage, lessons } }: DashboardParts): Section["widgets"] {
  const queueAge = "metricApproximateAgeOfOldestMessage";
  return [
    {
      title: "Queue age",
      says: "How long the oldest message has waited. It grows while its function fails or is refused.",
      unit: "seconds",
      metrics: [
        usage.queue[queueAge]({ ...maximum, label: "usage" }),
        lessons.queue[queueAge]({ ...maximum, label: "lessons" }),
      ],
    },
    {
      title: "Dead letters",
      says: "Messages that failed each of their tries. Usage among them is not billed until it is redriven.",
      unit: "messages",
      metrics: [
        usage.deadLetters.metricApproximateNumberOfMessagesVisible({ ...maximum, label: "usage" }),
        lessons.deadLetters.metricApproximateNumberOfMessagesVisible({ ...maximum, label: "lessons" }),
      ],
    },
  ];
}

/** What closes what was left open, by passes. */
function passWidgets({ stage, sweep }: DashboardParts): Section["widgets"] {
  const sealed = measureLines([sweep.logGroup], stage, {
    name: "sealed_places",
    pattern: linesOf("sealed"),
    value: "$.count",
  });
  const swept = (event: string, label: string) =>
    lines([sweep.logGroup], stage, event, { label, period: pass });
  return [
    {
      title: "Sweep",
      says: "Passes of the sweep, the holds of dead calls that they closed, and those that they could not close.",
      unit: "in five minutes",
      metrics: [
        swept("swept", "passes"),
        swept("hold_seized", "holds seized"),
        swept("sweep_failed", "failed"),
      ],
    },
    {
      title: "Seal",
      says: "Once an hour: organizations and projects whose days and months were sealed, and what failed.",
      unit: "in five minutes",
      metrics: [
        sealed(Stats.SUM, "places sealed", pass),
        swept("seal_failed", "seals failed"),
        swept("plan_fee_failed", "plan fees failed"),
      ],
    },
  ];
}
