/** What the commands on vendors' bills do (shared/books/reports/bills/README.md). */

import { eachOf } from "../../base/platform/each-of.ts";
import type { Accounts } from "../../books/accounts/account.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { dayMs, dayOf, spanEnd, spanStart } from "../../books/billing/period.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import {
  type BillHead,
  type BillPlace,
  type BillRecords,
  type BillWithdrawal,
  headsInForce,
} from "../../books/reports/bills/bill.ts";
import { type BillSection, compareBills, daysOf } from "../../books/reports/bills/compare/compare.ts";
import { type BillDocument, billOf } from "../../books/reports/bills/import.ts";
import { billsOfDay, laterFirst, replacedDays } from "../../books/reports/bills/in-force.ts";
import { type OurAttempt, ourAttemptsOf } from "../../books/reports/bills/ours.ts";
import { type BillsReport, providerReport } from "../../books/reports/bills/report.ts";
import { reportBounds } from "../../books/reports/bounds.ts";
import { bookedCalls } from "./booked-calls.ts";
import type { ExportedLedger } from "./ledger-export.ts";

/** What an import came to. */
export interface ImportedBill {
  /** False: the same file was imported before, or this is a dry run. Nothing was changed. */
  imported: boolean;
  bill: ToldBill;
  /** The days on which it counts in the place of earlier bills. */
  replaces_days: readonly ToldReplacement[];
}

/** Days of an earlier bill, as a command prints them. */
export interface ToldReplacement {
  bill: string;
  file: string;
  days: readonly string[];
  tells: BillHead["tells"];
}

/** The head of a bill, as a command prints it. */
interface ToldBill extends Omit<BillHead, "imported_at"> {
  imported_at: string;
}

function toldBill(head: BillHead): ToldBill {
  return { ...head, imported_at: rfc3339(head.imported_at) };
}

/** Keeps a vendor's document as a bill, unless it is a dry run. Throws `BillRefused`, and keeps nothing then. */
export async function importBill(
  document: BillDocument,
  records: BillRecords,
  { isDry = false }: { isDry?: boolean } = {},
): Promise<ImportedBill> {
  const kept = await records.kept(document.provider);
  const known = headsInForce(kept);
  const withdrawn = kept.filter(({ withdrawal }) => withdrawal !== undefined).map(({ id }) => id);
  const bill = billOf(document, known, new Set(withdrawn));
  const before = known.find(({ id }) => id === bill.head.id);
  if (before) return { imported: false, bill: toldBill(before), replaces_days: [] };
  const replaces_days = replacedDays(bill.head, known).map(({ bill: { id, file }, days, tells }) => ({
    ...{ bill: id, file, days, tells },
  }));
  const imported = !isDry && (await records.write(bill));
  return { imported, bill: toldBill(bill.head), replaces_days };
}

/** The mark of a withdrawn bill, as a command prints it. */
interface ToldWithdrawal extends Omit<BillWithdrawal, keyof BillPlace | "withdrawn_at"> {
  withdrawn_at: string;
}

function toldWithdrawal({ by, why, withdrawn_at }: BillWithdrawal): ToldWithdrawal {
  return { by, why, withdrawn_at: rfc3339(withdrawn_at) };
}

/** A bill of the list. Of one that is damaged, and so withdrawn, nothing is told but where it is. */
export type ListedBill = (ToldBill | (BillPlace & { damaged: true })) & {
  /** Newer bills that stand in its place, whole or on some days. */
  replaced_by: readonly string[];
  /** Absent of a bill that counts. */
  withdrawn?: ToldWithdrawal;
};

/** Bills, the newest first: of a provider, or those that touch a month. A damaged one may touch any, and is the last. */
export async function listBills(
  { provider, month }: { provider?: string | undefined; month?: string | undefined },
  records: BillRecords,
): Promise<ListedBill[]> {
  const kept = await records.kept(provider);
  const counting = headsInForce(kept);
  return kept
    .filter(({ head }) => month === undefined || !head || touches(head, month))
    .toSorted((one, other) =>
      one.head && other.head ? laterFirst(one.head, other.head) : Number(!one.head) - Number(!other.head),
    )
    .map(({ provider: of, id, head, withdrawal }) => ({
      ...(head ? toldBill(head) : { provider: of, id, damaged: true as const }),
      replaced_by: counting.filter(({ replaces }) => replaces.includes(id)).map((newer) => newer.id),
      ...(withdrawal && { withdrawn: toldWithdrawal(withdrawal) }),
    }));
}

/** What a withdrawal came to. */
export interface WithdrawnBill extends BillPlace {
  /** False: it was withdrawn before, and nothing was changed. */
  done: boolean;
  withdrawn: ToldWithdrawal;
}

/** Withdraws a bill: from now on it counts nowhere, and what it stood in the place of counts again. */
export async function withdrawBill(
  { id, ...words }: Pick<BillWithdrawal, "id" | "by" | "why" | "withdrawn_at">,
  records: BillRecords,
): Promise<WithdrawnBill> {
  const place = await records.find(id);
  if (!place) throw new Error(`there is no bill ${id}: bills list shows them`);
  const { done, withdrawal } = await records.withdraw({ ...place, ...words });
  return { done, ...place, withdrawn: toldWithdrawal(withdrawal) };
}

function touches({ first_day, last_day }: BillHead, month: string): boolean {
  return first_day.slice(0, 7) <= month && month <= last_day.slice(0, 7);
}

interface CompareDeps {
  records: BillRecords;
  accounts: Pick<Accounts, "organizations">;
  ledger: ExportedLedger;
  catalog: Pick<ModelCatalog, "find" | "seller">;
  /** Unix milliseconds. */
  now: () => number;
}

/** Where the catalog names no currency, costs are taken for those of this one. */
const usualCurrency = "USD";

/** Compares the bills of a month with what the ledger has. Reads each entry of the month once. */
export async function compareMonth(
  { month, provider }: { month: string; provider?: string | undefined },
  { records, accounts, ledger, catalog, now }: CompareDeps,
): Promise<BillsReport> {
  const heads = headsInForce(await records.kept(provider)).filter((head) => touches(head, month));
  const bills = await Promise.all(heads.map(async (head) => ({ head, lines: await records.lines(head) })));
  const byProvider = Map.groupBy(bills, ({ head }) => head.provider);
  const attempts = await attemptsOf(month, new Set(byProvider.keys()), { accounts, ledger, catalog });
  const currency = catalog.seller().currency?.code ?? usualCurrency;
  const days = daysOf(month);
  const ended = days.filter((day) => Date.parse(day) + dayMs <= now());
  const providers = [...byProvider]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, own]) => {
      const question = { month, bills: own, attempts: attempts.get(name) ?? [], currency };
      const sections = compareBills(question);
      const counting = (credential: string) => {
        const told = days.flatMap((day) => [...billsOfDay(own, day, credential).told.values()].flat());
        return [...new Set(told.map(({ now }) => now.head.id))];
      };
      const unbilled = unbilledDays(question.attempts, sections).filter((day) => ended.includes(day));
      return providerReport(name, sections, { days: ended, counting, unbilled });
    });
  return { month, currency, providers };
}

/** The days of attempts that no bill covers: neither one of the whole account, nor one of their credential. */
function unbilledDays(attempts: readonly OurAttempt[], sections: readonly BillSection[]): string[] {
  const covered = new Set(
    sections.flatMap(({ credential, days }) => days.map((day) => `${credential} ${day}`)),
  );
  const found = attempts.flatMap(({ at, credential }) => {
    const day = dayOf(at);
    return covered.has(` ${day}`) || covered.has(`${credential ?? ""} ${day}`) ? [] : [day];
  });
  return [...new Set(found)].sort();
}

/** Our attempts at the providers, by provider. A vendor's day may begin up to a day earlier or later than ours. */
async function attemptsOf(
  month: string,
  providers: ReadonlySet<string>,
  { accounts, ledger, catalog }: Omit<CompareDeps, "records" | "now">,
): Promise<Map<string, OurAttempt[]>> {
  const found = new Map<string, OurAttempt[]>([...providers].map((name) => [name, []]));
  const [from, to] = [spanStart(month) - dayMs, spanEnd(month) + dayMs];
  const organizations = providers.size > 0 ? await Array.fromAsync(accounts.organizations()) : [];
  await eachOf(organizations, reportBounds.organizationsAtOnce, async (organization) => {
    for await (const { call } of bookedCalls(organization, { from, to }, ledger))
      for (const attempt of ourAttemptsOf(call.event, catalog)) found.get(attempt.provider)?.push(attempt);
  });
  for (const attempts of found.values()) attempts.sort((a, b) => a.at - b.at || (a.call < b.call ? -1 : 1));
  return found;
}
