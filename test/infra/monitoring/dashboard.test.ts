/**
 * The dashboard of a stage (infra/monitoring/dashboard/), as the synthesized template says it: each metric is one that
 * AWS has, or one that a filter makes of lines. The lines that filters measure are those that the code has written
 * here.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Definition, type Query, readDefinition } from "#infra/local/dashboard/definition.ts";
import { parseExpression, searchOf } from "#infra/local/dashboard/expression.ts";
import type { LogObject } from "#infra/local/dashboard/filter-pattern.ts";
import { extract } from "#infra/local/dashboard/log-metrics.ts";
import type { MetricId } from "#infra/local/dashboard/metrics.ts";
import { createReader } from "#infra/local/stack/template.ts";
import { chartWords } from "#infra/monitoring/dashboard/charts.ts";
import { createLog, type LogFields } from "#shared/base/platform/log.ts";
import { end } from "#shared/calls/tasks/end.ts";
import type { Task } from "#shared/calls/tasks/task.ts";
import { settleBatch } from "#shared/edges/jobs/settle.ts";
import { useRacing } from "#test/support/racing.ts";
import { useSemantic } from "#test/support/semantic.ts";
import { metricsOfFilter } from "#test/support/stage-parts.ts";
import { eventOf, noon, walletHold } from "#test/support/store.ts";
import { Synthesized, unbundled } from "#test/support/template.ts";

const root = new URL("../../../", import.meta.url).pathname;
const scratch = mkdtempSync(join(tmpdir(), "dashboard-test-"));
let prod: Synthesized;
let dashboard: Definition;

beforeAll(() => {
  prod = new Synthesized("prod", scratch, undefined, unbundled);
  dashboard = readDefinition(createReader({ Resources: prod.resources }));
});

afterAll(() => rmSync(scratch, { recursive: true }));

const charts = () => dashboard.sections.flatMap((section) => section.charts);
const bare = (id: string) => id.replace(/[0-9A-F]{8}$/, "");

/** The metrics that a chart draws, also through expressions; a search stands for all metrics that it finds. */
function metricsOf({ of }: Query): (MetricId | { namespace: string; name: string; by: string[] })[] {
  if ("metric" in of) return [of.metric];
  const search = searchOf(of.expression);
  return search ? [{ namespace: search.namespace, name: search.name, by: search.dimensions }] : [];
}

describe("the dashboard", () => {
  test("has every section and chart that has words, and no other", () => {
    const drawn = dashboard.sections.map((section) => [
      section.title,
      section.charts.map(({ title }) => title),
    ]);
    expect(drawn).toEqual(Object.entries(chartWords).map(([title, words]) => [title, Object.keys(words)]));
    for (const { says, unit } of charts()) {
      expect(says.length).toBeGreaterThan(20);
      expect(unit).not.toBe("");
    }
  });

  test("draws what a filter makes, and of AWS's own metrics those that it has of a resource of this stack", () => {
    const made = new Set(
      dashboard.filters.map(({ name, dimensions }) => key(name, Object.keys(Object.fromEntries(dimensions)))),
    );
    const counted = prod.all("AWS::Logs::MetricFilter").flatMap(([, filter]) => metricsOfFilter(filter));
    const known: Record<string, [dimension: string, ...names: string[]]> = {
      "AWS/Lambda": [
        "FunctionName",
        "Invocations",
        "Errors",
        "Throttles",
        "Duration",
        "ConcurrentExecutions",
      ],
      "AWS/SQS": ["QueueName", "ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible"],
      "AWS/DynamoDB": ["TableName", "ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits"],
      "AWS/Logs": ["LogGroupName", "IncomingBytes"],
      "AWS/Events": ["RuleName", "Invocations"],
    };
    const seen = charts().flatMap(({ queries }) => queries.flatMap(metricsOf));
    for (const metric of seen) {
      const by = "by" in metric ? metric.by : Object.keys(metric.dimensions);
      if (metric.namespace === "model-gateway/prod") {
        expect(made).toContain(key(metric.name, by));
        const event = "by" in metric ? undefined : metric.dimensions.event;
        if (event !== undefined) expect(counted).toContain(`${metric.name} ${event}`);
        continue;
      }
      const [dimension, ...names] = known[metric.namespace] ?? [];
      expect(names).toContain(metric.name);
      expect(by).toEqual([dimension]);
      const [resource = ""] = "by" in metric ? [] : Object.values(metric.dimensions);
      expect(prod.resources).toHaveProperty(resource);
    }
    expect(seen.length).toBeGreaterThan(60);
  });

  test("names in expressions only what it draws", () => {
    for (const { queries } of charts()) {
      for (const { of } of queries) {
        if ("metric" in of || searchOf(of.expression)) continue;
        for (const id of parseExpression(of.expression).ids)
          expect(queries.map((query) => query.id)).toContain(id);
      }
    }
  });

  test("has no dimension whose values are as many as customers or calls", () => {
    const by = dashboard.filters.flatMap(({ dimensions }) => dimensions.map(([name]) => name));
    expect([...new Set(by)].toSorted()).toEqual(["code", "event", "flags", "model", "provider", "route"]);
  });

  test("keeps the state of every alarm in sight", () => {
    const [[, { Properties }] = ["", { Properties: {} }]] = prod.all("AWS::CloudWatch::Dashboard");
    const shown = JSON.stringify(Properties).match(/"Alarms\w+[0-9A-F]{8}","Arn"/g);
    expect(shown).toHaveLength(prod.all("AWS::CloudWatch::Alarm").length);
  });
});

const key = (name: string, by: readonly string[]) => [name, ...by.toSorted()].join(" by ");

describe("a filter", () => {
  const racing = useRacing();
  const semantic = useSemantic();
  /** The lines that the code has written, by the log group that they would be in. */
  const written: Record<string, LogObject[]> = {
    GatewayLogs: [],
    SettleLogs: [],
    SweepLogs: [],
    VideoTaskLogs: [],
  };
  const write = (group: string) =>
    createLog((line) => void written[group]?.push(JSON.parse(line) as LogObject));
  const keep = (logs: readonly { event: string; fields: LogFields }[]) => {
    for (const { event, fields } of logs) write("GatewayLogs")("info", event, fields);
  };

  test("is given lines of calls: answered, raced, failed over, refused, failed", async () => {
    const { memory, clock: at } = racing;
    await racing.stream({ at });
    racing.silent("north");
    await racing.stream({ at });
    racing.fails("north", 503);
    const order = { "x-gateway-route": "order=north,south" };
    for (let faults = 0; faults < 3; faults++) await racing.chat({ at, headers: order });
    await racing.chat({ headers: { authorization: "Bearer sk-payg-unknown" } });
    for (const name of ["north", "south", "west"] as const) racing.fails(name, 401);
    await racing.chat();
    memory.admission = new Error("nobody expected this");
    await racing.chat();
    keep(memory.logs);
    const events = new Set(memory.logs.map(({ event }) => event));
    const all = [
      "call",
      "race_lost",
      "upstream_failed",
      "channel_opened",
      "refused",
      "call_failed",
      "internal",
    ];
    expect([...events]).toEqual(expect.arrayContaining([...all, "provider_account_refused"]));
  });

  test("is given lines of the cache's levels, and of the models that it asks", async () => {
    await semantic.prepare("What does the Federal Reserve do?");
    await semantic.wish("what does the federal reserve do?");
    for (let again = 0; again < 2; again++) await semantic.cached("openai");
    keep(semantic.memory.logs);
    semantic.memory.deps.catalog = { ...semantic.memory.deps.catalog, cacheModels: () => undefined };
    await semantic.wish("Who was first?");
    await semantic.wish("who was first");
    keep(semantic.memory.logs.slice(-1));
    const levels = written.GatewayLogs?.map(({ flags }) => flags).filter((flags) =>
      String(flags).startsWith("cache"),
    );
    expect(levels).toEqual(["cache_semantic", "cache_exact", "cache_canonical"]);
  });

  test("is given lines of settling and of a video", async () => {
    const event = { ...eventOf(walletHold("mtr_1", "1"), "0.5"), ended_at: noon };
    const add = async () => undefined as never;
    const ports = {
      ledger: { record: async () => ["recorded" as const] },
      boards: { add },
      statistics: { add },
    };
    await settleBatch([{ id: "1", body: JSON.stringify(event) }], {
      ...(ports as unknown as Omit<Parameters<typeof settleBatch>[1], "log" | "now">),
      log: write("SettleLogs"),
      now: () => noon + 1_500,
    });
    expect(written.SettleLogs).toMatchObject([{ event: "settled", count: 1, lag_ms: 1_500 }]);
    const price = { mode: "per_second", by_resolution: { "720p": "0.1" } };
    const task = {
      ...{ id: "task_01KAJ2X5P0000000000000000A", model: "test/video-1", organization: "org_1", project: "" },
      ...{ key: "key_1", user: null, resolution: "720p", duration: 5, created_at: noon, upstream: undefined },
      price: { version: "v", price, discount_rate: "1" },
      hold: { mode: "payg", meter: "mtr_1", shard: 0, points: 10n ** 18n },
    } as unknown as Task;
    const tasks = { settle: async () => ({ done: true, task }) } as unknown as Parameters<
      typeof end
    >[2]["tasks"];
    const video = { url: "https://example.com/v.mp4", seconds: 5, resolution: "720p" } as never;
    await end(task, { status: "succeed", video }, { tasks, log: write("VideoTaskLogs"), now: () => noon });
    expect(written.VideoTaskLogs).toMatchObject([
      { event: "task_settled", model: "test/video-1", points: 0.5 },
    ]);
  });

  test("is given lines of the sweep's function", async () => {
    const [none, holds] = [new Map(), new Map([["req_01KAJ2X5P0000000000000000A", {}]])];
    const deps = {
      ...{ log: write("SweepLogs"), now: () => 0 },
      ...{ catalog: { models: () => [] }, records: { all: async () => [] } },
      meters: {
        passState: async () => ({ every_at: 0 }),
        meterPages: async function* () {
          yield { meters: [{ mode: "payg", shard: 1, holds, seized: none, tasks: none, opened: 1 }] };
        },
      },
      seals: { places: () => Readable.from([{ organization: "org_1", project: "" }]) },
      ledger: { seal: async () => ({ day: "9", month: "9" }) },
      accounts: { organizations: async function* () {} },
      tasks: { everyOpen: async function* () {}, open: async function* () {} },
    };
    vi.doMock("../../../functions/sweep-deps.ts", () => ({ sweepDeps: () => deps }));
    vi.doMock("#shared/calls/tasks/repair.ts", () => ({
      repairTasks: async () => ({}),
      repairTask: async () => undefined,
    }));
    const { handler } = await import("../../../functions/sweep.ts");
    const context = { getRemainingTimeInMillis: () => 300_000 } as never;
    for (const event of [{}, { seal: true }]) await handler(event, context);
    expect(written.SweepLogs).toMatchObject([
      { event: "swept", count: 0, holds: 1 },
      { event: "sealed", count: 1 },
    ]);
  });

  test("that measures something finds it in a line that the code has written", () => {
    const measuring = dashboard.filters.filter(
      ({ name, value, dimensions }) =>
        value.startsWith("$") || (dimensions.length > 0 && !/^(lines|log_\w+)$/.test(name)),
    );
    const found = measuring.map((filter) => {
      const lines = written[bare(filter.logGroup)] ?? [];
      return [filter.name, bare(filter.logGroup), lines.some((line) => extract(line, [filter]).length > 0)];
    });
    // The worker of videos has the filter of calls too, because points of both are one metric, and the sweep has both.
    const elsewhere = ["points SweepLogs", "cache_model_tokens LearnerLogs"];
    expect(found.filter(([name, group, some]) => !some && !elsewhere.includes(`${name} ${group}`))).toEqual(
      [],
    );
    expect(found.length).toBeGreaterThan(12);
  });

  test("counts what the code has written", () => {
    const counted = (name: string) => {
      const values = dashboard.filters.flatMap((each) =>
        (written[bare(each.logGroup)] ?? []).flatMap((line) => extract(line, [each])),
      );
      return values.filter((each) => (each.dimensions.event ?? each.name) === name);
    };
    for (const name of [
      "call",
      "race_lost",
      "several_attempts",
      "cache_exact",
      "cache_canonical",
      "cache_semantic",
    ])
      expect(counted(name).length, name).toBeGreaterThan(0);
    const errors = counted("errors").map(({ dimensions }) => `${dimensions.code} ${dimensions.route}`);
    expect(new Set(errors)).toEqual(
      new Set(["40101", "50001", "50000"].map((code) => `${code} /v1/chat/completions`)),
    );
    expect(counted("first_byte_ms").some(({ dimensions }) => dimensions.provider === "south")).toBe(true);
  });

  test("by the name of an event names one that the code logs", () => {
    const sources = ["shared", "functions"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(join(root, folder, file), "utf8")),
    );
    const logged = new Set(
      sources.flatMap((text) =>
        [...text.matchAll(/log\(\s*"(?:info|warn|error)",\s*"(\w+)"/g)].map(([, event = ""]) => event),
      ),
    );
    const named = prod
      .all("AWS::Logs::MetricFilter")
      .flatMap(([, { Properties }]) => [...Properties.FilterPattern.matchAll(/\$\.event = "(\w+)"/g)])
      .map(([, event]) => event);
    expect([...new Set(named)].filter((event) => !logged.has(event))).toEqual([]);
  });
});
