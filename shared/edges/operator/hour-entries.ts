/** Reads the usage entries of a range hour by hour, for what adds up the ledger anew. */
import { hourOf, hourStart, nextHour } from "../../books/billing/period.ts";
import type { Entry, Ledger } from "../../books/ledger/ledger.ts";

/**
 * The usage entries and corrections of an organization that were admitted in [from, to) (Unix ms), in order. A
 * correction directly follows its estimate, because its key is the same with a suffix.
 */
export async function* hourEntries(
  organization: string,
  { from, to }: { from: number; to: number },
  ledger: Pick<Ledger, "hoursWithEntries" | "eachEntry">,
): AsyncGenerator<Entry> {
  const everything = { organization, project: "" };
  for await (const hour of ledger.hoursWithEntries(everything, hourOf(from), nextHour(hourOf(to - 1)))) {
    const [start, end] = [Math.max(from, hourStart(hour)), Math.min(to, hourStart(nextHour(hour)))];
    yield* ledger.eachEntry(organization, start, end);
  }
}
