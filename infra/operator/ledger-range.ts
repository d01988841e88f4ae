/** What commands share that add up a range of the ledger: its flags, the range, and a ledger whose reads are counted. */

import type { ExportedLedger, ExportRange } from "#shared/edges/operator/ledger-export.ts";
import { flag, flagOf, needed, type Progress } from "./command.ts";
import { counted } from "./progress.ts";
import { dayOrMoment, organizationOf, type Stores } from "./stores.ts";

/** The flags of a range of days. */
export const rangeFlags = {
  from: needed(flagOf("DAY", "the first day, or an instant", dayOrMoment)),
  to: needed(flagOf("DAY", "the day after the last, or an instant", dayOrMoment)),
  org: flag("ID", "one organization; all of them if not given"),
};

interface AskedRange {
  from: number;
  to: number;
  org: string | undefined;
}

/** Throws where a range ends before it begins. */
export function checkOrder({ from, to }: Pick<AskedRange, "from" | "to">): void {
  if (from > to) throw new Error("--from is after --to");
}

/** The range of the flags, and as it is told. Throws where its organization is not there. */
export async function readRange(
  { from, to, org }: AskedRange,
  stores: Pick<Stores, "accounts">,
): Promise<{ range: ExportRange; said: { from: string; to: string } }> {
  const range: ExportRange = { from, to };
  if (org !== undefined) range.organization = (await organizationOf(stores, org)).id;
  return { range, said: { from: new Date(from).toISOString(), to: new Date(to).toISOString() } };
}

/** A ledger that tells how many entries were read. */
export function watchedLedger<Ledger extends Pick<ExportedLedger, "eachEntry">>(
  ledger: Ledger,
  progress: Progress,
): Ledger {
  return { ...ledger, eachEntry: (...of) => counted(ledger.eachEntry(...of), "entries", progress) };
}
