/**
 * What a limit of the minute or day has just refused is refused again without asking the meter, so that a flood
 * of such calls costs no writes (billing.md §2.2 and S24). It consumes nothing, so that nobody is harmed who is
 * told 42901 where the meter would by now say that the key is revoked or the month's quota used up.
 *
 * Requests and tokens are given back by calls that fail, take less than was reserved, or are refused in the same
 * moment, and a memory does not hear of it. So it lasts a second, which is the least that a refused client is told
 * to wait: who obeys `retry-after` is refused only by what the meter has said since.
 */

import { limits } from "../limits.ts";
import type { Bar, Hold, Refusal } from "../meters/meter.ts";
import { retryAfterSeconds } from "../meters/window.ts";
import type { Taken } from "./take.ts";

/** A refusal of the meter, and the hold that it was asked for. */
interface Memory {
  refused: Hold;
  refusal: Refusal;
  bar: Bar;
}

/** The refusals that one process knows of. Time is what the holds say: when their calls were received. */
export class Refusals {
  /** By the limit that refused, the oldest first. */
  readonly #memories = new Map<string, Memory>();

  /** Gives the refusal that still binds such a hold, or else takes it. Throws what `take` throws. */
  async ask(hold: Hold, take: () => Promise<Taken>): Promise<Taken> {
    const known = this.#find(hold);
    if (known) return { hold, admission: known };
    const taken = await take();
    if (!taken.admission.admitted) this.#keep(hold, taken.admission);
    return taken;
  }

  /** Of several the one that lasts longest, as on the meter. */
  #find(hold: Hold): Refusal | undefined {
    const binding = limitsOn(hold)
      .flatMap((limit) => this.#memories.get(nameOf(hold, limit)) ?? [])
      .filter((memory) => binds(memory, hold))
      .sort((a, b) => b.bar.until - a.bar.until)[0];
    if (!binding) return undefined;
    const { refusal, bar } = binding;
    const retry_after_seconds = retryAfterSeconds(bar.until, hold.at);
    return { ...refusal, standing: bar.standing, retry_after_seconds };
  }

  #keep(refused: Hold, { bar, ...refusal }: Refusal): void {
    if (!bar) return;
    const name = nameOf(refused, bar);
    this.#memories.delete(name);
    const [oldest] = this.#memories.keys();
    if (oldest !== undefined && this.#memories.size >= limits.refusalMemoryMax) this.#memories.delete(oldest);
    this.#memories.set(name, { refused, refusal, bar });
  }
}

type Limit = Pick<Bar, "limit" | "own">;

/** The limits that can refuse a hold: a count of tokens is a request, and uses none. */
function limitsOn({ counting }: Hold): Limit[] {
  const kinds = counting ? (["rpm"] as const) : (["rpm", "tpm", "tpd"] as const);
  return kinds.flatMap((limit) => [
    { limit, own: false },
    { limit, own: true },
  ]);
}

/** A limit by its size too, so that nobody is refused by one that was changed. */
function nameOf({ meter, key, terms, limits: own }: Hold, limit: Limit): string {
  const size = (limit.own ? own : terms)?.[limit.limit] ?? null;
  return JSON.stringify([meter, limit.own ? key : "", limit.limit, size]);
}

/** A call that was received earlier, or by a clock that has gone back since, may be of another minute or day. */
function binds({ refused, bar }: Memory, hold: Hold): boolean {
  if (hold.at < refused.at || hold.at >= Math.min(bar.until, refused.at + limits.refusalMemoryMs))
    return false;
  return bar.limit === "rpm" || hold.tokens >= refused.tokens;
}
