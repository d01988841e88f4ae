/**
 * Holds whose settlement was refused for load each time. A process keeps them, and its next settlement on the same item
 * ends them too (shared/books/meters/README.md "A settlement that is refused").
 */
import { limits } from "../../../base/limits.ts";
import type { Hold, Settlement, Ticket } from "../../../books/meters/hold.ts";

/** A hold and how it ends. */
export interface HoldEnding {
  ticket: Ticket;
  settlement: Settlement;
}

/** The refused settlements of a process. */
export class Unsettled {
  readonly #byItem = new Map<string, HoldEnding[]>();
  #count = 0;

  /** Keeps a settlement. One too many is left to the sweep. */
  keep({ ticket, settlement }: HoldEnding): void {
    if (this.#count >= limits.unsettledMax) return;
    const name = nameOf(ticket.hold);
    const kept = this.#byItem.get(name) ?? [];
    kept.push({ ticket, settlement });
    this.#byItem.set(name, kept);
    this.#count += 1;
  }

  /** Takes away at most so many of those on the item of a hold. */
  take(hold: Hold, most: number): HoldEnding[] {
    // Hardly any process ever has one.
    if (this.#count === 0) return [];
    const name = nameOf(hold);
    const kept = this.#byItem.get(name) ?? [];
    const taken = kept.splice(0, most);
    if (kept.length === 0) this.#byItem.delete(name);
    this.#count -= taken.length;
    return taken;
  }
}

function nameOf({ meter, shard }: Hold): string {
  return `${meter} ${shard}`;
}
