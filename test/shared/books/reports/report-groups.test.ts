/**
 * Reports by project, key, user, day and hour through the real store, against the events added up one by one. Events
 * are random, some of them late or corrected; so are the seals, the ranges and what a report is split by.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId, timeOf } from "#shared/base/platform/id.ts";
import { hourOf, nextHour } from "#shared/books/billing/period.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { addSums, isEmpty, noSums, sumsOf } from "#shared/books/reports/report.ts";
import {
  type GroupDimension,
  groupDimensions,
  type TagDimension,
  Tally,
} from "#shared/books/reports/report-groups.ts";
import { sumRange } from "#shared/books/reports/report-sums.ts";
import { rollupPartition } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { type Books, eventAt, openBooks, rollupGaps } from "#test/support/books.ts";
import { counting } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse("2026-02-20T00:00:00Z");
const days = 45;
const seed = 20261122;

const { db } = useStores();

/** Keys with their projects: a key never leaves its project. */
const keys = ["", "", "alpha", "alpha", "beta"].map((project) => ({ project, key: newId("key", start) }));

const calls = fc.record({
  at: fc.integer({ min: start, max: start + days * day }),
  delay: fc.oneof(
    { weight: 4, arbitrary: fc.constant(1000) },
    { weight: 1, arbitrary: fc.integer({ min: 1000, max: 35 * day }) },
  ),
  guessed: fc.boolean(),
  model: fc.constantFrom("acme/one", "acme/two#x"),
  owner: fc.constantFrom(...keys),
  user: fc.constantFrom(null, "u-1", "u-2", "ü"),
  tags: fc.constantFrom(undefined, "team=a", "feature=x,team=a", "team=b,x.y=1:2", "feature=x"),
  cost: fc.integer({ min: 0, max: 999 }),
});

const ranges = fc.record({
  from: fc.integer({ min: start - day, max: start + days * day }),
  length: fc.oneof(fc.integer({ min: 0, max: 3 * day }), fc.integer({ min: 0, max: days * day })),
  project: fc.constantFrom("", "", "alpha", "beta"),
  dimensions: fc
    .subarray([...groupDimensions, "tag:team" as const])
    .filter((each) => !(each.includes("day") && each.includes("hour"))),
});

/** What is posted of a call, and when: half of those that come late were guessed by the sweeper before. */
function postingsOf(
  { at, delay, guessed, ...call }: typeof calls extends fc.Arbitrary<infer V> ? V : never,
  books: Books,
) {
  const event = eventAt(books.organization, at, {
    model: call.model,
    user: call.user,
    ...(call.tags !== undefined && { tags: call.tags }),
    ...call.owner,
    cost_points: `0.${String(call.cost).padStart(3, "0")}`,
    calls: call.cost % 7 === 0 ? 0 : 1,
  });
  const guess: UsageEvent = { ...event, usage: noUsage, cost_points: "0.5", calls: 1, source: "sweeper" };
  const posted = { event, at: at + delay };
  return guessed && delay > hour ? [{ event: guess, at: at + hour }, posted] : [posted];
}

const valuesIn: Record<
  Exclude<GroupDimension, TagDimension> | "tag:team",
  (event: UsageEvent) => string | null
> = {
  model: ({ model }) => model,
  project: ({ project }) => project,
  key: ({ key }) => key,
  user: ({ user }) => user,
  "tag:team": ({ tags }) => /(?:^|,)team=([^,]+)/.exec(tags ?? "")?.[1] ?? null,
  day: ({ id }) => new Date(timeOf(id)).toISOString().slice(0, 10),
  hour: ({ id }) => new Date(Math.floor(timeOf(id) / hour) * hour).toISOString(),
};

/** The groups, as lines of their values and sums, by adding up the events one by one. */
function expectedOf(
  books: Books,
  project: string,
  from: number,
  to: number,
  dimensions: (keyof typeof valuesIn)[],
): string[] {
  const groups = new Map<string, ReturnType<typeof noSums>>();
  for (const event of books.posted.values()) {
    const at = timeOf(event.id);
    if (at < from || at >= to || (project !== "" && event.project !== project)) continue;
    const name = JSON.stringify(dimensions.map((each) => valuesIn[each](event)));
    groups.set(name, addSums(groups.get(name) ?? noSums(), sumsOf(event)));
  }
  return [...groups].filter(([, sums]) => !isEmpty(sums)).map(([name, sums]) => `${name} ${shown(sums)}`);
}

const shown = (sums: object) =>
  Object.entries(sums)
    .map(([name, amount]) => `${name}=${amount}`)
    .sort()
    .join(" ");

test("every group is the sum of its entries, and all groups together the sum of the models", async () => {
  const books = await openBooks(db, ["alpha", "beta"], start);
  const postings = fc
    .sample(calls, { numRuns: 420, seed })
    .flatMap((call) => postingsOf(call, books))
    .sort((a, b) => a.at - b.at);
  const samples = fc.sample(ranges, { numRuns: 200, seed });
  const rounds = 8;
  const step = (days * day + 35 * day) / rounds;
  const seen = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const [from, to] = [start + round * step, start + (round + 1) * step];
    for (const { event, at } of postings.filter(({ at }) => at >= from && at < to))
      await books.post([event], at);
    // A pass is sometimes left out, so that the next one has several weeks to seal.
    if (round % 3 !== 1) expect(await books.seal(to)).toMatchObject({ failed: 0 });
    for (const { project, dimensions, ...range } of samples.slice(round * 25, (round + 1) * 25)) {
      const end = range.from + range.length;
      const place = { organization: books.organization, project };
      const tally = await sumRange(books.ledger, place, range.from, end, dimensions);
      const groups = tally.groups().map(({ values, sums }) => `${JSON.stringify(values)} ${shown(sums)}`);
      if (dimensions.length > 0) {
        expect(groups.toSorted(), `${dimensions}`).toEqual(
          expectedOf(books, project, range.from, end, dimensions).sort(),
        );
      }
      const models = [...tally.byModel()].map(([model, sums]) => `["${model}"] ${shown(sums)}`);
      expect(models.sort()).toEqual(expectedOf(books, project, range.from, end, ["model"]).sort());
      for (const dimension of groups.length > 2 ? dimensions : []) seen.add(dimension);
    }
  }
  expect(await rollupGaps(db)).toEqual([]);
  expect(seen).toEqual(new Set([...groupDimensions, "tag:team"]));
  expect((await books.ledger.seal(books.organization, "")).late).toBeGreaterThan(40);
});

describe("the order of groups", () => {
  const sums = (cost: bigint) => ({ ...noSums(), calls: 1, cost_points: cost });
  const source = (span: string, model: string) => ({ span, model, key: null, owner: null, user: null });

  test("is that of time first, then of cost, the dearest first, then of their values", () => {
    const tally = new Tally(["model", "day"]);
    tally.add(source("2026-03-02", "b"), sums(1n));
    tally.add(source("2026-03-01T05", "b"), sums(5n));
    tally.add(source("2026-03-01", "c"), sums(9n));
    tally.add(source("2026-03-01T23", "a"), sums(5n));
    tally.add(source("2026-03-02", "d"), sums(1n));
    tally.add(source("2026-03-02", "e"), noSums());
    expect(tally.groups().map(({ values }) => values.join(" "))).toEqual([
      "c 2026-03-01",
      "a 2026-03-01",
      "b 2026-03-01",
      "b 2026-03-02",
      "d 2026-03-02",
    ]);
  });
});

/** A client as the version before this one wrote rollups: one for all keys of a model. */
function asBefore(aws: Aws): Aws {
  return (service, action, input) => {
    const text = JSON.stringify(input).replace(/(\{"S":"[HDM]#[^"]*?)##[^"]*"/g, '$1"');
    return aws(service, action, action === "TransactWriteItems" ? JSON.parse(text) : input);
  };
}

describe("rollups of the version before", () => {
  const at = Date.parse("2026-03-30T09:30:00Z");
  const now = Date.parse("2026-04-02T03:00:00Z");
  const [key, other] = [newId("key", start), newId("key", start)];

  /** Two calls of two keys as they were written before, and two of one key since; days and months of them if sealed. */
  async function mixedBooks(sealed: boolean): Promise<Books> {
    const books = await openBooks(db, ["alpha"], start);
    const event = (offset: number, change: Partial<UsageEvent>) =>
      eventAt(books.organization, at + offset, { project: "alpha", ...change });
    await books.post([event(0, { key })], at, asBefore(db.aws));
    await books.post([event(1, { key: other, source: "sweeper", cost_points: "7" })], at, asBefore(db.aws));
    await books.post([event(2, { key }), event(3, { key })], at);
    if (sealed) await books.seal(now);
    return books;
  }

  const rollupsOf = async (books: Books) => {
    const { Items = [] } = await db.aws("dynamodb", "Query", {
      TableName: db.tables.ledger,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :hour)",
      ExpressionAttributeValues: {
        ":pk": { S: rollupPartition(books.organization, "") },
        ":hour": { S: "H#" },
      },
    });
    return Items.length;
  };

  test.each([false, true])(
    "count as those of no key, late events and corrections beside them (sealed: %s)",
    async (sealed) => {
      const books = await mixedBooks(sealed);
      expect(await rollupsOf(books)).toBe(2);
      const [guess] = [...books.posted.values()].filter(({ source }) => source === "sweeper");
      await books.post([{ ...(guess as UsageEvent), source: "gateway", cost_points: "2" }], now + hour);
      expect(await rollupGaps(db)).toEqual([]);
      const [from, to] = [Date.parse("2026-03-01T00:00:00Z"), Date.parse("2026-05-01T00:00:00Z")];
      const by = async (project: string, dimension: GroupDimension) => {
        const place = { organization: books.organization, project };
        const tally = await sumRange(books.ledger, place, from, to, [dimension]);
        return tally
          .groups()
          .map(({ values, sums }) => [values[0], sums.calls, formatPoints(sums.cost_points)]);
      };
      // What the correction takes away is taken from the key it knows; the guess itself stays with no key.
      const groups = [
        [null, 2, "7.5"],
        [key, 2, "1"],
        [other, 0, "-5"],
      ];
      expect(await by("", "key")).toEqual(groups);
      expect(await by("alpha", "key")).toEqual(groups);
      expect(await by("alpha", "project")).toEqual([["alpha", 4, "3.5"]]);
      expect(await by("", "project")).toEqual([
        [null, 2, "7.5"],
        ["alpha", 2, "-4"],
      ]);
      expect(await by("", "model")).toEqual([["acme/Sonic-1-5", 4, "3.5"]]);
      // Entries know their keys: what is added up from them is exact throughout.
      expect((await by("", "user")).map(([, calls, cost]) => [calls, cost])).toEqual([[4, "3.5"]]);
    },
  );
});

describe("what keys cost", () => {
  const noon = Date.parse("2026-03-30T12:00:00Z");

  test.each([
    ["ten calls of one key: one rollup in each place", 1, 10 * 2 + 2 * 2],
    ["ten calls of ten keys: ten rollups in each place", 10, 10 * 2 + 2 * 10 * 2],
  ])("%s", async (_, count, expected) => {
    const books = await openBooks(db, ["alpha"], start);
    const own = Array.from({ length: count }, () => newId("key", start));
    const events = Array.from({ length: 10 }, (__, i) =>
      eventAt(books.organization, noon + i, { project: "alpha", key: own[i % count] as string }),
    );
    const { aws, units } = counting(db.aws);
    await books.post(events, noon, aws);
    expect(units.get("TransactWriteItems")).toBe(expected);
    const rollups = await createLedger(db.aws, db.tables).rollups(
      books.organization,
      "",
      hourOf(noon),
      nextHour(hourOf(noon)),
    );
    expect(rollups).toHaveLength(count);
  });
});
