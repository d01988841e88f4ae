/**
 * Plays the histories of orders under a seeded scheduler (`test/simulation/orders`). Processes die, answers and calls of
 * the platforms are lost, late, doubled or forged: what is paid is booked once, and nothing else is. A product that is
 * broken on purpose is found out.
 */
import { describe, expect, test } from "vitest";
import { orderMutants } from "#test/simulation/orders/mutants.ts";
import { type OrderOutcome, simulateOrders } from "#test/simulation/orders/scenario.ts";

/** So many stay whole here. `npm run simulate-orders` plays more of them. */
const seedsHere = 100;
/** So far a mutant is looked for. */
const seedsMax = 400;
/** What a person needs to see of a seed that found something. */
async function story({ seed, violations }: OrderOutcome): Promise<string> {
  const { trace } = await simulateOrders(seed, { trace: true });
  return [`npm run simulate-orders -- --seed ${seed} --trace`, ...violations, ...trace].join("\n");
}

test(`${seedsHere} histories of orders lose and double nothing`, async () => {
  const states = new Set<string>();
  const told = new Set<string>();
  for (let seed = 1; seed <= seedsHere; seed++) {
    const outcome = await simulateOrders(seed);
    for (const state of Object.keys(outcome.states)) states.add(state);
    for (const event of outcome.told.keys()) told.add(event);
    if (outcome.violations.length > 0) expect.fail(await story(outcome));
  }
  expect([...states].sort()).toEqual(["closed", "credited", "partly_refunded", "refunded", "review"]);
  const wanted = [
    ...[
      "order_created",
      "order_paid",
      "order_credited",
      "order_closed",
      "order_review",
      "order_overdue",
      "order_refunded_elsewhere",
    ],
    ...["order_converted", "order_refunded", "refund_refused", "refund_failed", "reconciled"],
  ];
  expect(wanted.filter((event) => !told.has(event))).toEqual([]);
});

test("a history happens the same way every time", async () => {
  for (const seed of [1, 2, 3]) {
    const [first, second] = [
      await simulateOrders(seed, { trace: true }),
      await simulateOrders(seed, { trace: true }),
    ];
    expect(first.trace.length).toBeGreaterThan(10);
    expect(second).toEqual(first);
  }
});

describe("a product that", () => {
  test.each(Object.keys(orderMutants))("%s is found out", async (name) => {
    const mutation = orderMutants[name];
    for (let seed = 1; seed <= seedsMax; seed++) {
      if (mutation && (await simulateOrders(seed, { mutation })).violations.length > 0) return;
    }
    expect.fail(`not found out in ${seedsMax} seeds`);
  });
});
