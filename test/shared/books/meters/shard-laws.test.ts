/** A wallet's shards as arithmetic: which one a call is held on, how many there are, and what moves between them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { transactionsOf, wantedShards } from "#shared/books/meters/growth.ts";
import { evenOut, gatherAt, pickShard, type Transfer } from "#shared/books/meters/shards.ts";

describe("the shard of a call", () => {
  test("is the first when there is one, and there is no second try", () => {
    expect(pickShard(1, null, new Set())).toBe(0);
    expect(pickShard(1, "key_1", new Set())).toBe(0);
    expect(pickShard(1, null, new Set([0]))).toBeUndefined();
  });

  test("is any that was not tried, each as likely", () => {
    const drawn = Array.from({ length: 300 }, (_, i) =>
      pickShard(5, null, new Set([1, 3, 7]), () => i / 300),
    );
    for (const shard of [0, 2, 4]) expect(drawn.filter((each) => each === shard)).toHaveLength(100);
  });

  test("is always the same for a key with limits, and differs between keys", () => {
    const homes = Array.from({ length: 64 }, (_, i) => pickShard(8, `key_${i}`, new Set()));
    expect(homes).toEqual(Array.from({ length: 64 }, (_, i) => pickShard(8, `key_${i}`, new Set())));
    expect(new Set(homes).size).toBe(8);
    expect(pickShard(8, "key_0", new Set([homes[0] ?? 0]))).toBeUndefined();
  });
});

describe("how many shards", () => {
  const load = (holds: number, each: bigint, avail: bigint, together = 0) => ({
    avail,
    holds: Array(holds).fill(each),
    together,
    counters: 0,
  });
  const idle = load(0, 0n, 10n ** 9n);
  const first = (holds: number) => [load(holds, 1n, 10n ** 9n), ...Array(7).fill(idle)];
  test.each([
    ["as many as there are, while none is full", 2, [load(64, 1n, 9_000n), load(10, 1n, 9_000n)], 2],
    ["twice as many when one is", 1, [load(65, 1n, 9_000n)], 2],
    ["as often twice as it takes", 1, [load(300, 1n, 90_000n)], 8],
    ["no more than the money is worth", 4, [load(1, 10n, 1_300n)], 2],
    ["one at the end", 8, [load(3, 10n, 5n), load(0, 0n, 0n)], 1],
    ["as many as there are, when no call shows what calls cost", 8, [load(0, 0n, 0n)], 8],
    ["no more for calls that would stay together", 1, [load(164, 1n, 10n ** 9n, 100)], 1],
    ["more for those that would not", 1, [load(165, 1n, 10n ** 9n, 100)], 2],
    ["at most 1,024", 1_000, Array(1_000).fill(load(100, 1n, 10n ** 9n)), 1_024],
    ["no more while the calls of the first shard end, and few come to the new ones", 8, first(250), 8],
    [
      "twice what it takes where two keys with limits share a shard",
      2,
      [load(200, 1n, 10n ** 9n, 100), idle],
      4,
    ],
  ])("%s", (_, shards, loads, wanted) => {
    expect(wantedShards(shards, loads)).toBe(wanted);
  });

  test("is twice as many where the first is throttled by short calls, up to 32", () => {
    const doubled = [1];
    for (let shards = 1; shards < 32; doubled.push(shards)) {
      shards = wantedShards(shards, Array(shards).fill(load(10, 1n, 10n ** 9n)), true);
    }
    expect(doubled).toEqual([1, 2, 4, 8, 16, 32]);
    for (const shards of [32, 40, 512])
      expect(wantedShards(shards, Array(shards).fill(load(10, 1n, 10n ** 9n)), true)).toBe(shards);
    // What the holds ask for is enough, and what the money is worth remains the bound.
    expect(wantedShards(1, [load(300, 1n, 90_000n)], true)).toBe(8);
    expect(wantedShards(1, [load(10, 10n, 700n)], true)).toBe(1);
  });

  test.each([
    [0, 32],
    [66, 64],
    [100, 128],
    [311, 256],
  ])("goes on doubling where %i counters of budgets make the items long: to %i", (counters, most) => {
    let shards = 32;
    for (let round = 0; round < 10; round++) {
      const items = Array(shards).fill({ ...load(10, 1n, 10n ** 12n), counters });
      shards = wantedShards(shards, items, true);
    }
    expect(shards).toBe(most);
  });

  test("a growth is no reason for the next, however the calls were spread before", () => {
    const holds = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 32 });
    fc.assert(
      fc.property(holds, (counts) => {
        const before = counts.map((count) => load(count, 1n, 10n ** 12n));
        const wanted = wantedShards(counts.length, before);
        const after = [...before, ...Array(wanted - counts.length).fill(load(0, 0n, 0n))];
        const all = counts.reduce((sum, count) => sum + count, 0);
        expect(wantedShards(wanted, after)).toBeLessThanOrEqual(Math.max(counts.length, all / 16));
        expect(wanted).toBeGreaterThanOrEqual(counts.length);
      }),
    );
  });
});

describe("moving money", () => {
  const amounts = fc.array(fc.bigInt({ min: -50n, max: 1_000n }), { minLength: 1, maxLength: 20 });
  const apply = (avails: bigint[], transfers: Transfer[]) => {
    const after = [...avails];
    for (const { from, to, points } of transfers) {
      expect(points > 0n && (after[from] ?? 0n) >= points && from !== to).toBe(true);
      after[from] = (after[from] ?? 0n) - points;
      after[to] = (after[to] ?? 0n) + points;
    }
    return after;
  };
  const shardsWith = (avails: bigint[]) => avails.map((avail, shard) => ({ shard, avail }));

  test("evens out what is far from even, and nothing else", () => {
    fc.assert(
      fc.property(amounts, (avails) => {
        const transfers = evenOut(shardsWith(avails));
        const after = apply(avails, transfers);
        const part = avails.reduce((a, b) => a + b, 0n) / BigInt(avails.length);
        const isFar = avails.some((avail) => avail * 2n < part || avail > part * 2n);
        expect(transfers.length > 0).toBe(part > 0n && isFar);
        if (transfers.length > 0) for (const avail of after) expect(avail >= part).toBe(true);
        expect(transfers.length).toBeLessThan(2 * avails.length);
      }),
    );
  });

  test("is one write on a shard that gives to many, and never more in a transaction than it takes", () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 2, max: 8 }), (avails, most) => {
        const transfers = evenOut(shardsWith(avails));
        const groups = transactionsOf(transfers, most);
        const key = ({ from, to, points }: Transfer) => `${from} ${to} ${points}`;
        expect(groups.flat().map(key).toSorted()).toEqual(transfers.map(key).toSorted());
        for (const group of groups) {
          expect(new Set(group.map(({ from }) => from)).size).toBe(1);
          expect(new Set(group.flatMap(({ from, to }) => [from, to])).size).toBeLessThanOrEqual(most);
        }
      }),
    );
    const rush = evenOut([{ shard: 0, avail: 3_200n }, ...shardsWith(Array(32).fill(0n)).slice(1)]);
    expect(transactionsOf(rush, 100)).toHaveLength(1);
  });

  test("gathers exactly what is missing, or knows that it is not there", () => {
    fc.assert(
      fc.property(amounts, fc.bigInt({ min: 1n, max: 3_000n }), (avails, points) => {
        const transfers = gatherAt(0, points, shardsWith(avails));
        const others = avails.slice(1).filter((avail) => avail > 0n);
        const total = others.reduce((a, b) => a + b, avails[0] ?? 0n);
        expect(transfers === undefined).toBe(total < points);
        if (!transfers) return;
        const target = apply(avails, transfers)[0] ?? 0n;
        expect(target).toBe((avails[0] ?? 0n) > points ? avails[0] : points);
      }),
    );
  });
});
