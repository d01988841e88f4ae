/** The oracle through the real store: random events, late and corrected, seals at random instants, random ranges. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { type Books, eventAt, expectReport, openBooks, rollupGaps } from "#test/support/books.ts";
import { useStores } from "#test/support/stores.ts";

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse("2025-12-20T00:00:00Z");
const days = 75;
const seed = 20261121;

const { db } = useStores();

/** A call: when it was admitted, how long after it was posted, and by an estimate of the sweeper's first or not. */
const calls = fc.record({
  at: fc.integer({ min: start, max: start + days * day }),
  delay: fc.oneof(
    { weight: 6, arbitrary: fc.constant(1000) },
    { weight: 1, arbitrary: fc.integer({ min: 1000, max: 40 * day }) },
  ),
  guessed: fc.boolean(),
  model: fc.constantFrom("acme/one", "acme/two#x", "other/three"),
  project: fc.constantFrom("", "alpha", "beta"),
  owner: fc.integer({ min: 0, max: 1 }),
  cost: fc.integer({ min: 0, max: 999 }),
});

type Call = typeof calls extends fc.Arbitrary<infer Value> ? Value : never;

const ranges = fc.record({
  from: fc.integer({ min: start - day, max: start + days * day }),
  length: fc.oneof(fc.integer({ min: 0, max: 3 * day }), fc.integer({ min: 0, max: days * day })),
  project: fc.constantFrom("", "alpha", "beta"),
  owner: fc.integer({ min: 0, max: 1 }),
});

/** What is posted of a call, and when. */
function postingsOf(call: Call, owners: Books[]) {
  const books = owners[call.owner] as Books;
  const event = eventAt(books.organization, call.at, {
    model: call.model,
    project: call.project,
    cost_points: `0.${String(call.cost).padStart(3, "0")}`,
    calls: call.cost % 7 === 0 ? 0 : 1,
  });
  const guess: UsageEvent = { ...event, usage: noUsage, cost_points: "0.5", calls: 1, source: "sweeper" };
  const at = call.at + call.delay;
  return call.guessed && call.delay > hour
    ? [
        { books, event: guess, at: call.at + hour },
        { books, event, at },
      ]
    : [{ books, event, at }];
}

test("every report equals the sum of its entries, and every sealed day and month its parts", async () => {
  const owners = [
    await openBooks(db, ["alpha", "beta"], start),
    await openBooks(db, ["alpha", "beta"], start),
  ];
  const postings = fc
    .sample(calls, { numRuns: 600, seed })
    .flatMap((call) => postingsOf(call, owners))
    .sort((a, b) => a.at - b.at);
  const samples = fc.sample(ranges, { numRuns: 240, seed });
  const rounds = 12;
  const step = (days * day + 40 * day) / rounds;
  for (let round = 0; round < rounds; round++) {
    const [from, to] = [start + round * step, start + (round + 1) * step];
    for (const { books, event, at } of postings.filter(({ at }) => at >= from && at < to)) {
      await books.post([event], at);
    }
    // A pass is sometimes left out, so that the next one has several weeks to seal.
    if (round % 3 !== 1) expect(await owners[0]?.seal(to)).toMatchObject({ failed: 0 });
    for (const range of samples.slice(round * 20, (round + 1) * 20)) {
      await expectReport(owners[range.owner] as Books, range.project, range.from, range.from + range.length);
    }
  }
  expect(await rollupGaps(db)).toEqual([]);
  const { day: sealed, late } = (await owners[0]?.ledger.seal(owners[0].organization, "")) ?? {
    day: "",
    late: 0,
  };
  expect(sealed > "2026-03-01" && late > 50, `${sealed} ${late}`).toBe(true);
});
