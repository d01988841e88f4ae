/**
 * `npm run simulate-orders -- --seeds N [--from N]` plays the histories of orders; `--seed N --trace` plays one again and
 * tells what happened; `--mutant NAME` breaks the product first, and `--fault` plants one fault in
 * the books of each seed, which the audit must name. Ends with 1 at the first seed that finds something.
 */
import { playSeeds } from "../seeds.ts";
import { orderMutants } from "./mutants.ts";
import { simulateOrders } from "./scenario.ts";

const totals = { histories: 0, orders: 0, automatic: 0, lost: 0, doubled: 0, unpaid: 0, steps: 0, timed: 0 };
const states: Record<string, number> = {};
let slowestMs = 0;

process.exitCode = await playSeeds({
  script: "simulate-orders",
  play(seed, { mutant, ...options }) {
    const mutation = orderMutants[mutant];
    return simulateOrders(seed, { ...options, ...(mutation && { mutation }) });
  },
  count(outcome) {
    totals.histories += 1;
    for (const name of ["orders", "automatic", "lost", "doubled", "unpaid", "steps"] as const)
      totals[name] += outcome[name];
    totals.timed += outcome.waits.length;
    slowestMs = Math.max(slowestMs, ...outcome.waits);
    for (const [state, count] of Object.entries(outcome.states)) states[state] = (states[state] ?? 0) + count;
  },
  totals: (elapsedMs) =>
    JSON.stringify({ ...totals, slowest_ms: slowestMs, states, seconds: Math.round(elapsedMs / 1000) }),
});
