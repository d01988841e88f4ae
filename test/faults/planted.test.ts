/**
 * One fault in the books of a history that has come to rest (`test/simulation/planted.ts`): the audit names it.
 * `npm run simulate -- --fault` plays any number of such histories.
 */
import { expect, test } from "vitest";
import { simulateOrders } from "#test/simulation/orders/scenario.ts";
import { type Outcome, simulate } from "#test/simulation/scenario.ts";

/** Histories in which the audit once passed over the fault, and some others. */
const ofCalls = [
  5, 38, 66, 160, 176, 208, 221, 264, 339, 493, 534, 589, 10003, 10060, 10255, 11023, 1, 2, 3, 4,
];
const ofOrders = [17, 26, 50, 62, 87, 106, 176, 221, 1188, 101397, 103390, 3, 4, 6, 7, 8, 9, 10, 11, 12];

/** A history that finds something is told whole: another process may not find it again. */
function expectNone({ seed, violations, trace }: Pick<Outcome, "seed" | "violations" | "trace">): void {
  expect(violations, [`seed ${seed}`, ...trace].join("\n")).toEqual([]);
}

// A second try would find all loaded.
test("the first history of a process happens as it does later: nothing is loaded in between", {
  retry: 0,
}, async () => {
  for (const seed of [493, 38, 160]) {
    const [first, later] = [await simulate(seed), await simulate(seed)];
    expect(first).toEqual(later);
  }
});

test("a field that is changed in the books of calls is named", async () => {
  for (const seed of ofCalls) expectNone(await simulate(seed, { fault: true, trace: true }));
});

test("a field that is changed in the books of orders is named", async () => {
  for (const seed of ofOrders) expectNone(await simulateOrders(seed, { fault: true, trace: true }));
});
