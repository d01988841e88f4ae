/** The charts of what keeps calls and books going: channels, holds, queues, the sweep and the seal. */
import { Duration } from "aws-cdk-lib";
import { type IMetric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Stage } from "../../stage/stage.ts";
import { countLines, linesOf, measureLines } from "../log-metrics.ts";
import { chartOf } from "./charts.ts";
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
        ...chartOf("Channels", "Faults by provider"),
        metrics: [count("upstream_failed", ["provider"])(Stats.SUM)],
        stacked: true,
      },
      {
        ...chartOf("Channels", "Channels opened"),
        metrics: [
          count("channel_opened", ["model", "provider"])(Stats.SUM),
          lines(logs, stage, "channel_closed", { label: "closed" }),
        ],
      },
      {
        ...chartOf("Channels", "Fail-overs and races"),
        metrics: [
          again(Stats.SUM, "several attempts"),
          lines(logs, stage, "race_lost", { label: "races" }),
          lines(logs, stage, "call_failed", { label: "not answered" }),
        ],
      },
      {
        ...chartOf("Channels", "Refused accounts"),
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
    pattern: FilterPattern.all(linesOf("swept"), FilterPattern.numberValue("$.holds", ">", 0)),
    value: "$.holds",
  });
  return [
    {
      ...chartOf("Books", "Holds in flight"),
      metrics: [
        holds(Stats.MAXIMUM, "holds", pass),
        ...(fronts.url
          ? [fronts.url.gateway.metric("ConcurrentExecutions", { ...maximum, label: "running" })]
          : []),
      ],
    },
    {
      ...chartOf("Books", "Settle lag"),
      metrics: [lag(Stats.percentile(50), "p50"), lag(Stats.MAXIMUM, "maximum")],
    },
  ];
}

function queueWidgets({ queues: { usage, lessons } }: DashboardParts): Section["widgets"] {
  const queueAge = "metricApproximateAgeOfOldestMessage";
  return [
    {
      ...chartOf("Books", "Queue age"),
      metrics: [
        usage.queue[queueAge]({ ...maximum, label: "usage" }),
        lessons.queue[queueAge]({ ...maximum, label: "lessons" }),
      ],
    },
    {
      ...chartOf("Books", "Dead letters"),
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
    pattern: FilterPattern.all(linesOf("sealed"), FilterPattern.numberValue("$.count", ">", 0)),
    value: "$.count",
  });
  const swept = (event: string, label: string) =>
    lines([sweep.logGroup], stage, event, { label, period: pass });
  return [
    {
      ...chartOf("Books", "Sweep"),
      metrics: [
        sweep.metricInvocations({ statistic: Stats.SUM, label: "runs", period: pass }),
        swept("hold_seized", "holds seized"),
        swept("sweep_failed", "failed"),
      ],
    },
    {
      ...chartOf("Books", "Seal"),
      metrics: [
        sealed(Stats.SUM, "places sealed", pass),
        swept("seal_failed", "seals failed"),
        swept("plan_fee_failed", "plan fees failed"),
      ],
    },
  ];
}
