/** Laws of channels that an operator has taken out (shared/calls/routing/README.md "Taken out by an operator"). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Board } from "#shared/calls/routing/board.ts";
import { orderOf, type RoutedChannel } from "#shared/calls/routing/order.ts";
import { outBy } from "#shared/calls/routing/taken-out.ts";
import { createWorld, model, start } from "#test/support/observed.ts";
import {
  answered,
  ask,
  board,
  channel,
  halfOpen,
  limited,
  now,
  open,
  providers,
} from "#test/support/ordered.ts";

const names = ["acme", "globex", "initech", "umbrella"] as const;
const states = [undefined, open, halfOpen, limited];

/** Any board of four channels, some of which are out, and any call. */
const situation = fc.record({
  priorities: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 4, maxLength: 4 }),
  prices: fc.array(fc.option(fc.integer({ min: 1, max: 9 })), { minLength: 4, maxLength: 4 }),
  first_bytes: fc.array(fc.integer({ min: 100, max: 9_000 }), { minLength: 4, maxLength: 4 }),
  faults: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 4, maxLength: 4 }),
  states: fc.array(fc.constantFrom(...states), { minLength: 4, maxLength: 4 }),
  out: fc.subarray([...names]),
  until: fc.constantFrom(undefined, now + 1, now + 60_000),
  routing: fc.constantFrom("basic" as const, "smart" as const),
  sort: fc.constantFrom(undefined, "price" as const, "latency" as const),
  conversation: fc.constantFrom(undefined, "c", "d"),
  draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});
type Situation = typeof situation extends fc.Arbitrary<infer Value> ? Value : never;

function orders(
  on: Situation,
  channels: (all: RoutedChannel[]) => RoutedChannel[],
  taken_out: Board["taken_out"],
) {
  const all = names.map((name, at) => {
    const price = on.prices[at];
    const cost = price ? { cost: { input: String(price), output: String(price) } } : {};
    return channel(name, { priority: on.priorities[at] ?? 1, ...cost });
  });
  const by = <Value>(of: (at: number) => Value) =>
    Object.fromEntries(names.map((name, at) => [name, of(at)]));
  const counts = by((at) => answered(on.first_bytes[at] ?? 0, 50, { faults: on.faults[at] ?? 0 }));
  const known = Object.entries(by((at) => on.states[at])).filter(([, state]) => state !== undefined);
  const seen = board(counts, Object.fromEntries(known) as Record<string, typeof open>);
  return orderOf(
    {
      ...{ channels: channels(all), board: { ...seen, ...(taken_out && { taken_out }) }, now },
      ...{ conversation: on.conversation, routing: on.routing },
      preferences: on.sort && { sort: on.sort },
    },
    { random: () => on.draw },
  );
}

const outOf = ({ out, until }: Situation) =>
  Object.fromEntries(out.map((name) => [`id-${name}`, until === undefined ? {} : { until }]));

describe("whatever the board says and the caller wishes", () => {
  test("no call goes to a channel that is out: not first, not after others, and not to probe it", () => {
    fc.assert(
      fc.property(situation, (on) => {
        const order = orders(on, (all) => all, outOf(on));
        const named = [
          ...order.placed.map((placed) => placed.channel),
          ...(order.probe ? [order.probe] : []),
        ];
        expect(named.filter(({ provider }) => on.out.includes(provider as "acme"))).toEqual([]);
        expect(order.placed).toHaveLength(names.length - on.out.length);
      }),
    );
  });

  test("the others are asked as if the catalog did not have it, and it still counts in `of`", () => {
    fc.assert(
      fc.property(situation, (on) => {
        const { of, ...order } = orders(on, (all) => all, outOf(on));
        const isIn = ({ provider }: RoutedChannel) => !on.out.includes(provider as "acme");
        // Prices and faults of the channel's own are no part of it, but what the model's calls used is on the board.
        const { of: without, ...same } = orders(on, (all) => all.filter(isIn), undefined);
        expect(order).toEqual(same);
        expect([of, without]).toEqual([names.length, names.length - on.out.length]);
      }),
    );
  });

  test("with all of them out the model has none", () => {
    fc.assert(
      fc.property(situation, (on) => {
        const order = orders(on, (all) => all, outOf({ ...on, out: [...names] }));
        expect([order.placed, order.probe, order.of]).toEqual([[], undefined, names.length]);
      }),
    );
  });
});

test("a channel is back from the instant on at which its time is over", () => {
  const of = (until: number) =>
    providers(ask({ board: { ...board(), taken_out: { "id-acme": { until } } } }));
  expect(of(now + 1)).not.toContain("acme");
  expect(of(now)).toContain("acme");
});

test("a wish for it alone leaves none, which is no error of the wish", () => {
  const order = ask({ board: { ...board(), taken_out: { "id-acme": {} } }, preferences: { only: ["acme"] } });
  expect(order.placed).toEqual([]);
});

test("a process learns of it once its copy is 2 s old, and of the return likewise", async () => {
  const { boards, time, createProcess } = createWorld();
  const process = createProcess();
  const health = async () => [await process.health(), (await process.order()).of];
  expect(await health()).toEqual(["good", 3]);
  boards.takeOut(model, "a", {});
  time.now = start + 1_999;
  expect(await health()).toEqual(["good", 3]);
  time.now = start + 2_000;
  expect(await health()).toEqual([undefined, 3]);
  boards.takeOut(model, "a");
  time.now = start + 4_000;
  expect(await health()).toEqual(["good", 3]);
});

test.each<[string, Parameters<typeof outBy>[0]["acts"], boolean]>([
  ["nothing", [], false],
  ["left", [{ what: "left", at: 1, by: "o", why: "w" }], true],
  ["left until later", [{ what: "left", at: 1, by: "o", until: 11 }], true],
  ["left until now", [{ what: "left", at: 1, by: "o", until: 10 }], false],
  [
    "left and returned",
    [
      { what: "left", at: 1, by: "o" },
      { what: "returned", at: 2, by: "o" },
    ],
    false,
  ],
])("a record whose acts are %s", (_, acts, isOut) => {
  expect(outBy({ acts }, 10) !== undefined).toBe(isOut);
});
