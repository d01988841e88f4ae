/** How many codes one address may guess, for whichever phones (people/identity/README.md "Codes"). */

import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError } from "../../base/errors.ts";
import type { Log } from "../../base/platform/log.ts";
import { spanEnd, spanOf } from "../../books/billing/period.ts";
import { addressOf } from "./address.ts";
import { takeAll, type Velocity, type VelocityCount } from "./velocity.ts";
import { waitInWords } from "./wait-in-words.ts";

/** A guess that was counted: what to give back if it was right. */
export type CountedGuess = readonly VelocityCount[];

export interface GuessGuard {
  /** Counts a guess before it is compared. Throws `sms_too_often` with the wait, and has then counted nothing. */
  admit(ip: string): Promise<CountedGuess>;
  /** Takes a guess back that was right: only wrong ones stay counted, so that neighbors do not shut each other out. */
  giveBack(guess: CountedGuess): Promise<void>;
}

interface GuessGuardDeps {
  velocity: Pick<Velocity, "take" | "giveBack">;
  log: Log;
  now: () => number;
}

/** The guard of a stage. A refusal is a line `guess_refused` with its reason: `ip` or `network`. */
export function createGuessGuard({ velocity, log, now }: GuessGuardDeps): GuessGuard {
  return {
    async admit(ip) {
      const at = now();
      const counts = countsOf(ip, at);
      const { full } = await takeAll(counts, velocity);
      if (!full) return counts;
      log("info", "guess_refused", { reason: full === counts[0] ? "ip" : "network" });
      const wait_ms = full.ends_at - at;
      const message = `Too many wrong codes came from your network. Try again in ${waitInWords(wait_ms)}.`;
      throw new GatewayError("sms_too_often", { message, wait_ms, reason: "wrong_codes" });
    },

    async giveBack(guess) {
      await Promise.all(guess.map((count) => velocity.giveBack(count)));
    },
  };
}

function countsOf(text: string, at: number): VelocityCount[] {
  const { ip, network } = addressOf(text);
  const window = spanOf(at, "hour");
  const within = { window, ends_at: spanEnd(window) };
  return [
    { what: `guesses:${ip}`, most: consoleLimits.guessesOfIpHourMax, ...within },
    { what: `guesses-around:${network}`, most: consoleLimits.guessesOfNetworkHourMax, ...within },
  ];
}
