/**
 * The refusals that this process remembers. After a limit of the minute or day has refused a call, the process refuses
 * the next call like it without asking the meter. A flood of such calls then costs no writes on the meter (billing.md §2.2 and S24).
 * The meter might by now say something else: that the key is revoked, or the month's quota used up. The client is told
 * 42901 all the same. That does no harm, because a refused call consumes nothing.
 *
 * The meter gives requests and tokens back when a call fails, uses less than it reserved, or is refused at the same
 * moment. The memory does not learn of that, so it lasts only one second. No client is told a shorter `retry-after`. A
 * client that waits for it is refused only by what the meter has said since.
 */
import { limits } from "../../base/limits.ts";
import type { Refusal, RefusalScope, Taken } from "../../books/meters/admission.ts";
import type { Hold } from "../../books/meters/hold.ts";
import { retryAfterSeconds } from "../../books/meters/window.ts";

/** A refusal of the meter, and the hold that it refused. */
interface Memory {
  refused: Hold;
  refusal: Refusal;
  scope: RefusalScope;
}

/** The refusals that one process knows of. Its clock is the holds': when their calls were received. */
export class Refusals {
  /** By the limit that refused, the oldest first. */
  readonly #memories = new Map<string, Memory>();

  /** Gives a remembered refusal that still binds this hold, or else takes the hold. Throws what `take` throws. */
  async ask(hold: Hold, take: () => Promise<Taken>): Promise<Taken> {
    const known = this.#find(hold);
    if (known) return { hold, admission: known };
    const taken = await take();
    if (!taken.admission.admitted) this.#keep(hold, taken.admission);
    return taken;
  }

  /** Of several refusals the one that lasts longest, as on the meter. */
  #find(hold: Hold): Refusal | undefined {
    if (this.#memories.size === 0) return undefined;
    const binding = limitsOn(hold)
      .flatMap((limit) => this.#memories.get(nameOf(hold, limit)) ?? [])
      .filter((memory) => binds(memory, hold))
      .sort((a, b) => b.scope.until - a.scope.until)[0];
    if (!binding) return undefined;
    const { refusal, scope } = binding;
    const seconds = retryAfterSeconds(scope.until, hold.at);
    return { ...refusal, limitStatus: scope.limitStatus, retryAfterSeconds: seconds };
  }

  #keep(refused: Hold, { scope, ...refusal }: Refusal): void {
    if (!scope) return;
    const name = nameOf(refused, scope);
    this.#memories.delete(name);
    const [oldest] = this.#memories.keys();
    if (oldest !== undefined && this.#memories.size >= limits.refusalMemoryMax) this.#memories.delete(oldest);
    this.#memories.set(name, { refused, refusal, scope });
  }
}

type Limit = Pick<RefusalScope, "limit" | "own">;

/** The limits that can refuse a hold. A count of tokens is one request, and uses no tokens. */
function limitsOn({ counting }: Hold): Limit[] {
  const kinds = counting ? (["rpm"] as const) : (["rpm", "tpm", "tpd"] as const);
  return kinds.flatMap((limit) => [
    { limit, own: false },
    { limit, own: true },
  ]);
}

/** A limit's name holds its size too, so that a limit that was changed refuses nobody by its old size. */
function nameOf({ meter, key, planLimits, limits: own }: Hold, limit: Limit): string {
  const size = (limit.own ? own : planLimits)?.[limit.limit] ?? null;
  return JSON.stringify([meter, limit.own ? key : "", limit.limit, size]);
}

/**
 * Whether a remembered refusal binds this hold. It does not bind a call that was received earlier, which may belong to
 * another minute or day, also when the clock has been set back.
 */
function binds({ refused, scope }: Memory, hold: Hold): boolean {
  if (hold.at < refused.at || hold.at >= Math.min(scope.until, refused.at + limits.refusalMemoryMs))
    return false;
  return scope.limit === "rpm" || hold.tokens >= refused.tokens;
}
