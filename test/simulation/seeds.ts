/** What the commands that play seeds share: their options, what they tell on the way, and how they end. */
import { parseArgs } from "node:util";

/** What a seed came to, as far as every command tells it. */
interface Played {
  seed: number;
  violations: string[];
  trace: string[];
}

/** What one command plays. */
export interface Game<Outcome extends Played> {
  /** The script of `package.json` that plays it. */
  script: string;
  /** Plays one seed. `mutant` is the name of what breaks the product, or empty. */
  play(seed: number, options: { trace: boolean; mutant: string }): Promise<Outcome>;
  /** Adds a seed to the totals. */
  count(outcome: Outcome): void;
  /** The totals after so many milliseconds, as a line. */
  totals(elapsedMs: number): string;
}

const progressMs = 10_000;

/**
 * Plays the seeds that the command line asks for, and prints the totals now and then. Gives the exit code: 1 at the
 * first seed that finds something, where it ends, and otherwise 0.
 */
export async function playSeeds<Outcome extends Played>(game: Game<Outcome>): Promise<number> {
  const { first, last, trace, mutant } = wanted();
  const started = Date.now();
  const tell = () => console.log(game.totals(Date.now() - started));
  let told = started;
  for (let seed = first; seed <= last; seed++) {
    const outcome = await game.play(seed, { trace, mutant });
    game.count(outcome);
    if (trace) console.log(outcome.trace.join("\n"));
    if (outcome.violations.length > 0) return report(game.script, outcome);
    if (Date.now() - told > progressMs) {
      tell();
      told = Date.now();
    }
  }
  tell();
  return 0;
}

function wanted(): { first: number; last: number; trace: boolean; mutant: string } {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      seeds: { type: "string", default: "2000" },
      from: { type: "string", default: "1" },
      trace: { type: "boolean", default: false },
      mutant: { type: "string", default: "" },
    },
  });
  const { seed, seeds, from, trace, mutant } = values;
  const first = Number(seed ?? from);
  return { first, last: seed === undefined ? first + Number(seeds) - 1 : first, trace, mutant };
}

function report(script: string, { seed, violations }: Played): number {
  console.log(`seed ${seed}:\n  ${violations.slice(0, 10).join("\n  ")}`);
  console.log(`again, with its trace: npm run ${script} -- --seed ${seed} --trace`);
  return 1;
}
