/** Reads the calls and plan fees of a range as their entries leave them, for what adds up a range anew. */

import type { Accounts, Organization } from "../../books/accounts/account.ts";
import { parsePoints } from "../../books/billing/points.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import type { BookedCall } from "../../books/reports/booked-call.ts";
import { hourEntries } from "./hour-entries.ts";
import type { ExportedLedger, ExportRange } from "./ledger-export.ts";

/** A call with the id of its last entry. */
interface NamedCall {
  entry: string;
  call: BookedCall;
}

/** The organizations of a range: the one that it names, or all. None for a range of nothing. */
export async function* payersOf(
  { organization, from, to }: ExportRange,
  accounts: Pick<Accounts, "organizations" | "organization">,
): AsyncGenerator<Organization> {
  if (from >= to) return;
  if (organization === undefined) yield* accounts.organizations();
  const one = organization === undefined ? undefined : await accounts.organization(organization);
  if (one) yield one;
}

/** The calls of an organization: each with its last event, and with what its entry and its correction have charged. */
export async function* bookedCalls(
  { id }: Pick<Organization, "id">,
  range: Pick<ExportRange, "from" | "to">,
  ledger: Pick<ExportedLedger, "hoursWithEntries" | "eachEntry">,
): AsyncGenerator<NamedCall> {
  let last: NamedCall | undefined;
  for await (const { id: name, kind, event, points } of hourEntries(id, range, ledger)) {
    if (!event) throw new Error(`${name} has no usage`);
    const isCorrection = kind === "adjustment";
    if (isCorrection && last?.call.event.id !== event.id)
      throw new Error(`${name} corrects an entry that is not there`);
    if (last && !isCorrection) yield last;
    const posted = named(name, () => parsePoints(points));
    last = {
      entry: name,
      call: { event, charged: posted + (last && isCorrection ? last.call.charged : 0n) },
    };
  }
  if (last) yield last;
}

/** What the entry of a plan fee has posted, 10⁻¹⁸ points: below 0 where it gives points back. */
export function postedFee({ id, credit, points }: Pick<Entry, "id" | "credit" | "points">): bigint {
  const posted = named(id, () => parsePoints(points));
  return credit.startsWith("revenue:") ? posted : -posted;
}

/** Does the work on an entry. What fails says which entry it was, so that an operator can look at it. */
export function named<Result>(entry: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${entry} cannot be priced: ${why}`, { cause: error });
  }
}
