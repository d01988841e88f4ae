/** What an organization had of its cache, by months. Nothing is charged by it, and it may be lost. */
import { parsePoints } from "../../books/billing/points.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { type ContextCounts, noCounts } from "./semantic/evidence.ts";

/** Sums of a month, with those of all contexts. */
export interface CacheMonth extends ContextCounts {
  /** Calls that were answered out of the cache, by level. */
  exact: number;
  canonical: number;
  semantic: number;
  /** What these calls would have cost, in the integer of `books/billing/points.ts`. */
  saved_points: bigint;
  switched_off: number;
}

/** Whose sums they are. The project is "" for keys without one. */
interface CacheOwner {
  organization: string;
  project: string;
}

/** What is added to the sums of the month of an instant, Unix milliseconds. */
export interface CacheAddition {
  owner: CacheOwner;
  added: Partial<CacheMonth>;
  at: number;
}

export interface CacheStatistics {
  /** Adds to the month of an instant, Unix milliseconds. It may be lost, and is not repeated. */
  add(addition: CacheAddition): Promise<void>;
  /** The sums of the month of an instant: of one project, or of all of them where none is named. */
  read(organization: string, project: string | undefined, at: number): Promise<CacheMonth>;
}

export const emptyMonth: CacheMonth = {
  exact: 0,
  canonical: 0,
  semantic: 0,
  saved_points: 0n,
  ...noCounts,
  switched_off: 0,
};

/** The UTC month of an instant, such as `2026-11`. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** What the hits among usage events add to their months: one addition for each project and month. */
export function hitsOf(events: readonly UsageEvent[]): CacheAddition[] {
  const hits = events.flatMap(({ cache, ...event }) => (cache ? [{ ...event, cache }] : []));
  const groups = Map.groupBy(hits, ({ organization, project, admitted_at }) =>
    JSON.stringify([organization, project, monthOf(admitted_at)]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { organization, project, admitted_at: at } = first;
    const added: Partial<CacheMonth> = { saved_points: 0n };
    for (const { cache } of group) {
      added[cache.level] = (added[cache.level] ?? 0) + 1;
      added.saved_points = (added.saved_points ?? 0n) + parsePoints(cache.saved_points);
    }
    return [{ owner: { organization, project }, added, at }];
  });
}
