/** Counts round trips: calls of one moment go to AWS together, and the next ones wait until all of them are back. */
import { setImmediate as turn } from "node:timers/promises";
import type { Aws } from "#shared/base/platform/aws.ts";

/** So many turns of the event loop without a call, and nobody is about to make one. Signing a token takes some. */
const quietTurns = 20;

interface Rounds {
  aws: Aws;
  /** Forgets the rounds so far. */
  begin(): void;
  /** The actions of each round since, sorted. */
  taken(): string[][];
}

/** The port with its calls in rounds. */
export function inRounds(aws: Aws): Rounds {
  let rounds: string[][] = [];
  let waiting: { action: string; go: () => Promise<void> }[] = [];
  let isRunning = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.length > 0) {
      for (let quiet = 0, count = waiting.length; quiet < quietTurns; quiet++) {
        await turn();
        if (waiting.length > count) [quiet, count] = [0, waiting.length];
      }
      const round = waiting;
      waiting = [];
      rounds.push(round.map(({ action }) => action).sort());
      await Promise.all(round.map(({ go }) => go()));
      for (let quiet = 0; quiet < quietTurns && waiting.length === 0; quiet++) await turn();
    }
    isRunning = false;
  };

  const held = (...call: Parameters<Aws>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const go = async () => {
        await aws(...call).then(resolve, reject);
      };
      waiting.push({ action: call[1], go });
      if (!isRunning) void run();
    });

  return {
    aws: held as Aws,
    begin: () => {
      rounds = [];
    },
    taken: () => rounds,
  };
}
