/** A budget that shards share, as arithmetic: how many have a part, and which parts move. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { partsAt, roomOn, shardsShared } from "#shared/books/meters/budget-parts.ts";
import { homeOf } from "#shared/books/meters/shards.ts";

const counter = "k0123456789:bt";
const ask = (points: bigint, most = 1_000n) => ({ counter, most, points });
/** Items whose counters come to this. */
const items = (...taken: (bigint | undefined)[]) =>
  taken.map((points, shard) => ({
    shard,
    budgets: new Map(points === undefined ? [] : [[counter, points]]),
  }));

describe("the shards that share a budget", () => {
  test.each([
    ["are all where each part is worth 64 calls", 8n, 2n * 64n * 8n, 2],
    ["are fewer where parts would be worth less", 8n, 3n * 64n * 8n - 1n, 2],
    ["are the first alone where the whole budget is not worth 128 calls", 8n, 2n * 64n * 8n - 1n, 1],
    ["are the first alone for a call that is larger than the budget", 2_000n, 1_000n, 1],
  ])("%s", (_, points, most, shards) => {
    expect(shardsShared([ask(points, most)], 2)).toBe(shards);
  });

  test("are all for calls without a budget, and for those that hold nothing", () => {
    expect(shardsShared([], 16)).toBe(16);
    expect(shardsShared([ask(0n)], 16)).toBe(16);
  });

  test("are those of the smallest of several budgets", () => {
    expect(shardsShared([ask(1n, 64n * 8n), ask(1n, 64n * 3n), ask(1n, 64n * 5n)], 16)).toBe(3);
  });

  test("are one for a key that has a cap besides", () => {
    const budget = { budget_points: "1", budget_period: "day" } as const;
    expect(homeOf({ id: "key_1", limits: budget }, 0)).toBeNull();
    expect(homeOf({ id: "key_1", limits: { ...budget, max_concurrency: 2 } }, 0)).toBe(0);
    expect(homeOf({ id: "key_1", limits: { max_concurrency: 2 } }, 0)).toBe("key_1");
  });
});

describe("the parts of a budget", () => {
  const all = new Set([0, 1, 2, 3]);

  test("are even from the first lacking call on, that call's shard first", () => {
    const transfers = partsAt(2, ask(10n), items(undefined, undefined, undefined, undefined), all);
    const budget = { counter, most: 1_000n };
    expect(transfers).toEqual([2, 1, 3].map((to) => ({ from: 0, to, points: 250n, budget })));
  });

  test("go to one shard alone when half of the budget is spent", () => {
    const transfers = partsAt(1, ask(10n), items(600n, undefined, undefined, undefined), all);
    expect(transfers).toEqual([{ from: 0, to: 1, points: 100n, budget: { counter, most: 1_000n } }]);
  });

  test("come from several shards for a call that none can pay", () => {
    const transfers = partsAt(3, ask(90n), items(960n, -30n, -25n, undefined), all) ?? [];
    expect(transfers.map(({ from, points }) => [from, points])).toEqual([
      [0, 40n],
      [1, 30n],
      [2, 20n],
    ]);
  });

  test("are none for a shard that has room, and undefined where all have too little", () => {
    expect(partsAt(1, ask(5n), items(1_000n, -5n), all)).toEqual([]);
    expect(partsAt(1, ask(6n), items(1_000n, -5n), all)).toBeUndefined();
    // The third one owes what its calls took beyond their holds.
    expect(partsAt(1, ask(6n), items(995n, 0n, 1n), all)).toBeUndefined();
  });

  test("move so that the shard has room, nobody gives what it has not, and the sum stays", () => {
    const taken = fc.array(fc.bigInt({ min: -500n, max: 500n }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(taken, fc.bigInt({ min: 0n, max: 400n }), fc.nat(5), (counters, points, at) => {
        const to = at % counters.length;
        const held = items(...counters);
        const wanted = ask(points, 600n);
        const left = held.reduce((sum, item) => sum + roomOn(item, wanted), 0n);
        const transfers = partsAt(to, wanted, held, new Set(held.map(({ shard }) => shard)));
        if (left >= points) expect(transfers).toBeDefined();
        const rooms = held.map((item) => roomOn(item, wanted));
        const before = [...rooms];
        for (const { from, to: taker, points: moved } of transfers ?? []) {
          rooms[from] = (rooms[from] ?? 0n) - moved;
          rooms[taker] = (rooms[taker] ?? 0n) + moved;
        }
        expect(rooms.reduce((a, b) => a + b, 0n)).toBe(left);
        if (transfers) expect((rooms[to] ?? 0n) >= points).toBe(true);
        for (const [shard, room] of rooms.entries()) {
          expect(room >= 0n || room >= (before[shard] ?? 0n)).toBe(true);
        }
      }),
    );
  });
});
