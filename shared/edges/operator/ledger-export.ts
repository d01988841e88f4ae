/** Exports the ledger of a range as lines in order of time, for finance. It reads entries as lines are taken. */
import type { Accounts, Organization } from "../../books/accounts/account.ts";
import type { Seller } from "../../books/catalog/catalog.ts";
import { creditKindOf } from "../../books/ledger/credit.ts";
import type { Entry, Ledger } from "../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import type { ExportLine } from "../../books/reports/export-columns.ts";
import { exportLines, instantOf } from "../../books/reports/export-line.ts";
import { hourEntries } from "./hour-entries.ts";

/** The reads that the export needs. The store implements them. */
export interface ExportedLedger {
  hoursWithEntries: Ledger["hoursWithEntries"];
  eachEntry: Ledger["eachEntry"];
  creditsAndFees(organization: string): Promise<Entry[]>;
}

interface ExportDeps {
  ledger: ExportedLedger;
  seller: Seller;
}

export interface ExportRange {
  /** Unix milliseconds, [from, to). */
  from: number;
  to: number;
  /** Absent for every organization. */
  organization?: string;
}

/** A line with the instant that it counts at, Unix milliseconds. */
interface Timed {
  at: number;
  line: ExportLine;
}

/** The lines of a range. Memory holds one page of entries, and the credits and fees of each organization. */
export async function* exportLedger(
  { organization, ...range }: ExportRange,
  { accounts, ...deps }: ExportDeps & { accounts: Pick<Accounts, "organizations" | "organization"> },
): AsyncGenerator<ExportLine> {
  if (range.from >= range.to) return;
  const one = organization === undefined ? undefined : await accounts.organization(organization);
  const organizations =
    organization === undefined ? await Array.fromAsync(accounts.organizations()) : one ? [one] : [];
  for await (const { line } of timedLines(organizations, range, deps)) yield line;
}

/** The lines of these organizations in order of time. Lines of one instant follow each other. */
export function timedLines(
  organizations: readonly Pick<Organization, "id" | "name">[],
  { from, to }: Pick<ExportRange, "from" | "to">,
  deps: ExportDeps,
): AsyncGenerator<Timed> {
  const streams = organizations.flatMap((each) => [
    usageLines(each, from, to, deps),
    creditAndFeeLines(each, from, to, deps),
  ]);
  return mergeByTime(streams);
}

/** Usage and corrections. */
async function* usageLines(
  { id: organization, name }: Pick<Organization, "id" | "name">,
  from: number,
  to: number,
  { ledger, seller }: ExportDeps,
): AsyncGenerator<Timed> {
  let known: UsageEvent | null = null;
  for await (const entry of hourEntries(organization, { from, to }, ledger)) {
    if (entry.kind === "adjustment" && known?.id !== entry.event?.id) {
      throw new Error(`${entry.id} corrects an entry that is not there`);
    }
    const corrected = entry.kind === "adjustment" ? known : null;
    for (const line of exportLines({ entry, corrected, account: name }, seller)) {
      yield { at: instantOf(entry), line };
    }
    known = entry.event;
  }
}

async function* creditAndFeeLines(
  { id, name }: Pick<Organization, "id" | "name">,
  from: number,
  to: number,
  { ledger, seller }: ExportDeps,
): AsyncGenerator<Timed> {
  const entries = await ledger.creditsAndFees(id);
  // A payment of money for a plan is no charge: the plan's fee is.
  const charged = entries.filter((entry) => entry.kind !== "payment" || creditKindOf(entry) === "plan");
  const within = charged.filter(({ at }) => from <= at && at < to).sort((a, b) => a.at - b.at);
  for (const entry of within) {
    for (const line of exportLines({ entry, corrected: null, account: name }, seller)) {
      yield { at: entry.at, line };
    }
  }
}

/** Merges streams that are each in order of time. Of lines at the same instant, the earlier stream's come first. */
async function* mergeByTime(streams: AsyncGenerator<Timed>[]): AsyncGenerator<Timed> {
  if (streams.length < 2) {
    for (const stream of streams) yield* stream;
    return;
  }
  const half = Math.ceil(streams.length / 2);
  const left = mergeByTime(streams.slice(0, half));
  const right = mergeByTime(streams.slice(half));
  let [a, b] = await Promise.all([left.next(), right.next()]);
  while (!a.done && !b.done) {
    if (a.value.at <= b.value.at) {
      yield a.value;
      a = await left.next();
    } else {
      yield b.value;
      b = await right.next();
    }
  }
  for (; !a.done; a = await left.next()) yield a.value;
  for (; !b.done; b = await right.next()) yield b.value;
}
