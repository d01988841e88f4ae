/** The audit of rollups: a month is the sum of its days, a day of its hours, an hour of its entries. */

import { hourOf, unitOf } from "../../billing/period.ts";
import { formatPoints } from "../../billing/points.ts";
import type { Entry, Place, PlacedRollup, Seal, Sums } from "../../ledger/ledger.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";
import { timeOf } from "../../platform/id.ts";
import { addSums, coarsen, negateSums, noSums, sumsOf } from "../../reports/report.ts";

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

/** The places that rollups are of, each once. */
export function placesIn(rollups: PlacedRollup[]): Place[] {
  return [...Map.groupBy(rollups, placeOf).values()].flatMap(([first]) => first ?? []);
}

/**
 * Every hourly rollup is the sum of its entries, for the organization and for each project. An older version kept one
 * rollup for all keys of a model. Such an hour is compared for all its keys together.
 */
export function rollupsMatchEntries(books: { entries: Entry[]; rollups: PlacedRollup[] }): Finding {
  const hours = books.rollups.filter(({ span }) => unitOf(span) === "hour");
  const expected = finalEvents(books.entries).flatMap((event) =>
    [...new Set(["", event.project])].map((project) => ({
      organization: event.organization,
      project,
      span: hourOf(timeOf(event.id)),
      model: event.model,
      key: event.key,
      owner: event.project,
      sums: sumsOf(event),
    })),
  );
  const whole = new Set(hours.filter(({ key }) => key === null).map(hourOfModel));
  const asKept = (rollup: PlacedRollup) =>
    whole.has(hourOfModel(rollup)) ? { ...rollup, key: null } : rollup;
  return {
    gaps: compare(hours.map(asKept), expected.map(asKept), "entries"),
    detail: `${hours.length} rollups of ${books.entries.length} entries`,
  };
}

/** In every place, each sealed day is the sum of its hours, or each sealed month the sum of its days. */
export function sealedMatch(
  { rollups, seals }: { rollups: PlacedRollup[]; seals: PlacedSeal[] },
  unit: "day" | "month",
): Finding {
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
  const total = formatPoints(sealed.reduce((sum, { sums }) => sum + sums.cost_points, 0n));
  return {
    gaps: compare(sealed, parts, `${part}s`),
    detail: `${sealed.length} rollups of sealed ${unit}s and their ${part}s: ${total} points in each`,
  };
}

function hourOfModel({ span, model, ...place }: PlacedRollup): string {
  return `${placeOf(place)} ${span} ${model}`;
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
    const figures = Object.entries(sums)
      .filter(([, amount]) => amount)
      .map(([field, amount]) => `${field} ${typeof amount === "bigint" ? formatPoints(amount) : amount}`);
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

/** The event that counts for each request: the one of its correction, if it has one. */
export function finalEvents(entries: Entry[]): UsageEvent[] {
  const events = new Map(
    entries.flatMap(({ kind, event }) => (event && kind === "usage" ? [[event.id, event]] : [])),
  );
  for (const { kind, event } of entries) if (event && kind === "adjustment") events.set(event.id, event);
  return [...events.values()];
}
