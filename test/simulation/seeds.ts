/** What the commands that play seeds share: their options, what they tell on the way, and how they end. */
import { parseArgs } from "node:util";

/** What a seed came to, as far as every command tells it. */
interface Played {
  seed: number;
  violations: string[];
  trace: string[];
}

/** What the command line chooses for every seed. */
interface Choice {
  trace: boolean;
  fault: boolean;
  mutant: string;
}

/** What one command plays. */
interface Game<Outcome extends Played> {
  /** The script of `package.json` that plays it. */
  script: string;
  /** Plays one seed. `mutant` is the name of what breaks the product, or empty. With `fault` one is planted in the books. */
  play(seed: number, options: Choice): Promise<Outcome>;
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
  const { first, last, ...choice } = wanted();
  const started = Date.now();
  const tell = () => console.log(game.totals(Date.now() - started));
  let told = started;
  for (let seed = first; seed <= last; seed++) {
    const outcome = await game.play(seed, choice);
    game.count(outcome);
    if (choice.trace) console.log(outcome.trace.join("\n"));
    if (outcome.violations.length > 0) return report(game.script, choice, outcome);
    if (Date.now() - told > progressMs) {
      tell();
      told = Date.now();
    }
  }
  tell();
  return 0;
}

function wanted(): Choice & { first: number; last: number } {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      seeds: { type: "string", default: "2000" },
      from: { type: "string", default: "1" },
      trace: { type: "boolean", default: false },
      fault: { type: "boolean", default: false },
      mutant: { type: "string", default: "" },
    },
  });
  const { seed, seeds, from, ...choice } = values;
  const first = Number(seed ?? from);
  return { first, last: seed === undefined ? first + Number(seeds) - 1 : first, ...choice };
}

function report(script: string, { fault }: Choice, { seed, violations }: Played): number {
  console.log(`seed ${seed}:\n  ${violations.slice(0, 10).join("\n  ")}`);
  console.log(`again, with its trace: npm run ${script} -- --seed ${seed}${fault ? " --fault" : ""} --trace`);
  return 1;
}
