/** The parts of the local dashboard: patterns, expressions, metrics, alarms, the followed log, pictures and the server. */
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { chartCard, formatNumber, linePath, niceMaximum } from "#infra/local/dashboard/chart.ts";
import type { Alarm, Query } from "#infra/local/dashboard/definition.ts";
import { draw, stateOf } from "#infra/local/dashboard/evaluate.ts";
import { parseExpression, searchOf } from "#infra/local/dashboard/expression.ts";
import { parsePattern } from "#infra/local/dashboard/filter-pattern.ts";
import { createCounter } from "#infra/local/dashboard/log-metrics.ts";
import { LogTail } from "#infra/local/dashboard/log-tail.ts";
import { Metrics, minuteOf, statisticOf } from "#infra/local/dashboard/metrics.ts";
import { Sampler } from "#infra/local/dashboard/sampler.ts";
import { openDashboard } from "#infra/local/dashboard/server.ts";

const folder = mkdtempSync(join(tmpdir(), "dashboard-local-"));
afterAll(() => rmSync(folder, { recursive: true }));

const noon = Date.parse("2026-11-23T12:00:00.000Z");
const minutes = (count: number) => count * 60_000;

describe("a filter pattern", () => {
  const call = { event: "call", attempts: 2, flags: "overrun cache_exact", code: 0, deep: { x: 1 } };
  test.each([
    ['{ $.event = "call" }', true],
    ['{ $.event != "call" }', false],
    ['{ $.event = "cal" }', false],
    ['{ $.flags = "*cache_exact*" }', true],
    ['{ $.flags = "cache_exact" }', false],
    ["{ $.attempts > 1 }", true],
    ["{ $.attempts >= 3 }", false],
    ["{ $.missing >= 0 }", false],
    ['{ $.missing != "x" }', false],
    ["{ $.flags >= 0 }", false],
    ["{ $.deep.x = 1 }", true],
    ['{ ($.event = "a") || (($.event = "call") && ($.code = 0)) }', true],
    ['{ (($.event = "a") || ($.event = "call")) && ($.code > 0) }', false],
  ])("%s", (pattern, matches) => {
    expect(parsePattern(pattern)(call)).toBe(matches);
  });

  test.each([
    "ERROR",
    "{ $.a IS TRUE }",
    '{ $.a = "b" ',
    '{ $.a = "b" } x',
    "{ $.a = %x% }",
    '{ $.a > "b" }',
  ])("with something that is not known here is refused: %s", (pattern) => {
    expect(() => parsePattern(pattern)).toThrow("cannot be read");
  });
});

describe("an expression", () => {
  const values: Record<string, (number | null)[]> = { a: [1, null, 4], b: [2, 2, 0] };
  const computed = (text: string) => parseExpression(text).compute((id) => values[id] ?? []);
  test.each([
    ["100 * a / b", [50, null, null]],
    ["FILL(a, 0) - FILL(b, 0)", [-1, -2, 4]],
    ["a - b - 1", [-2, null, 3]],
    ["100 * a / (a + FILL(b, 0))", [100 / 3, null, 100]],
    ["a * 0.5 / 1000", [0.0005, null, 0.002]],
    ["DIFF(b)", [null, 0, -2]],
    ["DIFF(FILL(a, 0))", [null, -1, 4]],
  ])("%s", (text, expected) => {
    expect(computed(text)).toEqual(expected);
  });

  test.each(["MAX(a)", "a +", "(a", "a b", "a > 1", "FILL(a, REPEAT)"])("is refused: %s", (text) => {
    expect(() => parseExpression(text)).toThrow("cannot be read");
  });

  test("that searches names what it searches for", () => {
    const search = `SEARCH('{"model-gateway/prod",code,route} MetricName="errors"', 'Sum', 60)`;
    const names = { namespace: "model-gateway/prod", name: "errors", dimensions: ["code", "route"] };
    expect(searchOf(search)).toEqual({ ...names, statistic: "Sum" });
    expect(searchOf("100 * a")).toBeUndefined();
  });
});

describe("metrics", () => {
  const id = { namespace: "n", name: "m", dimensions: {} };

  test("give every statistic, and percentiles within 1 %", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 200 }), (all) => {
        const metrics = new Metrics();
        for (const [at, value] of all.entries()) metrics.add(id, value, noon + minutes(at % 2));
        const found = metrics.read(id, minuteOf(noon), 2);
        if (!found) throw new Error("nothing was kept");
        const sorted = all.toSorted((a, b) => a - b);
        expect(statisticOf(found, "Sum")).toBe(all.reduce((sum, value) => sum + value, 0));
        expect(statisticOf(found, "SampleCount")).toBe(all.length);
        expect(statisticOf(found, "Maximum")).toBe(sorted.at(-1));
        for (const percent of [50, 95]) {
          const exact = sorted[Math.max(1, Math.ceil((percent / 100) * all.length)) - 1] ?? 0;
          expect(Math.abs(statisticOf(found, `p${percent}`) - exact)).toBeLessThanOrEqual(0.0101 * exact);
        }
      }),
      { seed: 7, numRuns: 100 },
    );
  });

  test("are bounded: in minutes, and in series", () => {
    const metrics = new Metrics();
    for (let at = 0; at < 200; at++) metrics.add(id, 1, noon + minutes(at));
    expect(statisticOf(metrics.read(id, minuteOf(noon), 200) as never, "SampleCount")).toBe(80);
    for (let at = 0; at < 3_000; at++) metrics.add({ ...id, dimensions: { at: String(at) } }, 1, noon);
    expect(metrics.find("n", "m", ["at"])).toHaveLength(1_999);
  });
});

const query = (of: Query["of"], more: Partial<Query> = {}): Query => ({
  ...{ id: undefined, label: "line", isShown: true, minutes: 1, of },
  ...more,
});

describe("an alarm", () => {
  const metric = { namespace: "AWS/Lambda", name: "Invocations", dimensions: {} };
  const silent: Alarm = {
    ...{ name: "SweepSilent", description: "", threshold: 1, periods: 3, missing: "breaching" },
    comparison: "LessThanThreshold",
    queries: [query({ metric, statistic: "Sum" }, { minutes: 5 })],
  };
  const source = (since: number, metrics = new Metrics()) => ({ metrics, since, isMeasured: () => true });

  test("for something that is missing waits until that can be told, then rings, and ends with the first value", () => {
    expect(stateOf(silent, noon + minutes(3), source(noon)).state).toBe("early");
    expect(stateOf(silent, noon + minutes(20), source(noon)).state).toBe("alarm");
    const metrics = new Metrics();
    metrics.add(metric, 1, noon + minutes(19));
    expect(stateOf(silent, noon + minutes(20), source(noon, metrics)).state).toBe("ok");
  });

  test("of an expression rings beyond its threshold for all its periods", () => {
    const [failed, answered] = ["failed", "answered"].map((name) => ({ ...metric, name }));
    const share: Alarm = {
      ...{ name: "CallsFailed", description: "", threshold: 10, periods: 2, missing: "notBreaching" },
      comparison: "GreaterThanThreshold",
      queries: [
        query({ expression: "100 * failed / (failed + FILL(answered, 0))" }, { minutes: 5 }),
        query({ metric: failed as never, statistic: "Sum" }, { id: "failed", isShown: false, minutes: 5 }),
        query(
          { metric: answered as never, statistic: "Sum" },
          { id: "answered", isShown: false, minutes: 5 },
        ),
      ],
    };
    const metrics = new Metrics();
    const state = () => stateOf(share, noon + minutes(9), source(noon, metrics)).state;
    metrics.add(failed as never, 1, noon + minutes(8));
    expect(state()).toBe("ok");
    metrics.add(failed as never, 1, noon + minutes(2));
    expect(state()).toBe("alarm");
    for (let at = 0; at < 9; at++) metrics.add(answered as never, 1, noon + minutes(2));
    expect(state()).toBe("ok");
    expect(stateOf(share, noon, { ...source(noon), isMeasured: () => false }).state).toBe("elsewhere");
  });
});

test("a chart names what only AWS measures, and counts nothing as 0 once it is measured", () => {
  const metrics = new Metrics();
  const here = { namespace: "here", name: "m", dimensions: {} };
  metrics.add(here, 2, noon + minutes(3));
  const chart = {
    ...{ title: "T", says: "", unit: "", isStacked: false },
    queries: [
      query({ metric: here, statistic: "Sum" }),
      query({ metric: { ...here, namespace: "there" }, statistic: "Sum" }, { label: "far" }),
    ],
  };
  const isMeasured = ({ namespace }: { namespace: string }) => namespace === "here";
  const drawn = draw(chart, noon + minutes(4), { metrics, since: noon + minutes(2), isMeasured }, 5);
  expect(drawn).toEqual({
    lines: [{ label: "line", minutes: 1, values: [null, null, 0, 2, 0] }],
    elsewhere: ["far"],
  });
});

describe("the log", () => {
  test("is followed through pieces of lines and rotations, each line once", async () => {
    const file = join(folder, "log.jsonl");
    const lines: string[] = [];
    const tail = new LogTail(file, (line) => lines.push(line));
    await tail.read();
    writeFileSync(`${file}.1`, "a\n");
    writeFileSync(file, "b\nhal");
    await Promise.all([tail.read(), tail.read()]);
    appendFileSync(file, "f é\n");
    await tail.read();
    appendFileSync(file, "last\n");
    renameSync(file, `${file}.1`);
    writeFileSync(file, "next\n");
    await tail.read();
    await tail.close();
    expect(lines).toEqual(["a", "b", "half é", "last", "next"]);
  });

  test("counts a line by the filters of its own log group, if it is of the last hour", () => {
    const filter = {
      ...{ logGroup: "A", matches: () => true, namespace: "n", name: "m", value: "$.ms" },
      dimensions: [["model", "$.model"]] as [string, string][],
    };
    const metrics = new Metrics();
    const count = createCounter([filter], metrics, () => noon);
    const line = (log_group: string, ago: number, more: object = { model: "x", ms: 5 }) =>
      count(JSON.stringify({ log_group, at: new Date(noon - minutes(ago)).toISOString(), ...more }));
    line("A", 1);
    line("B", 1);
    line("A", 61);
    line("A", 1, { ms: 5 });
    line("A", 1, { model: "x", ms: "5" });
    count("START RequestId");
    count('{"log_group":1');
    const found = metrics.read({ namespace: "n", name: "m", dimensions: { model: "x" } }, minuteOf(noon) - 1);
    expect(found).toMatchObject({ count: 1, sum: 5 });
  });
});

describe("a picture", () => {
  test("joins values that follow each other, and shows one alone as a dot", () => {
    const path = (values: (number | null)[], gap = 1) => linePath(values, gap, (value) => value);
    expect(path([1, 2, null, 3, null])).toBe("M0 1L1 2M3 3h0");
    expect(path([1, null, null, 3], 3)).toBe("M0 1L3 3");
    expect([0, 0.03, 7, 100, 101].map(niceMaximum)).toEqual([1, 0.05, 10, 100, 200]);
    expect([0, 1234.5, 1_234_567, 0.000_249].map(formatNumber)).toEqual(["0", "1,230", "1.23M", "0.000249"]);
  });

  test("has a table and words for those who do not see it, and no text of a label becomes markup", () => {
    const view = {
      ...{ id: "c", title: "Calls", says: "What.", unit: "a minute", isStacked: true, elsewhere: [] },
      lines: [{ label: '<b>"x"', minutes: 1, values: [null, 2] }],
      minutes: [noon, noon + minutes(1)],
    };
    const html = chartCard(view);
    expect(html).toContain("<caption>Calls, minutes with a value, UTC</caption>");
    expect(html).toContain('<th scope="row">12:01</th><td>2</td>');
    expect(html).toMatch(
      /tabindex="0" role="group" aria-label="Calls, a minute\. &lt;b&gt;&quot;x&quot; 2, at most 2/,
    );
    expect(html).not.toContain('<b>"x');
    expect(html).not.toMatch(/ style=/);
  });
});

test("the server answers its own name alone, with whatever port it gets, and names what cannot be drawn", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as AddressInfo;
  const metrics = new Metrics();
  const options = {
    template: join(folder, "none.json"),
    log: join(folder, "none"),
    metrics,
    gatewayUrl: () => "",
  };
  const sampler = new Sampler(metrics, () => []);
  await expect(openDashboard({ ...options, sampler, port, isPortFixed: true })).rejects.toThrow("is taken");
  const { url, stop } = await openDashboard({ ...options, sampler, port, isPortFixed: false });
  const statusAs = (host: string) =>
    new Promise((resolve) =>
      get(url, { headers: { host } }, (answer) => resolve(answer.resume().statusCode)),
    );
  expect(await statusAs("evil.example")).toBe(403);
  // Had this request asked for what cannot be drawn, nobody would take the rejection.
  await import("#infra/local/dashboard/view.ts");
  await new Promise(setImmediate);
  expect((await fetch(url, { method: "POST" })).status).toBe(405);
  const failed = await fetch(url);
  expect([failed.status, (await failed.text()).slice(0, 30)]).toEqual([
    500,
    "The dashboard cannot be drawn:",
  ]);
  await stop();
  taken.close();
});
