/** The audit of rollups: a month is the sum of its days, a day of its hours, an hour of its entries. */

import { unitOf } from "../../billing/period.ts";
import { formatPoints } from "../../billing/points.ts";
import type { Entry, Place, PlacedRollup, Seal, Sums } from "../../ledger/ledger.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";
import { addSums, coarsen, negateSums, noSums } from "../../reports/report.ts";

/** A place, and how far its rollups are sealed. */
export interface PlacedSeal extends Place {
  seal: Seal;
}

/** The result of one check: what is wrong, and a detail for when nothing is. */
export interface Finding {
  gaps: string[];
  /** Gaps that unread messages may explain. */
  open?: string[];
  detail: string;
}

/** In every place, each sealed day is the sum of its hours, or each sealed month the sum of its days. */
export function sealedMatch(
  { rollups, seals }: { rollups: PlacedRollup[]; seals: PlacedSeal[] },
  unit: "day" | "month",
): { gaps: string[]; points: bigint; count: number } {
  const part = unit === "day" ? "hour" : "day";
  const byPlace = Map.groupBy(rollups, placeOf);
  const [sealed, parts]: [PlacedRollup[], PlacedRollup[]] = [[], []];
  for (const { organization, project, seal } of seals) {
    const own = byPlace.get(placeOf({ organization, project })) ?? [];
    // An interrupted pass may have written beyond the seal. Nobody reads that.
    sealed.push(...own.filter(({ span }) => unitOf(span) === unit && span <= seal[unit]));
    const coarser = coarsen(
      own.filter(({ span }) => unitOf(span) === part),
      unit,
    );
    parts.push(
      ...coarser
        .filter(({ span }) => span <= seal[unit])
        .map((rollup) => ({ organization, project, ...rollup })),
    );
  }
  const points = sealed.reduce((sum, { sums }) => sum + sums.cost_points, 0n);
  return { gaps: compare(sealed, parts, `${part}s`), points, count: sealed.length };
}

/** For each place, span, model and key, the difference between rollups and their parts. */
function compare(rollups: PlacedRollup[], expected: PlacedRollup[], parts: string): string[] {
  const excess = new Map<string, Sums>();
  const add = (rollup: PlacedRollup, sums: Sums) => {
    const name = [placeOf(rollup), rollup.span, rollup.model, ...ownerOf(rollup)].join(" ");
    excess.set(name, addSums(excess.get(name) ?? noSums(), sums));
  };
  for (const rollup of rollups) add(rollup, rollup.sums);
  for (const rollup of expected) add(rollup, negateSums(rollup.sums));
  return [...excess].flatMap(([name, sums]) => {
    const figures = figuresOf(sums);
    return figures.length === 0 ? [] : [`${name} differs from its ${parts} by ${figures.join(", ")}`];
  });
}

function placeOf({ organization, project }: Place): string {
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
