/**
 * How many codes may be guessed from one place, whichever phones they are for (people/identity/README.md "Codes"). The
 * phone's own five guesses do not stop somebody who guesses once for each of many phones.
 */

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
  /**
   * Counts a guess from an address, before anybody compares it. Throws `sms_too_often` with the wait where the address
   * or the network around it has guessed wrongly too often. Then nothing was counted.
   */
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
