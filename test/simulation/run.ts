/**
 * `npm run simulate -- --seeds 100000 [--from N]` runs many seeds; `--seed N --trace` runs one again and
 * tells what happened; `--mutant NAME` breaks the product first, and `--fault` plants one fault in
 * the books of each seed, which the audit must name. Ends with 1 at the first seed that finds something.
 */
import { mutants } from "./mutants.ts";
import { simulate } from "./scenario.ts";
import { playSeeds } from "./seeds.ts";

const totals = { seeds: 0, calls: 0, unwritten: 0, steps: 0 };

process.exitCode = await playSeeds({
  script: "simulate",
  play(seed, { mutant, ...options }) {
    const mutation = mutants[mutant]?.();
    return simulate(seed, { ...options, ...(mutation && { mutation }) });
  },
  count({ calls, unwritten, steps }) {
    totals.seeds += 1;
    totals.calls += calls;
    totals.unwritten += unwritten;
    totals.steps += steps;
  },
  totals(elapsedMs) {
    const { seeds, calls, unwritten, steps } = totals;
    const seconds = (elapsedMs / 1000).toFixed(1);
    return `${seeds} seeds, ${calls} calls (${unwritten} unwritten), ${steps} steps in ${seconds} s`;
  },
});
