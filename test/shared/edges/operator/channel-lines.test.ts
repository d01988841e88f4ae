/** What operators are shown of a model's channels: the states by which calls are ordered, and the board's counts. */
import { describe, expect, test } from "vitest";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { type Board, type ChannelCounts, windowMs } from "#shared/calls/routing/board.ts";
import { bucketOf, buckets } from "#shared/calls/routing/histogram.ts";
import type { ChannelAct } from "#shared/calls/routing/taken-out.ts";
import { laneOf } from "#shared/calls/routing/witness.ts";
import { historyOf, linesOf, witnessesOf } from "#shared/edges/operator/channel-lines.ts";
import { testCatalog } from "#test/support/memory.ts";

/** The start of a window. */
const now = 1_000_000 * 8 * windowMs;
const minuteMs = 60_000;
const names = ["north", "south", "west", "east"];
const base = testCatalog("https://host.example") as { providers: { test: object }; models: { id: string }[] };
const model = createCatalog(
  parseCatalog({
    ...base,
    providers: {
      ...base.providers,
      ...Object.fromEntries(
        names.map((name) => [name, { ...base.providers.test, secret: `${name.toUpperCase()}_KEY` }]),
      ),
    },
    models: base.models.map((each) =>
      each.id === "test/model-1"
        ? { ...each, channels: names.map((provider) => ({ provider, model: "upstream-model" })) }
        : each,
    ),
  }),
).find("test/model-1");
if (!model) throw new Error("the catalog has no model");
const [north = "", south = "", west = "", east = ""] = model.channels.map(({ id }) => id);
const keys = new Set(names.map((name) => `${name.toUpperCase()}_KEY`));

/** Answers whose first bytes took so long, in the lane of a witness. */
function timed(ms: number, answers: number, more: Partial<ChannelCounts> = {}): Partial<ChannelCounts> {
  const first_byte = Array<number>((laneOf("zzzz") ?? 0) * buckets + buckets).fill(0);
  first_byte[(laneOf("zzzz") ?? 0) * buckets + bucketOf(ms)] = answers;
  return { answers, first_byte, ...more };
}
const boardOf = (channels: Record<string, Partial<ChannelCounts>>, more: Partial<Board> = {}): Board => ({
  ...{ read_at: now, windows: [{ start: now - windowMs, channels }], states: {} },
  ...more,
});
const recordOf = (channel: string, ...acts: ChannelAct[]) => {
  const record = { channel, provider: "p", name: "n", models: ["test/model-1"], revision: 1, acts };
  return new Map([[channel, record]]);
};
const left: ChannelAct = { what: "left", at: now - minuteMs, by: "ops", why: "wrong answers" };
const statesOf = (board: Board, more: Partial<Parameters<typeof linesOf>[1]> = {}) =>
  linesOf({ model, board }, { keys, records: new Map(), now, ...more }).map(({ state, until }) => [
    state,
    until,
  ]);
const at = (ms: number) => new Date(ms).toISOString();

describe("a state", () => {
  test("is what a call of somebody who has seen nothing would find", () => {
    const steady = timed(400, 40);
    const board = boardOf(
      { [north]: steady, [south]: steady, [west]: timed(8_000, 40), [east]: { ...steady, faults: 40 } },
      {
        states: {
          [north]: { level: 1, open_until: now + 5_000 },
          [south]: { level: 0, limited_until: now + 9_000 },
        },
      },
    );
    expect(statesOf(board)).toEqual([
      ["open", at(now + 5_000)],
      ["limited", at(now + 9_000)],
      ["slow", null],
      ["flaky", null],
    ]);
  });

  test("of one that is open for a single organization is good, and one that waits for its probe has no end", () => {
    const open = { level: 1, open_until: now - 1 };
    const states = { [north]: { ...open, only_for: "zzzz" }, [south]: open };
    expect(statesOf(boardOf({}, { states }))).toEqual([
      ["good", null],
      ["open", null],
      ["good", null],
      ["good", null],
    ]);
  });

  test("says that a key is not set, or that it is taken out, by record or by board", () => {
    const board = boardOf({}, { taken_out: { [west]: { until: now + 1 }, [east]: { until: now } } });
    const some = new Set([...keys].filter((key) => key !== "SOUTH_KEY"));
    expect(statesOf(board, { keys: some, records: recordOf(north, left) })).toEqual([
      ["taken_out", null],
      ["no_key", null],
      ["taken_out", at(now + 1)],
      ["good", null],
    ]);
    const [line] = linesOf({ model, board }, { keys, records: recordOf(north, left), now });
    expect(line?.taken_out).toEqual({ by: "ops", at: at(now - minuteMs), why: "wrong answers" });
    const back: ChannelAct = { what: "returned", at: now, by: "ops" };
    expect(statesOf(boardOf({}), { records: recordOf(north, left, back) })[0]).toEqual(["good", null]);
  });

  test("of the others is judged without one that is taken out", () => {
    const board = boardOf({
      [north]: timed(300, 400),
      [south]: timed(3_000, 40),
      [west]: timed(3_000, 40),
      [east]: timed(3_000, 40),
    });
    expect(statesOf(board).map(([state]) => state)).toEqual(["good", "slow", "slow", "slow"]);
    expect(statesOf(board, { records: recordOf(north, left) }).map(([state]) => state)).toEqual([
      ...["taken_out", "good", "good", "good"],
    ]);
  });
});

describe("counts", () => {
  const windows = [
    { start: now - 19 * minuteMs, channels: { [north]: timed(5_000, 1, { limited: 2 }) } },
    { start: now - 2 * minuteMs - windowMs, channels: { [north]: timed(5_000, 1, { faults: 4 }) } },
    { start: now - 2 * minuteMs, channels: { [north]: timed(500, 20), [south]: { answers: 7 } } },
  ];
  const board = boardOf({}, { windows });

  test("are those of the last 2 and 20 minutes", () => {
    const [line] = linesOf({ model, board }, { keys, records: new Map(), now });
    expect(line?.last_2_minutes).toMatchObject({ answers: 20, faults: 0, limited: 0 });
    expect(line?.last_20_minutes).toMatchObject({ answers: 22, faults: 4, limited: 2 });
    // The bucket of 500 ms is that from 410 to 655 ms.
    expect(line?.last_2_minutes.first_byte_p95_ms).toBeLessThanOrEqual(655);
    expect(line?.last_20_minutes.first_byte_p95_ms).toBeGreaterThan(655);
    expect(linesOf({ model, board }, { keys, records: new Map(), now })[2]?.last_2_minutes).toEqual({
      ...{ answers: 0, faults: 0, limited: 0, first_byte_p50_ms: null, first_byte_p95_ms: null },
    });
  });

  test("are a history of ten rows, of which empty ones are left out, that add up to the whole", () => {
    const history = historyOf(board, north, now);
    expect(history.map(({ from, answers }) => [from, answers])).toEqual([
      [at(now - 20 * minuteMs), 1],
      [at(now - 4 * minuteMs), 1],
      [at(now - 2 * minuteMs), 20],
    ]);
  });

  test("of faults tell how many each organization has seen, and not which one it is", () => {
    const seen = boardOf({ [north]: { faults: 9, seen_by: { aaaa: 2, bbbb: 5 } } });
    expect(witnessesOf(seen, north)).toEqual({
      faults: 9,
      of_organizations: [5, 2],
      without_witness: 2,
      // The loudest counts no more than the next one.
      count_for_others: 6,
    });
    expect(JSON.stringify(witnessesOf(seen, north))).not.toMatch(/aaaa|bbbb/);
  });
});
