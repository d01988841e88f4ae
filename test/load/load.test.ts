/** The load model: laws of any load, a known bottleneck that it must find, and whether its results are of this code. */
import { describe, expect, test } from "vitest";
import { usageBatchMax } from "#infra/stage/queue-settings.ts";
import { Random } from "#test/simulation/random.ts";
import { Batches } from "./batches.ts";
import { dynamo } from "./facts.ts";
import { meterUnits } from "./meters.ts";
import { Table } from "./partitions.ts";
import { UsageQueue } from "./queue.ts";
import { bindingOf, inputsOf, readResults, rowOf } from "./results.ts";
import { scenarios } from "./scenarios.ts";
import { type Account, firstAccount, type Load, type Population, play } from "./world.ts";

const one: Population = { organizations: 1, keys: 1, callsPerSecond: 100, callSeconds: 0.25 };

const loadOf = (population: Partial<Population>, more: Partial<Load & Account> = {}): Load => ({
  populations: [{ ...one, ...population }],
  account: { ...firstAccount, ...more },
  seconds: 30,
  seed: 1,
  ...more,
});

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

describe("every load", () => {
  test.each([
    ["calm", loadOf({})],
    ["more than a wallet's item takes", loadOf({ callsPerSecond: 600 })],
    [
      "more than the account's sandboxes",
      loadOf({ callsPerSecond: 150, callSeconds: 5 }, { concurrency: 500 }),
    ],
    ["many customers", loadOf({ organizations: 10, callsPerSecond: 500 }, { seconds: 20 })],
  ])("%s: what comes goes out, or is counted as refused", async (_, load) => {
    const { figures, waiting, inFlight, most } = await play(load);
    const { calls, unstarted, refused, ended, recorded, deadLetters } = figures;
    expect(sum(calls)).toBe(sum(unstarted) + sum(refused) + ended + inFlight);
    expect(ended).toBe(recorded + deadLetters + waiting);
    expect(recorded).toBeGreaterThan(0);
    // A second's units may have been kept.
    expect(most.counters).toBeLessThanOrEqual(2 * dynamo.partition.write);
    expect(most.ledger).toBeLessThanOrEqual(2 * dynamo.partition.write);
    expect(most.keys).toBeLessThanOrEqual(2 * dynamo.partition.read);
  });

  test("the same seed gives the same figures, and another one others", async () => {
    const rowsOf = async (seed: number) =>
      rowOf({ group: "", name: "" }, await play({ ...loadOf({ callsPerSecond: 300 }), seed }));
    expect(await rowsOf(1)).toEqual(await rowsOf(1));
    expect(await rowsOf(2)).not.toEqual(await rowsOf(1));
  });
});

describe("a bottleneck that is known", () => {
  const bound = async (load: Load) => bindingOf(rowOf({ group: "", name: "" }, await play(load)));

  test("is none at 100 calls a second", async () => {
    expect(await bound(loadOf({}))).toEqual([]);
  });

  test("is a wallet's item, before it has more shards", async () => {
    expect(await bound(loadOf({ callsPerSecond: 700 }))).toEqual(["items of a wallet, at first"]);
  });

  test("is the account's concurrency, with calls of 5 s", async () => {
    const load = loadOf(
      { organizations: 10, callsPerSecond: 150, callSeconds: 5 },
      { concurrency: 500, seconds: 20 },
    );
    expect(await bound(load)).toEqual(["concurrency, at first"]);
  });

  test.each([
    [380, "given"],
    [760, "partition"],
  ])("%i entries in a second of an hour that is not spread: %s", async (rate, met) => {
    const batches = new Batches({ organizations: 1, keys: 1, isSpread: false });
    const turns = await batches.of(usageBatchMax, new Random(1));
    const table = new Table("ledger", dynamo.partition.write, dynamo.quota);
    const given = Array.from({ length: rate / usageBatchMax }, () =>
      turns
        .flat()
        .map(({ writes }) =>
          table.takeAll(
            writes
              .filter(({ adder }) => adder === undefined)
              .map(({ pk, units }) => [table.place("entries", pk), units]),
          ),
        ),
    );
    expect(given.flat().at(-1)).toBe(met);
  });

  test("is gone where the hour is spread over partitions", async () => {
    const batches = new Batches({ organizations: 1, keys: 1, isSpread: true });
    const turns = await batches.of(usageBatchMax, new Random(1));
    const partitions = new Set(turns.flat().flatMap(({ writes }) => writes.map(({ pk }) => pk)));
    expect(partitions.size).toBeGreaterThan(20);
  });
});

describe("sizes are those that the embedded DynamoDB counts (scale.test.ts)", () => {
  test("of a wallet's item with holds", () => {
    const units = meterUnits("org_1", 1);
    expect([0, 16, 64].map(units)).toEqual([1, 1, 2]);
  });

  test.each([
    [1, 200, 4],
    [10, 200, 22],
    [100, 200, 200],
  ])("of a batch with %i keys: entries %i, rollups at most %i", async (keys, entries, most) => {
    const turns = await new Batches({ organizations: 1, keys, isSpread: false }).of(100, new Random(1));
    const writes = turns.flat().flatMap((each) => each.writes);
    const unitsOf = (shared: boolean) =>
      writes
        .filter(({ adder }) => (adder !== undefined) === shared)
        .reduce((all, { units }) => all + units, 0);
    expect(unitsOf(false)).toBe(entries);
    // Its events have keys by chance, so not every key is among them.
    expect(unitsOf(true)).toBeLessThanOrEqual(most);
    expect(unitsOf(true)).toBeGreaterThanOrEqual(most / 2);
  });
});

describe("a table", () => {
  test("gives no more units than come, but for those of one second", () => {
    const table = new Table("counters", 1_000, 1_000);
    const place = table.place("a", "first");
    let given = 0;
    for (let step = 0; step < 100; step++) {
      for (let write = 0; write < 300; write++) given += table.take(place, 1) === "given" ? 1 : 0;
      table.pass(0.1);
    }
    expect(given).toBe(100 * 100 + 900);
  });

  test("splits a hot partition between its keys, and leaves one hot item as it is", () => {
    const table = new Table("counters", 1_000, 1_000);
    const [first, other] = [table.place("a", "first"), table.place("a", "other")];
    for (let second = 0; second < 400; second++) {
      for (let write = 0; write < 900; write++) {
        table.take(first, 1);
        table.take(other, 1);
      }
      table.pass(1);
      table.endSecond();
    }
    expect(first.partition).not.toBe(other.partition);
    expect(table.given).toHaveLength(2);
  });

  test("grows to double its earlier peak in half an hour, up to the quota", () => {
    const table = new Table("ledger", 1_000, 4_000);
    const any = table.limitOf("any");
    const limits: number[] = [];
    for (let second = 1; second <= 4 * dynamo.growthSeconds; second++) {
      // One minute of each half hour is busy.
      const writes = (second - 1) % dynamo.growthSeconds < 60 ? table.limit : 0;
      for (let write = 0; write < writes; write++) table.takeAt(any, write / writes);
      table.pass(1);
      table.endSecond();
      if (second % dynamo.growthSeconds === 0) limits.push(table.limit);
    }
    expect(limits).toEqual([8_000, 16_000, 32_000, dynamo.quota]);
  });
});

test("a fair queue serves quiet customers before the backlog of a noisy one", () => {
  const queue = new UsageQueue([1, 10]);
  queue.send(0, { ended: 1, count: 10_000, receives: 0 });
  for (let batch = 0; batch < 5; batch++) queue.receive(100);
  queue.send(1, { ended: 2, count: 50, receives: 0 });
  expect(queue.receive(100)).toMatchObject({ lane: 1, count: 50 });
});

test("the page has every load, played with what the product has now: else `npm run load-model -- --write`", async () => {
  const { rows, inputs } = readResults();
  expect(rows.map(({ group, name }) => [group, name])).toEqual(
    scenarios.map(({ group, name }) => [group, name]),
  );
  expect(inputs).toEqual(await inputsOf());
});
