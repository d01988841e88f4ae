/** What readings of shards say for certain, while calls are charged and points and parts move: by random histories. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bothUses, certainUse } from "#shared/books/meters/certain.ts";
import type { Held } from "#shared/books/meters/hold.ts";
import { budgetUses, type CertainUse, type Meter } from "#shared/books/meters/meter.ts";

type ReadItem = Parameters<typeof certainUse>[0][number];

const counter = "O:bm202611";

/** A shard's item as it is between two events. */
interface Shard {
  granted: bigint;
  used: bigint;
  credits: bigint;
  taken: bigint;
  moves: number;
  held: bigint;
}

const event = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constantFrom("read"), shard: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constantFrom("hold", "settle", "credit"),
      shard: fc.nat(3),
      points: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constantFrom("part", "points"),
      shard: fc.nat(3),
      to: fc.nat(3),
      points: fc.integer({ min: 1, max: 9 }),
    }),
  },
);

type Event = { what: string; shard: number; points?: number; to?: number };

/** What an event changes, but a reading. */
function happens({ what, points: many = 0 }: Event, shard: Shard, other: Shard): void {
  const points = BigInt(many);
  if (what === "hold") {
    shard.taken += points;
    shard.held += points;
  } else if (what === "settle") {
    // A call costs at most what it held.
    const cost = shard.held < points ? shard.held : points;
    shard.taken += cost - shard.held;
    shard.held = 0n;
    shard.used += cost;
  } else if (what === "credit") {
    shard.granted += points;
    shard.credits += 1n;
  } else if (shard === other) {
    // Nothing moves to where it is.
  } else if (what === "points") {
    shard.granted -= points;
    other.granted += points;
  } else {
    shard.taken += points;
    other.taken -= points;
    shard.moves += 1;
    other.moves += 1;
  }
}

/** An item as it is read. */
function itemOf({ granted, used, credits, moves, taken, held }: Shard): ReadItem {
  const hold = { points: 0n, budgets: [{ counter, points: held }] } as unknown as Held;
  const item = { granted, used, credits, moves, budgets: new Map([[counter, taken]]) };
  return { ...item, holds: new Map([["req_1", hold]]), seized: new Map(), tasks: new Map() };
}

/** Plays events on four shards. Each reading reads every shard once, in the order of the events. */
function played(events: Event[]) {
  const shards: Shard[] = Array.from({ length: 4 }, () => ({
    ...{ granted: 100n, used: 0n, credits: 1n, taken: 0n, moves: 0, held: 0n },
  }));
  const sum = (amount: (each: Shard) => bigint) => shards.reduce((all, each) => all + amount(each), 0n);
  const readings: ReadItem[][] = [];
  const truth: { spent: bigint; used: bigint }[] = [];
  let reading = new Map<number, ReadItem>();
  for (const event of events) {
    const [shard, other] = [shards[event.shard], shards[event.to ?? event.shard]];
    if (!shard || !other) continue;
    if (event.what !== "read") happens(event, shard, other);
    else if (!reading.has(event.shard)) reading.set(event.shard, itemOf(shard));
    if (reading.size < shards.length) continue;
    readings.push(shards.map((_, at) => reading.get(at) as ReadItem));
    truth.push({ spent: sum(({ taken, held }) => taken - held), used: sum(({ used }) => used) });
    reading = new Map();
  }
  return { readings, truth };
}

test("what is said to be spent is spent, whatever moves while the shards are read", () => {
  let [said, moved] = [0, 0];
  fc.assert(
    fc.property(fc.array(event, { minLength: 20, maxLength: 120 }), (events) => {
      const { readings, truth } = played(events);
      let use: CertainUse | undefined;
      for (let at = 1; at < readings.length; at++) {
        const [before = [], after = []] = [readings[at - 1], readings[at]];
        const next = certainUse(before, after);
        use = use ? bothUses(use, next) : next;
        const spent = use.spent?.get(counter);
        if (spent === undefined) continue;
        said += 1;
        if (after.some(({ moves }, shard) => moves !== before[shard]?.moves)) moved += 1;
        expect(spent).toBeLessThanOrEqual(truth[at]?.spent ?? 0n);
        expect(use.used).toBeLessThanOrEqual(truth[at]?.used ?? 0n);
      }
    }),
    { numRuns: 2_000 },
  );
  // It does say something, also where parts have moved.
  expect(said).toBeGreaterThan(500);
  expect(moved).toBeGreaterThan(100);
});

test("where nothing moves, all of it is said", () => {
  const still = event.filter(({ what }) => what === "read" || what === "settle" || what === "hold");
  fc.assert(
    fc.property(fc.array(still, { minLength: 40, maxLength: 120 }), (events) => {
      const { readings, truth } = played(events);
      const [before, after] = readings.slice(-2);
      if (!before || !after) return;
      const use = certainUse(before, after);
      expect(use.granted).toBe(400n);
      expect(use.spent?.get(counter)).toBe(budgetUses(after as Meter[]).get(counter)?.spent);
      expect(use.spent?.get(counter)).toBeLessThanOrEqual(truth.at(-1)?.spent ?? 0n);
    }),
  );
});

test("a sum of credits is said only where no points moved between two readings", () => {
  const { readings } = played([
    ...[0, 1, 2, 3].map((shard) => ({ what: "read", shard })),
    { what: "points", shard: 0, to: 1, points: 5 },
    ...[0, 1, 2, 3].map((shard) => ({ what: "read", shard })),
    ...[0, 1, 2, 3].map((shard) => ({ what: "read", shard })),
  ]);
  const [first = [], second = [], third = []] = readings;
  expect(certainUse(first, second).granted).toBeUndefined();
  expect(certainUse(second, third).granted).toBe(400n);
  // What an earlier pair has said holds as long as the credits are the same.
  expect(bothUses(certainUse(second, third), certainUse(first, second)).granted).toBe(400n);
});
