/** What an organization, or one of its members, used today, yesterday and in the last days, for the overview. */

import { consoleLimits } from "../../../base/console-limits.ts";
import { limits } from "../../../base/limits.ts";
import { dayMs, hourMs, spanOf, spanStart } from "../../../books/billing/period.ts";
import type { Sums } from "../../../books/ledger/ledger.ts";
import { addSums, countedEvents, noSums, sumsOf } from "../../../books/reports/report.ts";
import type { Tally, UsageSource } from "../../../books/reports/report-groups.ts";
import { type SummedLedger, sumRange } from "../../../books/reports/report-sums.ts";
import { countingRollups } from "./usage-ledger.ts";
import { isInScope, isSourceInScope, type UsageScope } from "./usage-scope.ts";
import { ceilHour } from "./usage-series.ts";

/** Today and yesterday, both until the same time of day: today's is `until`, Unix milliseconds. */
interface ComparedDays {
  until: number;
  today: Sums;
  yesterday: Sums;
}

/** What was used as of `at`, Unix milliseconds. `week` is the last days, today included. */
interface RecentUse {
  at: number;
  today: Sums;
  week: Sums;
  compared: ComparedDays;
}

/**
 * A page asks every few seconds. An answer of many rollups is kept for a minute, or a page would read gigabytes a day.
 */
export class RecentUses {
  readonly #ledger: SummedLedger;
  /** By who looks, the oldest first. */
  readonly #known = new Map<string, RecentUse>();

  constructor(ledger: SummedLedger) {
    this.#ledger = ledger;
  }

  /** What is in a scope as of `now` (Unix milliseconds), or as of a moment ago. `user` is who looks. */
  async of(scope: UsageScope, user: string, now: number): Promise<RecentUse> {
    const name = scope.own === null ? scope.organization : `${scope.organization} ${user}`;
    const known = this.#known.get(name);
    if (known && isFresh(known, now)) return known;
    let read = 0;
    const ledger = countingRollups(this.#ledger, (count) => {
      read = count;
    });
    const { today, week } = await recentUse(ledger, scope, now);
    const use = { at: now, today, week, compared: await compareDays(ledger, scope, today, now) };
    this.#known.delete(name);
    if (read > consoleLimits.recentRollupsMax) this.#keep(name, use);
    return use;
  }

  #keep(name: string, use: RecentUse): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= consoleLimits.recentUsesMax) this.#known.delete(oldest);
    this.#known.set(name, use);
  }
}

function isFresh({ at }: RecentUse, now: number): boolean {
  return now >= at && now - at < consoleLimits.recentUseMs && spanOf(at, "day") === spanOf(now, "day");
}

/** What today and the last days, today included, have used. Sealed days are read as such, the others by their hours. */
async function recentUse(
  ledger: SummedLedger,
  scope: UsageScope,
  now: number,
): Promise<Record<"today" | "week", Sums>> {
  const tally = await sumOf(ledger, scope, [firstOfWeek(now), ceilHour(now + 1)], ["day"]);
  const day = spanOf(now, "day");
  const today = tally.groups().find(({ values: [value] }) => value === day)?.sums ?? noSums();
  return { today, week: totalOf(tally) };
}

/** The start of the days that the pace is taken from, Unix milliseconds. */
export function firstOfWeek(now: number): number {
  return midnightOf(now) - (consoleLimits.paceDays - 1) * dayMs;
}

function midnightOf(now: number): number {
  return spanStart(spanOf(now, "day"));
}

/**
 * Today and yesterday until the same time of day. Yesterday's part of an hour is added up from its entries. If there are
 * too many of them, both days end with the last whole hour. `today` is all that today has used.
 */
async function compareDays(
  ledger: SummedLedger,
  scope: UsageScope,
  today: Sums,
  now: number,
): Promise<ComparedDays> {
  const midnight = midnightOf(now);
  const hour = Math.floor(now / hourMs) * hourMs;
  const [before, part] = await Promise.all([
    sumOf(ledger, scope, [midnight - dayMs, hour - dayMs]),
    partOfHour(ledger, scope, [hour - dayMs, now - dayMs]),
  ]);
  if (part) return { until: now, today, yesterday: addSums(totalOf(before), part) };
  const hours = totalOf(await sumOf(ledger, scope, [midnight, hour]));
  return { until: hour, today: hours, yesterday: totalOf(before) };
}

/** The sums of a part of one hour, added up from its entries; undefined where it has too many. */
async function partOfHour(
  ledger: SummedLedger,
  scope: UsageScope,
  [from, to]: [from: number, to: number],
): Promise<Sums | undefined> {
  if (from === to) return noSums();
  let read = 0;
  const eachUse = await ledger.usesOf(scope.organization);
  const entries = async function* () {
    for await (const entry of eachUse(from, to)) {
      if (++read > consoleLimits.comparedEntriesMax) return;
      yield entry;
    }
  };
  let sums = noSums();
  for await (const event of countedEvents(entries(), "")) {
    if (isInScope(scope, event)) sums = addSums(sums, sumsOf(event));
  }
  return read > consoleLimits.comparedEntriesMax ? undefined : sums;
}

/** The sums of whole hours or days that are in a scope. */
async function sumOf(
  ledger: SummedLedger,
  scope: UsageScope,
  [from, to]: [from: number, to: number],
  dimensions: readonly "day"[] = [],
): Promise<Tally> {
  const isWanted = (source: UsageSource) => isSourceInScope(scope, source);
  const terms = { isWanted, groupsMax: limits.reportGroupsMax, entriesMax: 0, parameter: "" };
  return await sumRange(
    ledger,
    { organization: scope.organization, project: "" },
    from,
    to,
    dimensions,
    terms,
  );
}

function totalOf(tally: Tally): Sums {
  return [...tally.byModel().values()].reduce(addSums, noSums());
}
