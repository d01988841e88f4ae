/** Where spans go: at once from a function, gathered from a server. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bounds } from "#shared/calls/telemetry/bounds.ts";
import type { Export } from "#shared/calls/telemetry/exporter.ts";
import type { Span } from "#shared/calls/telemetry/otlp.ts";
import { sendAtOnce, sendInBatches } from "#shared/calls/telemetry/sinks.ts";

const teller = { resource: {}, scope: { name: "s", version: "1" }, schemaUrl: "https://example.com" };
let exported: number[];
let held: PromiseWithResolvers<void> | undefined;
let lines: { event: string; count?: number }[];

beforeEach(() => {
  vi.useFakeTimers();
  exported = [];
  held = undefined;
  lines = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const exporter = async ({ count }: Export) => {
  exported.push(count);
  await held?.promise;
};
const batches = () =>
  sendInBatches(teller, exporter, { log: (_, event, fields) => void lines.push({ event, ...fields }) });
const spans = (count: number): Span[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ traceId: "a".repeat(32), spanId: String(at).padStart(16, "0"), parent: undefined, state: undefined },
    ...{ name: "n", kind: "server", start: 1, end: 2, attributes: {}, failed: false },
  }));

it("a function has sent the spans of a call when the call may end", async () => {
  held = Promise.withResolvers();
  let given = false;
  const giving = sendAtOnce(teller, exporter)
    .give(spans(2))
    .then(() => (given = true));
  await vi.advanceTimersByTimeAsync(0);
  expect([exported, given]).toEqual([[2], false]);
  held.resolve();
  await giving;
  expect(given).toBe(true);
});

describe("a server", () => {
  it("waits for nothing, and sends the spans of many calls together after a second", async () => {
    const sink = batches();
    await sink.give(spans(2));
    await sink.give(spans(3));
    await vi.advanceTimersByTimeAsync(bounds.batchMs - 1);
    expect(exported).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(exported).toEqual([5]);
  });

  it("sends at once when there are many, and never two bodies at a time", async () => {
    held = Promise.withResolvers();
    const sink = batches();
    await sink.give(spans(bounds.batchSpans + 1));
    await sink.give(spans(bounds.batchSpans));
    expect(exported).toEqual([bounds.batchSpans]);
    held.resolve();
    await sink.flush();
    expect(exported).toEqual([bounds.batchSpans, bounds.batchSpans, 1]);
  });

  it("keeps so many at most, and says how many were lost", async () => {
    held = Promise.withResolvers();
    const sink = batches();
    await sink.give(spans(bounds.batchSpans));
    await sink.give(spans(bounds.spansMax - 1));
    await sink.give(spans(2));
    await sink.give(spans(1));
    await sink.give(spans(4));
    held.resolve();
    await sink.flush();
    expect(exported.reduce((sum, count) => sum + count, 0)).toBe(bounds.batchSpans + bounds.spansMax);
    expect(lines).toMatchObject([{ event: "telemetry_lost", count: 6 }]);
  });

  it("has sent everything when it is told to end, and nothing comes later", async () => {
    const sink = batches();
    await sink.give(spans(2));
    await sink.flush();
    await vi.advanceTimersByTimeAsync(bounds.batchMs * 2);
    expect(exported).toEqual([2]);
    await sink.flush();
    expect(exported).toEqual([2]);
  });
});
