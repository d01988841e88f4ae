/**
 * What a process does when calls rush at a wallet (shared/books/meters/README.md "A rush"). It asks for more shards, beside
 * the call that noticed, and forgets the records that say how many there are.
 */
import type { HttpReply } from "../../base/http/message.ts";
import { limits } from "../../base/limits.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import type { Rush } from "../../books/meters/admission.ts";

/** A wallet as the call knew it that met a rush. */
export interface RushedWallet {
  organization: string;
  meter: string;
  shards: number;
}

/** What it needs. */
export interface RushDeps {
  /** Forgets the records that the process knows of an organization. */
  keys: { forget(organization: string): void };
  /** Gives the wallet more shards, unless others have done so. */
  grow: (wallet: RushedWallet, throttled: boolean) => Promise<void>;
  log: Log;
  /** Unix milliseconds. */
  now: () => number;
}

export class Rushes {
  readonly #deps: RushDeps;
  /** When the process last did something, by what it was and the meter. */
  readonly #done = new Map<string, number>();
  /** What is being asked for now. */
  readonly #asking = new Set<Promise<void>>();

  constructor(deps: RushDeps) {
    this.#deps = deps;
  }

  /** Notes what an admission found. Returns at once and never throws: no call waits for it or fails by it. */
  note(wallet: RushedWallet, { throttled, asks }: Rush): void {
    const { organization, meter } = wallet;
    // One that found many calls may ask for spread hours alone. It does not take the turn of one that was throttled.
    if (asks && this.#isDue(`asked ${meter} ${throttled}`)) this.#ask(wallet, throttled);
    if (this.#isDue(`forgot ${meter}`)) this.#deps.keys.forget(organization);
  }

  /** The reply. The work after its body ends when nothing is being asked for, because a sandbox may freeze after it. */
  endAfter(reply: HttpReply): HttpReply {
    if (this.#asking.size === 0) return reply;
    const after = async (): Promise<void> => {
      await reply.after?.();
      await Promise.all(this.#asking);
    };
    return { ...reply, after };
  }

  #ask(wallet: RushedWallet, throttled: boolean): void {
    const { keys, grow, log } = this.#deps;
    const asking = grow(wallet, throttled)
      // The sweep does it within minutes, and the next call in a second asks again.
      .catch((error: unknown) =>
        log("warn", "rush_failed", { error: `${wallet.meter}: ${describeError(error)}` }),
      )
      .then(() => {
        // Only now do the records say how many shards there are.
        keys.forget(wallet.organization);
        this.#asking.delete(asking);
      });
    this.#asking.add(asking);
  }

  #isDue(what: string): boolean {
    const now = this.#deps.now();
    const last = this.#done.get(what);
    if (last !== undefined && now - last < limits.rushAgainMs) return false;
    if (this.#done.size >= limits.refusalMemoryMax) this.#done.clear();
    this.#done.set(what, now);
    return true;
  }
}
