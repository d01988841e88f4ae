/** Alarms on queries of Metrics Insights, evaluated on this machine (`infra/local/dashboard/evaluate.ts`). */
import { expect, test } from "vitest";
import type { Alarm } from "#infra/local/dashboard/definition.ts";
import { stateOf } from "#infra/local/dashboard/evaluate.ts";
import { queryOf } from "#infra/local/dashboard/expression.ts";
import { Metrics } from "#infra/local/dashboard/metrics.ts";

const noon = Date.parse("2026-11-23T12:00:00.000Z");
const minutes = (count: number) => count * 60_000;

test("a query names what it asks for", () => {
  const [namespace, name] = ["AWS/DynamoDB", "ThrottledRequests"];
  const table = `SELECT SUM(${name}) FROM SCHEMA("${namespace}", TableName, Operation) WHERE TableName = 'keys'`;
  const dimensions = ["TableName", "Operation"];
  expect(queryOf(table)).toEqual({ namespace, name, dimensions, where: { TableName: "keys" } });
  expect(queryOf("100 * a")).toBeUndefined();
});

test("an alarm on a query rings for each value of its dimension by itself, and names it", () => {
  const from = 'FROM SCHEMA("stage", event) GROUP BY event ORDER BY SUM() DESC';
  const joined: Alarm = {
    ...{ name: "LogLines", description: "", threshold: 0.99, periods: 1, missing: "notBreaching" },
    comparison: "GreaterThanThreshold",
    queries: [
      {
        ...{ id: "lines", label: "lines", isShown: true, minutes: 5 },
        of: { expression: `SELECT SUM(log_lines) ${from}` },
      },
    ],
  };
  const metrics = new Metrics();
  const add = (event: string, share: number) =>
    metrics.add({ namespace: "stage", name: "log_lines", dimensions: { event } }, share, noon);
  const source = { metrics, since: noon, isMeasured: () => true };
  const state = () => stateOf(joined, noon + minutes(1), source);
  expect(state()).toEqual({ state: "ok", by: [] });
  for (let nth = 0; nth < 10; nth++) add("notice_refused", 1 / 11);
  expect(state()).toEqual({ state: "ok", by: [] });
  add("hold_seized", 1);
  expect(state()).toEqual({ state: "alarm", by: ["hold_seized"] });
  add("notice_refused", 1 / 11);
  expect(state().by).toEqual(["notice_refused", "hold_seized"]);
  const later = stateOf(joined, noon + minutes(6), source);
  expect(later).toEqual({ state: "ok", by: [] });
});
