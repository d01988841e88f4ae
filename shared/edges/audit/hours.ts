/** The audit of one hour of an organization: its entries one by one, and the rollups that add them up. */

import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { PriceVersion } from "../../books/billing/pricing/price.ts";
import type { Entry, Sums } from "../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { addSums, negateSums, noSums, sumsOf } from "../../books/reports/report.ts";
import { disagreements, miscalculations, nameOfEntry } from "./entries.ts";
import type { Gaps } from "./gaps.ts";
import { found, goneOrBare, type HourRollup, type KeptBooks, type KeptEntry, unreadIn } from "./kept.ts";
import { figuresOf } from "./rollups.ts";

/** What the checks of entries ask. */
export interface EntryDeps {
  books: Pick<KeptBooks, "entriesOf" | "hourOf">;
  priceOf(event: UsageEvent): Promise<PriceVersion | undefined>;
  /** Further checks of a usage entry, such as those against its task. */
  usage(entry: KeptEntry, event: UsageEvent): Promise<[invariant: "tasks_match_ledger", wrong: string[]][]>;
}

/** A sum of entries: their figures, and their hashes. */
interface Total {
  sums: Sums;
  hash: bigint;
  /** The first entries without a hash: older ones, or one that has lost it. */
  bare: readonly string[];
  /** The name of the rollup that an older version kept for all keys of the model. */
  whole: string;
}

const bareMax = 6;

/** What the entries of an hour come to, by what their rollups are called. */
export interface HourTotals {
  totals: Map<string, Total>;
  projects: Set<string>;
  /** The usage entry before, which a correction follows. */
  base: Entry | undefined;
}

export function noTotals(): HourTotals {
  return { totals: new Map(), projects: new Set([""]), base: undefined };
}

/** Checks an entry, and adds it to its hour. One that cannot be read is a gap. */
export async function takeEntry(
  kept: KeptEntry,
  hour: HourTotals,
  gaps: Gaps,
  deps: EntryDeps,
): Promise<void> {
  const check = () => checkEntry(kept, hour, gaps, deps);
  gaps.add("entries_agree", await unreadIn(nameOfEntry(kept), check));
}

async function checkEntry(kept: KeptEntry, hour: HourTotals, gaps: Gaps, deps: EntryDeps): Promise<void> {
  const name = nameOfEntry(kept);
  if (!kept.isAsHashed)
    gaps.add("entries_are_as_written", [`${name} is not what was written: its hash differs`]);
  gaps.add(
    "entries_agree",
    found(name, () => disagreements(kept)),
  );
  const { entry } = kept;
  const event = entry?.event;
  if (!entry) return;
  gaps.add(
    "books_balance",
    found(name, () => unbalanced(entry, hour.base)),
  );
  if (!event) return;
  const known = await deps.priceOf(event);
  if (!known)
    gaps.add("prices_resolve", [
      `no price of the history has the model ${event.model} and the version ${event.price.version} of ${name}`,
    ]);
  gaps.add(
    "charges_follow_prices",
    found(name, () => miscalculations(event, known)),
  );
  for (const [invariant, wrong] of await deps.usage(kept, event)) gaps.add(invariant, wrong);
  gaps.add(
    "entries_agree",
    found(name, () => {
      addEntry(hour, entry, event, kept.hash);
      return [];
    }),
  );
}

/** Every entry moves the points of its event, or a correction's difference. */
function unbalanced({ id, kind, points, debit, credit, event }: Entry, base: Entry | undefined): string[] {
  if (!debit || !credit || debit === credit) return ["does not name two accounts"];
  if (!event) return parsePoints(points) < 0n ? ["moves less than nothing"] : [];
  const corrected = kind === "adjustment" && base?.event?.id === event.id ? base.event : undefined;
  if (kind === "adjustment" && corrected?.source !== "sweeper")
    return [`corrects an estimate that is not there: ${id}`];
  const moved = parsePoints(event.cost_points) - parsePoints(corrected?.cost_points ?? "0");
  return moved === parsePoints(points) ? [] : [`moves ${points} points, not ${formatPoints(moved)}`];
}

function addEntry(hour: HourTotals, entry: Entry, event: UsageEvent, hash: bigint | undefined): void {
  add(hour, event, sumsOf(event), { hash: hash ?? 0n, bare: hash === undefined ? [entry.id] : [] });
  if (entry.kind === "adjustment" && hour.base?.event)
    add(hour, hour.base.event, negateSums(sumsOf(hour.base.event)), { hash: 0n, bare: [] });
  hour.base = entry;
}

function add(
  { totals, projects }: HourTotals,
  { model, key, project }: UsageEvent,
  sums: Sums,
  { hash, bare }: Pick<Total, "hash" | "bare">,
): void {
  projects.add(project);
  for (const place of new Set(["", project])) {
    const name = shareName(place, { model, key, owner: project });
    const known = totals.get(name);
    const total = addSums(known?.sums ?? noSums(), sums);
    const own = place === "" ? hash : 0n;
    totals.set(name, {
      sums: total,
      hash: (known?.hash ?? 0n) + own,
      bare: [...(known?.bare ?? []), ...bare].slice(0, bareMax),
      whole: shareName(place, { model, key: null }),
    });
  }
}

/** The name of a rollup in its hour. That of a project's key says the project only among the organization's. */
function shareName(
  project: string,
  { model, key, owner }: { model: string; key: string | null; owner?: string | null },
): string {
  const place = project || "*";
  if (key === null) return `${place} ${model}`;
  return owner && project === "" ? `${place} ${model} ${key} ${owner}` : `${place} ${model} ${key}`;
}

/** How an hour is read: its own entries, or what a walk has added up of them. */
interface HourOf {
  organization: string;
  hour: string;
}

/** Compares an hour with its rollups. Where they differ, it reads both again: something may have come in between. */
export async function compareHour(
  hourOf: HourOf,
  walked: HourTotals,
  gaps: Gaps,
  deps: EntryDeps,
): Promise<void> {
  const check = () => compareSums(hourOf, walked, gaps, deps);
  gaps.add("rollups_match_entries", await unreadIn(`${hourOf.organization} ${hourOf.hour}`, check));
}

async function compareSums(
  { organization, hour }: HourOf,
  walked: HourTotals,
  gaps: Gaps,
  deps: EntryDeps,
): Promise<void> {
  let wrong = differencesOf(walked, await rollupsOf({ organization, hour }, walked.projects, deps));
  if (wrong.sums.length + wrong.hashes.length > 0) {
    const again = noTotals();
    for (const project of walked.projects) again.projects.add(project);
    for await (const kept of deps.books.entriesOf(organization, hour)) addKept(kept, again);
    wrong = differencesOf(again, await rollupsOf({ organization, hour }, again.projects, deps));
  }
  const named = (each: string) => `${organization} ${hour} ${each}`;
  gaps.add("rollups_match_entries", wrong.sums.map(named));
  gaps.add("entries_are_as_written", wrong.hashes.map(named));
}

function addKept({ entry, hash }: KeptEntry, hour: HourTotals): void {
  try {
    if (entry?.event) addEntry(hour, entry, entry.event, hash);
  } catch {
    // The walk has said so, and the sums say it too.
  }
}

async function rollupsOf({ organization, hour }: HourOf, projects: Iterable<string>, { books }: EntryDeps) {
  const rollups: HourRollup[] = [];
  for (const project of projects) rollups.push(...(await books.hourOf(organization, project, hour)));
  return rollups;
}

/** Where entries and rollups differ. An older version had one rollup for all keys of a model: these are summed up. */
function differencesOf({ totals }: HourTotals, rollups: readonly HourRollup[]) {
  const whole = new Set(
    rollups.flatMap((each) => (each.key === null ? [shareName(each.project, each)] : [])),
  );
  const excess = new Map<string, Total>();
  const put = (name: string, { sums, hash, bare, whole: all }: Total) => {
    const own = whole.has(all) ? all : name;
    const known = excess.get(own);
    const total = addSums(known?.sums ?? noSums(), sums);
    excess.set(own, {
      sums: total,
      hash: (known?.hash ?? 0n) + hash,
      bare: [...(known?.bare ?? []), ...bare],
      whole: all,
    });
  };
  for (const rollup of rollups) {
    const { project, model, sums, hash } = rollup;
    put(shareName(project, rollup), {
      sums,
      hash,
      bare: [],
      whole: shareName(project, { model, key: null }),
    });
  }
  for (const [name, total] of totals)
    put(name, { ...total, sums: negateSums(total.sums), hash: -total.hash });
  const wrong = { sums: [] as string[], hashes: [] as string[] };
  for (const [name, { sums, hash, bare }] of excess) {
    const figures = figuresOf(sums);
    if (figures.length > 0) wrong.sums.push(`${name} differs from its entries by ${figures.join(", ")}`);
    if (hash !== 0n) wrong.hashes.push(`the h of ${name}: an entry ${goneOrBare(bare)}`);
  }
  return wrong;
}
