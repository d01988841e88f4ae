/** How log lines are counted: many events by one filter of a log group (`infra/monitoring/log-metrics.ts`). */
import { App, Stack } from "aws-cdk-lib";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { expect, test } from "vitest";
import { countLines } from "#infra/monitoring/log-metrics.ts";
import { stageNamed } from "#infra/stage/stage.ts";

interface Filter {
  FilterPattern: string;
  MetricTransformations: object[];
}

const stage = stageNamed("prod");

/** The filters that a log group has after lines of these events were counted. */
function filtersOf(events: readonly string[]): Filter[] {
  const app = new App();
  const log = new LogGroup(new Stack(app, "Counted"), "Logs");
  for (const value of events) countLines([log], stage, { field: "$.event", value });
  const { Resources } = app.synth().getStackByName("Counted").template as {
    Resources: Record<string, { Type: string; Properties: Filter }>;
  };
  return Object.values(Resources).flatMap(({ Type, Properties }) =>
    Type === "AWS::Logs::MetricFilter" ? [Properties] : [],
  );
}

const eventsOf = ({ FilterPattern }: Filter) =>
  Array.from(FilterPattern.matchAll(/\$\.event = "(\w+)"/g), ([, event = ""]) => event);

test("events of one log group share a filter, which tells them apart by a dimension", () => {
  const [filter, ...others] = filtersOf(["call", "refused", "call"]);
  expect(others).toEqual([]);
  expect(filter).toMatchObject({
    FilterPattern: '{ ($.event = "call") || ($.event = "refused") }',
    MetricTransformations: [
      {
        MetricName: "lines",
        MetricNamespace: "model-gateway/prod",
        MetricValue: "1",
        Dimensions: [{ Key: "event", Value: "$.event" }],
      },
    ],
  });
});

test("a pattern never gets longer than AWS takes: the events that are left go to another filter, each once", () => {
  const events = Array.from({ length: 100 }, (_, nth) => `${"e".repeat(1 + (nth % 40))}_${nth}`);
  const filters = filtersOf([...events, ...events]);
  expect(filters.length).toBeGreaterThan(2);
  for (const { FilterPattern } of filters) expect(FilterPattern.length).toBeLessThanOrEqual(1024);
  expect(filters.flatMap(eventsOf).toSorted()).toEqual(events.toSorted());
});

test("lines of an event with another field have a filter and a metric of their own", () => {
  const log = new LogGroup(new Stack(new App(), "Counted"), "Logs");
  const and = { field: "$.probe", value: "no" };
  const metric = countLines([log], stage, { field: "$.event", value: "notice_refused", and });
  expect(metric).toMatchObject({ metricName: "notice_refused", dimensions: undefined });
  expect(log.node.tryFindChild("Events")).toBeUndefined();
});
