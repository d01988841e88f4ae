/** The audit of rollups: a month is the sum of its days, a day of its hours, an hour of its entries. */

import { spanAround, unitOf } from "../../books/billing/period.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { Entry, PlacedRollup, RollupOwner, Sums } from "../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { addSums, negateSums, noSums } from "../../books/reports/report.ts";

/** The result of one check: what is wrong, and a detail for when nothing is. */
export interface Finding {
  gaps: string[];
  /** Gaps that unread messages may explain. */
  open?: string[];
  detail: string;
}

/**
 * Compares sealed days with hours, or months with days. In memory are only what differs and the sums of the open place.
 */
export class SealedSums {
  readonly #unit: "day" | "month";
  readonly #gaps: string[] = [];
  #through = "";
  #excess = new Map<string, Sums>();
  /** Of the rollups that are sealed: what they come to, 10⁻¹⁸ points, and how many they are. */
  points = 0n;
  count = 0;

  constructor(unit: "day" | "month") {
    this.#unit = unit;
  }

  /** Goes on with another place, which is sealed through this day or month. */
  open(through: string): void {
    this.end();
    this.#through = through;
  }

  take(rollup: PlacedRollup): void {
    const [unit, part] = [unitOf(rollup.span), this.#unit === "day" ? "hour" : "day"];
    if (unit !== this.#unit && unit !== part) return;
    const span = unit === part ? spanAround(rollup.span, this.#unit) : rollup.span;
    // An interrupted pass may have written beyond the seal. Nobody reads that.
    if (span > this.#through) return;
    const name = [placeOf(rollup), span, rollup.model, ...ownerOf(rollup)].join(" ");
    const sums = unit === part ? negateSums(rollup.sums) : rollup.sums;
    this.#excess.set(name, addSums(this.#excess.get(name) ?? noSums(), sums));
    if (unit === part) return;
    this.points += rollup.sums.cost_points;
    this.count += 1;
  }

  /** What differs in all places so far, each a sentence. */
  end(): string[] {
    for (const [name, sums] of this.#excess) {
      const figures = figuresOf(sums);
      const parts = this.#unit === "day" ? "hours" : "days";
      if (figures.length > 0) this.#gaps.push(`${name} differs from its ${parts} by ${figures.join(", ")}`);
    }
    this.#excess = new Map();
    return this.#gaps;
  }
}

function placeOf({ organization, project }: RollupOwner): string {
  return `${organization} ${project || "*"}`;
}

/** The key of a rollup, and its project where the place does not name it. Nothing for a rollup of all keys. */
function ownerOf({ project, key, owner }: PlacedRollup): string[] {
  if (key === null) return [];
  return owner && project === "" ? [key, owner] : [key];
}

/** The figures of a sum that are not 0, as `calls (n) 1`. */
export function figuresOf(sums: Sums): string[] {
  return Object.entries(sums)
    .filter(([, amount]) => amount)
    .map(([field, amount]) => {
      const column = columns[field] === undefined ? "" : ` (${columns[field]})`;
      return `${field}${column} ${typeof amount === "bigint" ? formatPoints(amount) : amount}`;
    });
}

/** What a rollup's item calls a figure, where it has another name there. */
const columns: Readonly<Record<string, string>> = { calls: "n", cost_points: "cost", list_points: "list" };

/** The event that counts for each request: the one of its correction, if it has one. */
export function finalEvents(entries: readonly Entry[]): UsageEvent[] {
  const events = new Map(
    entries.flatMap(({ kind, event }) => (event && kind === "usage" ? [[event.id, event]] : [])),
  );
  for (const { kind, event } of entries) if (event && kind === "adjustment") events.set(event.id, event);
  return [...events.values()];
}
