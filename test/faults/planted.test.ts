/**
 * One fault in the books of a history that has come to rest (`test/simulation/planted.ts`): the audit names it.
 * `npm run simulate -- --fault` plays any number of such histories.
 */
import { expect, test } from "vitest";
import { simulateOrders } from "#test/simulation/orders/scenario.ts";
import { simulate } from "#test/simulation/scenario.ts";

/** Histories in which the audit once passed over the fault, and some others. */
const ofCalls = [
  5, 38, 66, 160, 176, 208, 221, 264, 339, 493, 534, 589, 10003, 10060, 10255, 11023, 1, 2, 3, 4,
];
const ofOrders = [17, 26, 50, 62, 87, 106, 176, 221, 1188, 101397, 103390, 3, 4, 6, 7, 8, 9, 10, 11, 12];

test("a field that is changed in the books of calls is named", async () => {
  for (const seed of ofCalls) expect((await simulate(seed, { fault: true })).violations).toEqual([]);
});

test("a field that is changed in the books of orders is named", async () => {
  for (const seed of ofOrders) expect((await simulateOrders(seed, { fault: true })).violations).toEqual([]);
});
