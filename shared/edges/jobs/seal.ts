/**
 * Seals days and months (billing.md §2.7): hours become the sums of a day, and days those of a month. A later posting
 * adds to all three.
 */

import { limits } from "../../base/limits.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import { type SpanUnit, spanAround, spanEnd, spanOf, spanStart } from "../../books/billing/period.ts";
import type { Ledger, Rollup, RollupOwner, Seal } from "../../books/ledger/ledger.ts";
import { coarsen } from "../../books/reports/report.ts";

/** The port of the sealer; the store implements it. */
interface Seals {
  places(): AsyncIterable<RollupOwner>;
  firstSpan(place: RollupOwner, unit: "hour" | "day"): Promise<string | undefined>;
  extend(place: RollupOwner, seal: Seal, rollups: Rollup[], through: Partial<Seal>): Promise<boolean>;
}

export interface SealDeps {
  ledger: Pick<Ledger, "rollups" | "seal">;
  seals: Seals;
  log: Log;
  now: () => number;
}

/** How many organizations and projects were sealed through `day` and `month`, and how many failed. */
export interface SealResult {
  day: string;
  month: string;
  sealed: number;
  failed: number;
}

/** How many places are sealed at a time. Each mostly waits for the database. */
const placesAtOnce = 8;

/** How often late postings or another sealer may disturb the sealing of one month. */
const attemptsMax = 8;

/** One pass: seals every day and month that ended two hours ago. Passes may overlap, and may die at any step. */
export async function seal(deps: SealDeps): Promise<SealResult> {
  const day = spanBefore(deps.now() - limits.sealGraceSeconds * 1000, "day");
  const month = spanBefore(spanEnd(day), "month");
  const result: SealResult = { day, month, sealed: 0, failed: 0 };
  const places = deps.seals.places();
  const work = async () => {
    for await (const place of places) {
      try {
        await sealThrough(place, "day", day, deps);
        await sealThrough(place, "month", month, deps);
        result.sealed += 1;
      } catch (error) {
        // The place stays as it is, and the next pass goes on there.
        result.failed += 1;
        const { organization } = place;
        deps.log("error", "seal_failed", { organization, error: describeError(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: placesAtOnce }, work));
  return result;
}

/** The last span of a unit that was over at an instant, Unix ms. */
function spanBefore(at: number, unit: SpanUnit): string {
  return spanOf(spanStart(spanOf(at, unit)) - 1, unit);
}

/** Seals the days or months of a place through the given one, a calendar month at a time. */
async function sealThrough(
  place: RollupOwner,
  unit: "day" | "month",
  through: string,
  { ledger, seals }: SealDeps,
): Promise<void> {
  const part = unit === "day" ? "hour" : "day";
  for (let failures = 0; failures < attemptsMax; ) {
    const seal = await ledger.seal(place.organization, place.project);
    if (seal[unit] >= through) return;
    const first =
      seal[unit] === ""
        ? ((await seals.firstSpan(place, part)) ?? spanOf(spanEnd(through), part))
        : spanOf(spanEnd(seal[unit]), part);
    const last = spanOf(spanEnd(spanAround(first, "month")) - 1, unit);
    const end = last < through ? last : through;
    const after = spanOf(spanEnd(end), part);
    const parts = first < after ? await ledger.rollups(place.organization, place.project, first, after) : [];
    if (!(await seals.extend(place, seal, coarsen(parts, unit), { [unit]: end }))) failures += 1;
  }
  throw new Error(`the seal of a ${unit} did not hold`);
}
