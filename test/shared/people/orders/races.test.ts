/**
 * A payer, two calls of the platform, an open page, a close and a death, in every order in which their actions can come,
 * with the product's own code over DynamoDB in memory. Whatever happens, a paid order is booked once, and an unpaid one
 * is not. Without any of the four rules of people/payments/README.md this finds a run in which that is not so.
 */
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import type { Orders } from "#shared/people/payments/orders.ts";
import { later, type Mutant, type Scene, scene } from "#test/shared/people/orders/order-races.ts";
import { everyState, type Found } from "#test/support/every-state.ts";

/** Who acts at once. Two calls of the platform, because it repeats what it thinks was lost. */
const casts: Scene["agents"][] = [
  ["payer", "notice", "notice", "close"],
  ["payer", "notice", "page", "close"],
  ["payer", "notice", "notice", "reconciler"],
];

const told = ({ failure }: Found) => failure && [...failure.steps, String(failure.error)].join("\n");

describe.each([
  ["the platform knows the order at once", false],
  ["the platform knows the order once its code is scanned", true],
])("%s", (_, scansFirst) => {
  test.each(casts)("%s, %s, %s and %s lose and double nothing", async (...agents) => {
    const found = await everyState(scene({ scansFirst, agents }));
    expect(told(found)).toBeUndefined();
    expect(found.states).toBeGreaterThan(300);
  });

  test("one of them dies at any action", async () => {
    const agents: Scene["agents"] = ["payer", "notice", "close"];
    const found = await everyState(scene({ scansFirst, agents, mortal: true }));
    expect(told(found)).toBeUndefined();
    expect(found.states).toBeGreaterThan(100);
  });
});

/** How often a mutant has booked. */
let times = 0;

/** The four rules, each taken away. */
const mutants: Record<string, Mutant> = {
  "closes without its platform": { platform: () => ({ close: async () => "closed" }), orders: forgetClosed },
  "books each time anew": {
    orders: ({ credit }) => ({
      credit: (order, booked) => credit(order, { ...booked, reference: `${booked.reference}.${++times}` }),
    }),
  },
  "credits no closed order": {
    orders: ({ move }) => ({
      move: (order, trigger, facts, due_at) =>
        order.state === "closed" ? Promise.resolve(order) : move(order, trigger, facts, due_at),
    }),
  },
  "asks about no closed order": { orders: forgetClosed },
};

function forgetClosed({ due, find }: Orders): Partial<Orders> {
  return {
    async due(query) {
      const ids = await due(query);
      const orders = await Promise.all(ids.map((id) => find(id)));
      return orders.flatMap((order) => (order && order.state !== "closed" ? [order.id] : []));
    },
  };
}

test.each(Object.keys(mutants))("a product that %s is found out", async (name) => {
  const mutant = mutants[name] ?? {};
  const results: Found[] = [];
  for (const scansFirst of [false, true])
    results.push(
      await everyState(scene({ scansFirst, agents: ["payer", "notice", "notice", "close"], mutant })),
    );
  expect(results.some(({ failure }) => failure)).toBe(true);
});

test("an order's life is long enough for this table of times", () => {
  expect(later[4]).toBe(consoleLimits.orderLifeMs);
});
