/**
 * `npm run simulate-orders -- --seeds N [--from N]` plays the histories of orders; `--seed N --trace` plays one again and
 * tells what happened; `--mutant NAME` breaks the product first. Ends with 1 at the first seed that finds something.
 */
import { parseArgs } from "node:util";
import { orderMutants } from "./mutants.ts";
import { type OrderOutcome, simulateOrders } from "./scenario.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    trace: { type: "boolean", default: false },
    mutant: { type: "string" },
  },
});

const first = Number(values.seed ?? values.from);
const last = values.seed === undefined ? first + Number(values.seeds) - 1 : first;
const progressMs = 10_000;

async function main(): Promise<number> {
  const totals = { histories: 0, orders: 0, lost: 0, doubled: 0, unpaid: 0, steps: 0, timed: 0 };
  const states: Record<string, number> = {};
  const started = Date.now();
  const tell = () => {
    const seconds = Math.round((Date.now() - started) / 1000);
    console.log(JSON.stringify({ ...totals, slowest_ms: slowestMs, states, seconds }));
  };
  let told = started;
  let slowestMs = 0;
  for (let seed = first; seed <= last; seed++) {
    const mutation = orderMutants[values.mutant ?? ""];
    const outcome = await simulateOrders(seed, { trace: values.trace, ...(mutation && { mutation }) });
    totals.histories += 1;
    for (const name of ["orders", "lost", "doubled", "unpaid", "steps"] as const)
      totals[name] += outcome[name];
    totals.timed += outcome.waits.length;
    slowestMs = Math.max(slowestMs, ...outcome.waits);
    for (const [state, count] of Object.entries(outcome.states)) states[state] = (states[state] ?? 0) + count;
    if (values.trace) console.log(outcome.trace.join("\n"));
    if (outcome.violations.length > 0) return report(outcome);
    if (Date.now() - told > progressMs) {
      tell();
      told = Date.now();
    }
  }
  tell();
  return 0;
}

function report({ seed, violations }: OrderOutcome): number {
  console.log(`seed ${seed}:\n  ${violations.slice(0, 10).join("\n  ")}`);
  console.log(`again, with its trace: npm run simulate-orders -- --seed ${seed} --trace`);
  return 1;
}

process.exitCode = await main();
