/** Which routing the calls of a key get. */
import { describe, expect, test } from "vitest";
import type { Principal } from "#shared/books/accounts/account.ts";
import type { Routing } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { routingOf } from "#shared/books/catalog/plans.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { testCatalog } from "#test/support/memory.ts";

describe("the routing of a model", () => {
  const parse = (routing: unknown) => {
    const base = testCatalog("https://test.example") as { models: object[] };
    const models = base.models.map((model, at) => (at === 0 ? { ...model, routing } : model));
    return createCatalog(parseCatalog({ ...base, models })).find("test/model-1")?.routing;
  };

  test.each([
    {},
    { race: false },
    { race: true, first_byte_ms: 100, objective: "cost" },
    { first_byte_ms: 60_000 },
  ])("may be %j", (routing) => expect(parse(routing)).toEqual(routing));

  test.each([
    { race: "no" },
    { first_byte_ms: 99 },
    { first_byte_ms: 60_001 },
    { first_byte_ms: 1500.5 },
    { objective: "fun" },
    { speed: 1 },
  ])("may not be %j", (routing) => expect(() => parse(routing)).toThrow("models[0].routing"));
});

describe("the cost of a channel", () => {
  const parse = (cost: unknown) => {
    const base = testCatalog("https://test.example") as { models: { channels: object[] }[] };
    Object.assign(base.models[0]?.channels[0] ?? {}, { cost });
    return createCatalog(parseCatalog(base)).find("test/model-1")?.channels[0]?.cost;
  };

  test.each([
    { input: "2.5", output: "10" },
    { input: "2.5", output: "10", cache_read: "0.25", cache_write: "3.125" },
  ])("may be %j", (cost) => expect(parse(cost)).toEqual(cost));

  test.each([{ input: "2.5" }, { input: 2.5, output: "10" }, { input: "-1", output: "1" }, { fee: "1" }])(
    "may not be %j",
    (cost) => expect(() => parse(cost)).toThrow("models[0].channels[0].cost"),
  );
});

describe("the routing of a key", () => {
  const base = testCatalog("https://test.example") as { plans: { free: object } };
  const { free } = base.plans;
  const models = createCatalog(
    parseCatalog({
      ...base,
      plans: { slow: { ...free, routing: "basic" }, fast: free },
      payg: { routing: "basic" },
    }),
  );
  /** A key of an organization that changes from one plan to another at the instant 100. */
  const principal = (mode: "subscription" | "payg", plan?: string, next?: string) =>
    ({
      key: { mode },
      organization: {
        subscription: plan ? { plan, ...(next && { next: { plan: next, from: 100 } }) } : null,
      },
    }) as Principal;

  const table: [who: string, principal: Principal, routing: Routing][] = [
    ["a plan that says nothing", principal("subscription", "fast"), "smart"],
    ["a basic plan", principal("subscription", "slow"), "basic"],
    ["a plan until the next one begins", principal("subscription", "fast", "slow"), "smart"],
    ["pay-as-you-go", principal("payg"), "basic"],
    ["pay-as-you-go of an organization with a plan", principal("payg", "fast"), "basic"],
    ["a plan that left the catalog", principal("subscription", "gone"), "basic"],
    ["no subscription", principal("subscription"), "basic"],
  ];
  test.each(table)("of %s", (_, who, routing) => expect(routingOf(who, models, 99)).toBe(routing));

  test("changes with its plan, and pay-as-you-go gets what the catalog says", () => {
    expect(routingOf(principal("subscription", "fast", "slow"), models, 100)).toBe("basic");
    const smart = createCatalog(parseCatalog({ ...base, payg: { routing: "smart" } }));
    expect(routingOf(principal("payg"), smart, 0)).toBe("smart");
  });

  test("of the default catalog: subscriptions get smart routing, pay-as-you-go keys basic routing (contract §2.1)", () => {
    const models = createCatalog(parseCatalog(catalogFile));
    expect(Object.values(models.plans()).map(({ routing }) => routing)).toEqual(["smart", "smart", "smart"]);
    expect(models.payg()).toEqual({ routing: "basic" });
  });
});
