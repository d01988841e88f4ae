/** What the house pays, and what it does to the order. */
import { describe, expect, test } from "vitest";
import type { HouseCost } from "#shared/books/catalog/catalog.ts";
import { explanation, routeHeader } from "#shared/calls/routing/explain.ts";
import type { RoutedChannel, RoutingQuery } from "#shared/calls/routing/order.ts";
import { pricesOf } from "#shared/calls/routing/price.ts";
import { answered, ask, board, channel, firsts, open, providers } from "#test/support/ordered.ts";

const costs = (input: string, output = input): { cost: HouseCost } => ({ cost: { input, output } });
const names = ["acme", "globex", "initech"] as const;
/** Three channels, the last of which costs so many times what the others do. */
const dear = (times: number) => [
  channel("acme", costs("1", "4")),
  channel("globex", costs("1", "4")),
  channel("initech", costs(String(times), String(4 * times))),
];
const alike = board(Object.fromEntries(names.map((name) => [name, answered(600)])));
const firstsOf = (more: Partial<RoutingQuery<RoutedChannel>>) =>
  [...firsts({ board: alike, ...more })].sort();

describe("the price of a channel", () => {
  const priceOf = (cost: HouseCost, counts = {}) =>
    pricesOf([channel("acme", { cost })], board({ acme: counts })).get("id-acme");

  test("is that of an average call: what the board has counted, or as much input as output", () => {
    const cost = { input: "2", output: "10" };
    expect(priceOf(cost)).toBe(12);
    expect(priceOf(cost, { input_tokens: 900, output_tokens: 100 })).toBe(2_800);
    expect(pricesOf([channel("acme", { cost })], undefined).get("id-acme")).toBe(12);
  });

  test("counts what its own cache serves and is written to it, where it is in use", () => {
    const cost = { input: "2", output: "0", cache_read: "0.2", cache_write: "2.5" };
    const counts = { input_tokens: 1_000, cache_read_tokens: 600 };
    expect(priceOf(cost, counts)).toBeCloseTo(600 * 0.2 + 400 * 2.5, 6);
    expect(priceOf(cost, { input_tokens: 1_000 })).toBeCloseTo(1_000 * 2, 6);
    expect(priceOf({ input: "2", output: "0" }, counts)).toBeCloseTo(1_000 * 2, 6);
  });

  test("is not known where the catalog does not say it", () => {
    expect(pricesOf([channel("acme")], alike).size).toBe(0);
  });
});

describe("a channel that is dearer", () => {
  test.each([
    ["balanced", 1.5, names],
    ["balanced", 2.5, ["acme", "globex"]],
    [undefined, 2.5, ["acme", "globex"]],
    ["latency", 50, names],
    ["cost", 1.2, ["acme", "globex"]],
  ] as const)(
    "is left by objective %s at %d times the price as it should be",
    (objective, times, expected) => {
      expect(firstsOf({ channels: dear(times), objective })).toEqual([...expected]);
    },
  );

  test.each([
    ["balanced", ["acme"]],
    ["cost", ["acme"]],
    ["latency", names],
  ] as const)("than one that costs nothing is left by objective %s", (objective, expected) => {
    const channels = [
      channel("acme", costs("0")),
      channel("globex", costs("1")),
      channel("initech", costs("2")),
    ];
    expect(firstsOf({ channels, objective })).toEqual([...expected]);
    const slow = { acme: answered(6_000), globex: answered(600), initech: answered(600) };
    expect(firstsOf({ channels, objective, board: board(slow) })).not.toContain("acme");
  });

  test("is first where the others are slow or left, whatever it costs", () => {
    const counts = { acme: answered(6_000), globex: answered(600), initech: answered(600) };
    const order = { channels: dear(9), board: board(counts, { globex: open }), objective: "cost" as const };
    expect(firstsOf(order)).toEqual(["initech"]);
  });

  test("is compared with those that serve, and not with a cheap one that is out", () => {
    const channels = [
      channel("acme", costs("1")),
      channel("globex", costs("9")),
      channel("initech", costs("23")),
    ];
    const counts = { globex: answered(600), initech: answered(600) };
    expect(firstsOf({ channels, board: board(counts, { acme: open }) })).toEqual(["globex"]);
  });

  test("is worth it if it is so much faster", () => {
    const counts = { acme: answered(1_500), globex: answered(1_500), initech: answered(900) };
    expect(firstsOf({ channels: dear(2.5), board: board(counts) })).toContain("initech");
    expect(firstsOf({ channels: dear(6), board: board(counts) })).not.toContain("initech");
  });

  test("is left by the catalog's word alone where there is no board", () => {
    expect(firstsOf({ channels: dear(2.5), board: undefined })).toEqual(["acme", "globex"]);
  });

  test("keeps its place before channels of a later priority", () => {
    const [acme, , initech] = dear(9);
    const channels = [{ ...(acme as RoutedChannel), priority: 2 }, initech as RoutedChannel];
    expect(providers(ask({ channels, board: alike }))).toEqual(["initech", "acme"]);
  });

  test("is no worse with basic routing, nor beside channels whose cost nobody knows", () => {
    expect(firstsOf({ channels: dear(9), routing: "basic" })).toEqual([...names]);
    const known = [channel("acme"), channel("globex"), channel("initech", costs("9"))];
    expect(firstsOf({ channels: known })).toEqual([...names]);
  });
});

describe("sort=price", () => {
  const channels = [channel("acme", costs("3")), channel("globex", costs("2")), channel("initech")];

  test.each([[undefined], [alike]])("asks the cheapest first, and last those without a cost", (known) => {
    const order = ask({ channels, board: known, preferences: { sort: "price" } });
    expect(providers(order)).toEqual(["globex", "acme", "initech"]);
    expect(order.placed[0]?.why).toBe("order");
  });

  test("is ignored by basic routing", () => {
    const order = ask({ channels, routing: "basic", preferences: { sort: "price" } });
    expect(order.ignores_preferences).toBe(true);
    expect(order.placed[0]?.why).toBe("conversation");
  });
});

test("nobody is told a price, nor that a channel is dear", () => {
  const channels = [channel("acme", costs("0.071")), channel("globex", costs("0.833"))];
  const order = ask({ channels, board: alike });
  expect(providers(order)).toEqual(["acme", "globex"]);
  const told = explanation(order) + routeHeader(order, { via: "id-acme", attempts: 1 });
  expect(told).not.toMatch(/price|dear|071|833/);
  expect(order.placed.map(({ health, why }) => [health, why])).toEqual([
    ["good", "priority"],
    ["good", "priority"],
  ]);
});
