/**
 * `npm run simulate -- --seeds 100000 [--from N]` runs many seeds; `--seed N --trace` runs one again and
 * tells what happened; `--mutant NAME` breaks the product first. Ends with 1 at the first seed that finds something.
 */
import { parseArgs } from "node:util";
import { mutants } from "./mutants.ts";
import { type Outcome, simulate } from "./scenario.ts";

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
  const totals = { seeds: 0, calls: 0, unwritten: 0, steps: 0 };
  const started = Date.now();
  const tell = () => {
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    const { seeds, calls, unwritten, steps } = totals;
    console.log(`${seeds} seeds, ${calls} calls (${unwritten} unwritten), ${steps} steps in ${seconds} s`);
  };
  let told = started;
  for (let seed = first; seed <= last; seed++) {
    const mutant = mutants[values.mutant ?? ""];
    const outcome = await simulate(seed, { trace: values.trace, ...(mutant && { mutation: mutant() }) });
    totals.seeds += 1;
    totals.calls += outcome.calls;
    totals.unwritten += outcome.unwritten;
    totals.steps += outcome.steps;
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

function report({ seed, violations }: Outcome): number {
  console.log(`seed ${seed}:\n  ${violations.slice(0, 10).join("\n  ")}`);
  console.log(`again, with its trace: npm run simulate -- --seed ${seed} --trace`);
  return 1;
}

process.exitCode = await main();
