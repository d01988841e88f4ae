/** Exports to a collector, also one that fails or hangs. A log line tells what was lost, and nobody waits for long. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { bounds } from "#shared/calls/telemetry/bounds.ts";
import { createExporter } from "#shared/calls/telemetry/exporter.ts";
import { type Collector, startCollector, tellTo } from "#test/support/collector.ts";

let collector: Collector;
let lines: { event: string; count?: number; error?: string }[];
let clock: number;
/** Where nobody listens. */
let nowhere: string;

beforeAll(async () => {
  const gone = await startCollector();
  nowhere = gone.url;
  await gone.stop();
  collector = await startCollector();
});
afterAll(() => collector.stop());
beforeEach(() => {
  collector.reset();
  lines = [];
  clock = Date.now();
});

const exporterTo = (endpoint: string, headers?: () => Promise<Record<string, string>>) =>
  createExporter(
    { endpoint, headers },
    { fetch, log: (_, event, fields) => void lines.push({ event, ...fields }), now: () => clock },
  );
const spans = { signal: "traces", body: "{}", count: 3 } as const;

describe("an export", () => {
  it("goes to the path of its signal, with the collector's headers", async () => {
    const exporter = exporterTo(collector.url, async () => ({ authorization: "Bearer 1" }));
    await exporter(spans);
    await exporter({ signal: "metrics", body: "[]", count: 1 });
    expect(collector.received.map(({ path, text }) => [path, text])).toEqual([
      ["/v1/traces", "{}"],
      ["/v1/metrics", "[]"],
    ]);
    expect(collector.received[0]?.headers).toMatchObject({
      authorization: "Bearer 1",
      "content-type": "application/json",
    });
    expect(lines).toEqual([]);
  });

  it.each([
    ['{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no"}}', 2],
    ['{"partialSuccess":{"rejectedDataPoints":1}}', 1],
  ])("that is taken in part says how much was not: %s", async (body, count) => {
    collector.on((response) => response.end(body));
    await exporterTo(collector.url)(spans);
    expect(lines).toEqual([{ event: "telemetry_lost", count, error: "the collector rejected them" }]);
  });

  it.each(["", "{}", "ok", '{"partialSuccess":{}}', "null"])(
    "that is answered with %j is taken",
    async (body) => {
      collector.on((response) => response.end(body));
      await exporterTo(collector.url)(spans);
      expect(lines).toEqual([]);
    },
  );
});

describe("a collector", () => {
  it.each([
    ["that is not there", () => nowhere, "ECONNREFUSED"],
    ["that answers 503", () => collector.url, "the collector answered 503"],
  ])("%s loses what it should get, and the line says why", async (_, endpoint, why) => {
    collector.on((response) => response.writeHead(503).end());
    await exporterTo(endpoint())(spans);
    expect(lines).toEqual([{ event: "telemetry_lost", count: 3, error: expect.stringContaining(why) }]);
  });

  it.each([
    ["hangs", () => {}],
    ["begins an answer, and hangs", (response: { write(text: string): unknown }) => response.write("{")],
  ])("that %s is waited for as long as an export may take, and no longer", async (_, handler) => {
    collector.on(handler);
    const began = performance.now();
    await exporterTo(collector.url)(spans);
    const took = performance.now() - began;
    expect(took).toBeGreaterThanOrEqual(bounds.exportMs - 5);
    expect(lines).toEqual([
      {
        event: "telemetry_lost",
        count: 3,
        error: `Error: no answer of the collector within ${bounds.exportMs} ms`,
      },
    ]);
  });

  it("is left alone for a while after a failure, and what is lost then is counted with the next one", async () => {
    collector.on((response) => response.writeHead(500).end());
    const exporter = exporterTo(collector.url);
    await exporter(spans);
    clock += bounds.restMs - 1;
    await exporter(spans);
    await exporter(spans);
    expect(collector.received).toHaveLength(1);
    clock += 1;
    await exporter(spans);
    expect(collector.received).toHaveLength(2);
    expect(lines.map(({ count }) => count)).toEqual([3, 9]);
  });

  it("that has come back is told from then on, and the line says what was lost meanwhile", async () => {
    collector.on((response) => response.writeHead(500).end());
    const exporter = exporterTo(collector.url);
    await exporter(spans);
    await exporter(spans);
    collector.reset();
    clock += bounds.restMs;
    await exporter(spans);
    await exporter(spans);
    expect(collector.received).toHaveLength(2);
    expect(lines.map(({ count, error }) => [count, error])).toEqual([
      [3, "the collector answered 500"],
      [3, "the collector was left alone after a failure"],
    ]);
  });

  it("whose headers cannot be read gets nothing, and the line tells no header", async () => {
    const exporter = exporterTo(collector.url, async () => {
      throw new Error("the telemetry secret is no JSON object of header names and values");
    });
    await exporter(spans);
    expect(collector.received).toEqual([]);
    expect(lines).toHaveLength(1);
  });

  it("whose headers never come is not waited for either", async () => {
    await exporterTo(collector.url, () => new Promise(() => {}))(spans);
    expect(lines).toHaveLength(1);
    expect(collector.received).toEqual([]);
  });
});

describe("the secret of the headers", () => {
  const tell = (text: string) => {
    const { tracing } = tellTo(collector.url, {
      readHeaders: async () => text,
      log: (_, event, fields) => void lines.push({ event, ...fields }),
    });
    const request = {
      id: newId("request", clock),
      method: "GET",
      path: "/",
      headers: {},
      received_at: clock,
    };
    return tracing.begin(request, { path: "/" })?.finish({ status: 200, headers: {} }, clock);
  };

  it("is a JSON object, around whose values space does not matter", async () => {
    await tell('{"x-api-key":" hidden\\n","x-count":1}');
    expect(collector.received[0]?.headers["x-api-key"]).toBe("hidden");
    expect(lines).toEqual([]);
  });

  it.each(["hidden", '["hidden"]', '{"x-key":"hid\\nden"}', '{"x key hidden":"1"}'])(
    "that is wrong is in no log line: %s",
    async (text) => {
      await tell(text);
      expect(collector.received).toEqual([]);
      expect(lines).toMatchObject([{ event: "telemetry_lost", count: 1 }]);
      expect(JSON.stringify(lines)).not.toMatch(/hid|den/);
    },
  );
});
