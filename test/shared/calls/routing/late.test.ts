/** What is late, and what may be raced, by what the board has counted. */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { type Board, type ChannelCounts, windowMs } from "#shared/calls/routing/board.ts";
import { added, histogramOf, merge } from "#shared/calls/routing/histogram.ts";
import { lateAfter, mayRace } from "#shared/calls/routing/late.ts";

/** Six seconds into a window. */
const now = 1_000_000 * windowMs + 6_000;
const first = now - 6_000;

type Channels = Record<string, Partial<ChannelCounts>>;
/** The newest window comes first. */
const board = (...windows: Channels[]): Board => ({
  read_at: now,
  windows: windows.map((channels, at) => ({ start: first - at * windowMs, channels })).reverse(),
  states: {},
});
const times = (...all: number[]): Partial<ChannelCounts> => ({
  answers: all.length,
  first_byte: all.map((ms) => histogramOf(ms)).reduce((sum, each) => merge(sum, each), [] as number[]),
});
const many = (ms: number, count = 40) => times(...Array.from({ length: count }, () => ms));
const plain = { reasons: false };

describe("a stream is late", () => {
  test("after four times the median of its channel", () => {
    const late = lateAfter(board({ a: many(600), b: many(600) }), "a", plain);
    expect(late).toBeGreaterThan(4 * 500);
    expect(late).toBeLessThan(4 * 800);
    expect(lateAfter(board({ a: many(600, 10) }, { a: many(600, 10) }), "a", plain)).toBe(
      lateAfter(board({ a: many(600, 20) }), "a", plain),
    );
  });

  test("never before a second and a half, and at the latest when the next channel would be asked anyway", () => {
    expect(lateAfter(board({ a: many(90) }), "a", plain)).toBe(limits.raceMinMs);
    const latest = lateAfter(board({ a: many(20_000) }), "a", plain);
    expect(latest).toBeGreaterThan(50_000);
    expect(latest).toBeLessThanOrEqual(limits.raceMaxMs);
    expect(limits.raceMaxMs).toBe(limits.upstreamFailoverMs);
  });

  test("by what all channels take, where its own has become slow or has not been measured", () => {
    const all = { b: many(600, 200), c: many(600, 200) };
    const usual = lateAfter(board(all), "b", plain);
    for (const a of [many(8_000), many(600, 5)]) {
      const times = lateAfter(board({ ...all, a }), "a", plain) / usual;
      expect(times).toBeGreaterThan(1.9);
      expect(times).toBeLessThan(2.2);
    }
  });

  test("after ten seconds where nobody has been measured, and a model that reasons after thirty", () => {
    for (const empty of [board(), board({ a: many(600, 19) })]) {
      expect(lateAfter(empty, "a", plain)).toBe(10_000);
      expect(lateAfter(empty, "a", { reasons: true })).toBe(30_000);
    }
  });

  test("by the times of all, and not by those of one that has most of them, whose lane the caller may share", () => {
    const evil = Array.from({ length: 900 }).reduce<number[]>(
      (sum) => added(sum, histogramOf(20_000, 6)),
      [],
    );
    const of = (others: number) =>
      board({ a: { answers: 900 + others, first_byte: added(many(600, others).first_byte ?? [], evil) } });
    // "6" is a name in the lane of those times.
    for (const witness of [undefined, "6"])
      expect(lateAfter(of(40), "a", plain, witness)).toBeLessThan(4 * 800);
    // Where others have measured little, the lane may be that of the only large organization.
    expect(lateAfter(of(10), "a", plain, "6")).toBeGreaterThan(20_000);
  });

  test("of a model that reasons after twice what nearly all take", () => {
    const thinks = times(...Array.from({ length: 40 }, (_, at) => (at < 2 ? 6_000 : 600)));
    expect(lateAfter(board({ a: thinks }), "a", { reasons: true })).toBeGreaterThan(2 * 4_000);
    expect(lateAfter(board({ a: thinks }), "a", plain)).toBeLessThan(4_000);
  });

  test("after what the catalog says, whatever was measured", () => {
    expect(lateAfter(board({ a: many(600) }), "a", { ...plain, first_byte_ms: 700 })).toBe(700);
  });
});

describe("a late stream may be raced", () => {
  test("while races are at most one in twenty of the model's answers", () => {
    const counts = (raced: number) => board({ a: { answers: 60 }, b: { answers: 40, raced } });
    expect(mayRace(counts(5), "a", now)).toBe(true);
    expect(mayRace(counts(6), "a", now)).toBe(false);
    expect(mayRace(board(), "a", now)).toBe(true);
    expect(mayRace(board({ a: { raced: 1 } }), "a", now)).toBe(false);
  });

  test("of which one organization's count for no other beyond those of the next", () => {
    const races = (raced_by: Record<string, number>) =>
      board({
        a: { answers: 100, raced: Object.values(raced_by).reduce((sum, each) => sum + each, 0), raced_by },
      });
    expect(mayRace(races({ evil: 90 }), "a", now, "good")).toBe(true);
    expect(mayRace(races({ evil: 90 }), "a", now, "evil")).toBe(false);
    expect(mayRace(races({ evil: 90, good: 2 }), "a", now, "good")).toBe(true);
    expect(mayRace(races({ evil: 90, good: 3 }), "a", now, "good")).toBe(false);
  });

  test("without that bound where its channel has failed and answers nothing", () => {
    const spent = { b: { answers: 40, raced: 40 } };
    expect(mayRace(board({ ...spent, a: { faults: 1 } }), "a", now)).toBe(true);
    expect(mayRace(board({ ...spent, a: { faults: 9, answers: 1 } }), "a", now)).toBe(false);
  });

  test("where its channel has fallen silent, but not where it seldom answers", () => {
    const spent = { b: { answers: 40, raced: 40 } };
    const busy = { a: { answers: 30 } };
    expect(mayRace(board(spent, busy, busy), "a", now)).toBe(true);
    expect(mayRace(board({ ...spent, a: { answers: 1 } }, busy, busy), "a", now)).toBe(false);
    expect(mayRace(board(spent, { a: { answers: 2 } }, { a: { answers: 1 } }), "a", now)).toBe(false);
  });

  test("where its channel has fallen silent in a window that has just begun, only if it was so before", () => {
    const spent = { b: { answers: 40, raced: 40 } };
    const busy = { a: { answers: 30 } };
    expect(mayRace(board(spent, busy, busy), "a", first + 2_000)).toBe(false);
    expect(mayRace(board(spent, spent, busy, busy), "a", first + 2_000)).toBe(true);
  });
});
