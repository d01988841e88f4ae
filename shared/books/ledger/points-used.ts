/**
 * Which points of a wallet are used, and which are left (books/ledger/README.md "Which points are used first"). Calls
 * and plans use those first that nobody has paid for, and then bought ones, the oldest first. Everything here is pure
 * calculation from entries; points are 10⁻¹⁸.
 */
import { creditedBy, creditKindOf } from "./credit.ts";
import type { Entry } from "./ledger.ts";

/** The points of one credit. */
interface Lot {
  /** The credit's, such as `order.<id>`. */
  reference: string;
  /** Whether money was paid for them. Only such points are paid back. */
  isBought: boolean;
  left: bigint;
}

/** A lot while it is counted: what calls have used of it may come back. */
interface CountedLot extends Lot {
  used: bigint;
}

type Part = readonly [lot: CountedLot, points: bigint];

/** A credit's entry, or what calls were charged since the movement before it. */
export type Movement = Entry | bigint;

/** What is left of each credit after these movements, which are in order of time. The lots are too. */
export function lotsOf(movements: Iterable<Movement>): Lot[] {
  const wallet = new LotCount();
  for (const movement of movements) {
    if (typeof movement === "bigint") wallet.use(movement);
    else wallet.credit(movement);
  }
  return wallet.lots;
}

class LotCount {
  readonly lots: CountedLot[] = [];
  /**
   * What a refund or a plan has taken, by its reference. It comes back where the platform refuses the refund, or where the
   * plan is paid back.
   */
  readonly #taken = new Map<string, Part[]>();
  /** What was used when nothing was left: calls may use more than they hold. The next credit pays it. */
  #owed = 0n;

  /** Calls have used points. A correction may lower that. */
  use(points: bigint): void {
    if (points < 0n) this.#giveBack(-points);
    else for (const [lot, part] of this.#take(points, this.#inOrder())) lot.used += part;
  }

  credit(entry: Entry): void {
    const [kind, points, reference] = [
      creditKindOf(entry),
      creditedBy(entry),
      entry.id.slice("credit#".length),
    ];
    const taken = this.#taken.get(entry.of ?? reference.replace(/\.back$/, ""));
    if (kind === "refund") this.#taken.set(reference, this.#take(-points, this.#toPayBack(entry.of)));
    else if (kind === "plan" && points < 0n) this.#taken.set(reference, this.#take(-points, this.#inOrder()));
    else if (points < 0n) this.use(-points);
    else if (kind === "bought" || kind === "promotional")
      this.#add({ reference, isBought: kind === "bought", left: points });
    else if (taken) this.#restore(taken, points);
    else this.#giveBack(points, reference);
  }

  /** Promotional points and gifts first, then bought ones; of both the oldest first. */
  #inOrder(): CountedLot[] {
    return [
      ...this.lots.filter(({ isBought }) => !isBought),
      ...this.lots.filter(({ isBought }) => isBought),
    ];
  }

  /** A refund takes the points that it pays back. One that does not name them takes bought ones, the oldest first. */
  #toPayBack(reference: string | undefined): CountedLot[] {
    const rank = (lot: CountedLot) => (lot.reference === reference ? 0 : lot.isBought ? 1 : 2);
    return this.lots.toSorted((one, other) => rank(one) - rank(other));
  }

  #take(points: bigint, from: CountedLot[]): Part[] {
    let rest = points;
    const parts = from.flatMap((lot): Part[] => {
      const part = least(lot.left, rest);
      lot.left -= part;
      rest -= part;
      return part === 0n ? [] : [[lot, part]];
    });
    this.#owed += rest;
    return parts;
  }

  #add(lot: Lot): void {
    const part = this.#payOwed(lot.left);
    this.lots.push({ ...lot, left: lot.left - part, used: part });
  }

  #payOwed(points: bigint): bigint {
    const part = least(this.#owed, points);
    this.#owed -= part;
    return part;
  }

  /** Points that were charged wrongly go back to where calls took them last. What nobody has used is a gift. */
  #giveBack(points: bigint, reference = ""): void {
    let rest = points - this.#payOwed(points);
    for (const lot of this.#inOrder().reverse()) {
      const part = least(lot.used, rest);
      lot.used -= part;
      lot.left += part;
      rest -= part;
    }
    if (rest > 0n) this.#add({ reference, isBought: false, left: rest });
  }

  /** Points come back to where they were taken last. What calls have used beyond the wallet meanwhile is taken at once. */
  #restore(parts: readonly Part[], points: bigint): void {
    let rest = points;
    for (const [lot, taken] of parts.toReversed()) {
      const part = least(taken, rest);
      lot.left += part;
      rest -= part;
    }
    this.#payOwed(rest);
    this.use(this.#payOwed(this.#owed));
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
