/** The walk through every entry (edges/audit/README.md "How it reads"). Its memory does not grow with the entries. */
import type { Organization } from "../../books/accounts/account.ts";
import type { PriceVersion } from "../../books/billing/pricing/price.ts";
import type { Ledger, RollupOwner } from "../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import type { Tasks } from "../../calls/tasks/task.ts";
import { Gaps } from "./gaps.ts";
import { compareHour, type EntryDeps, type HourTotals, noTotals, takeEntry } from "./hours.ts";
import type { KeptBooks, KeptEntry } from "./kept.ts";
import { taskDiffers } from "./tasks.ts";

export interface WalkDeps {
  kept: Pick<KeptBooks, "entries" | "entriesOf" | "hourOf">;
  ledger: Pick<Ledger, "hoursWithEntries"> & { prices(version?: string): AsyncIterable<PriceVersion> };
  tasks: Pick<Tasks, "find">;
}

/** What a walk has found, as plain values: a walk that was broken off goes on from here. */
export interface Walked {
  gaps: Gaps["found"];
  entries: number;
  /** The projects and hours that are done, by organization: `p 2026-11-21T05`; ` $` where its credits and fees are. */
  compared: Record<string, string[]>;
  /** The prices that were met, by model and version. */
  prices: string[];
  /** Whose rollups were met: organizations and projects. */
  places: [organization: string, project: string][];
  /** Where the scan goes on. Undefined at the beginning, and in a walk since an hour, which leaves out what is done. */
  cursor?: string;
  isDone: boolean;
}

export function newWalk(): Walked {
  return { gaps: {}, entries: 0, compared: {}, prices: [], places: [], isDone: false };
}

export interface WalkOptions {
  /** The first UTC hour that is walked. All of them if not given. */
  since?: string;
  /** Told after some hours, when nothing of them is left to be done, and at the end. */
  onHours?: (walked: Walked, hours: number) => void;
}

/** So many hours are compared with their rollups at once: each mostly waits for its own. */
const hoursAtOnce = 8;

/** An hour whose entries are read, or are being read. */
interface Hour {
  organization: string;
  hour: string;
  /** The part, where a scan has met one alone. Whole hours are compared with their rollups, and parts later. */
  part: string;
  totals: HourTotals;
  gaps: Gaps;
}

/** Walks through all entries, or goes on where a walk has stopped. It changes and gives `walked`. */
export async function walk(
  walked: Walked,
  organizations: readonly Organization[],
  { since, onHours }: WalkOptions,
  deps: WalkDeps,
): Promise<Walked> {
  if (walked.isDone) return walked;
  const gaps = new Gaps(walked.gaps);
  const prices = new Map<string, PriceVersion | undefined>();
  const met = new Set(walked.prices);
  const places = new Map(walked.places.map((place) => [place.join(" "), place]));
  const meet = ({ organization, project }: RollupOwner) =>
    void places.set(`${organization} ${project}`, [organization, project]);
  const entryDeps = entryDepsOf(prices, deps);
  const entries =
    since === undefined
      ? deps.kept.entries(walked.cursor, meet)
      : entriesSince(since, organizations, walked, deps);
  let hours: Hour[] = [];
  let cursor = walked.cursor;
  const finish = async () => {
    const wait = async (each: Hour) => {
      if (each.hour !== "$" && each.part === "") await compareHour(each, each.totals, each.gaps, entryDeps);
    };
    await Promise.all(hours.map(wait));
    for (const each of hours) {
      gaps.take(each.gaps);
      if (each.part === "") note(walked, each.organization, each.hour, each.totals.projects);
    }
    for (const name of prices.keys()) met.add(name);
    Object.assign(walked, { prices: [...met], places: [...places.values()] });
    if (cursor !== undefined) walked.cursor = cursor;
    onHours?.(walked, hours.length);
    hours = [];
  };
  for await (const kept of entries) {
    const { organization, hour } = kept;
    const part = since === undefined ? kept.part : "";
    let last = hours.at(-1);
    if (last?.organization !== organization || last.hour !== hour || last.part !== part) {
      if (hours.length === hoursAtOnce) await finish();
      last = { organization, hour, part, totals: noTotals(), gaps: new Gaps() };
      hours.push(last);
    }
    if ("cursor" in kept) cursor = kept.cursor;
    walked.entries += 1;
    await takeEntry(kept, last.totals, last.gaps, entryDeps);
  }
  walked.isDone = true;
  await finish();
  return walked;
}

function note(walked: Walked, organization: string, hour: string, projects: Iterable<string>): void {
  walked.compared[organization] ??= [];
  for (const project of projects) walked.compared[organization].push(`${project} ${hour}`);
}

/** The entries of hours that have rollups, and all credits and fees, but for what is done. */
async function* entriesSince(
  since: string,
  organizations: readonly Organization[],
  { compared }: Walked,
  { kept, ledger }: WalkDeps,
): AsyncGenerator<KeptEntry> {
  for (const { id } of organizations) {
    const done = new Set(compared[id]);
    const place = { organization: id, project: "" };
    for await (const hour of ledger.hoursWithEntries(place, since, endOfTime))
      if (!done.has(` ${hour}`)) yield* kept.entriesOf(id, hour);
    if (!done.has(" $")) yield* kept.entriesOf(id, "$");
  }
}

const endOfTime = "9999-12-31T23";

/** What checks of single entries ask; prices are remembered. */
function entryDepsOf(prices: Map<string, PriceVersion | undefined>, deps: WalkDeps): EntryDeps {
  return {
    books: deps.kept,
    async priceOf({ model, price: { version } }: UsageEvent) {
      const name = `${model} at ${version}`;
      // A price is written before the first entry that was charged at it, so it is there by now.
      if (!prices.has(name)) {
        const all = await Array.fromAsync(deps.ledger.prices(version));
        prices.set(
          name,
          all.find((each) => each.model === model && each.version === version),
        );
      }
      return prices.get(name);
    },
    usage: async (kept, event) =>
      event.kind === "video" ? [["tasks_match_ledger", await taskDiffers(kept, event, deps)]] : [],
  };
}

/** Compares an hour of a place that has rollups, and that a walk has not met: nothing is in it, or only now. */
export async function compareUnmet(
  { organization, project, hour }: { organization: string; project: string; hour: string },
  gaps: Gaps,
  deps: WalkDeps,
): Promise<void> {
  const totals = noTotals();
  totals.projects.add(project);
  await compareHour({ organization, hour }, totals, gaps, entryDepsOf(new Map(), deps));
}
