/** What `bills import`, `bills list` and `bills compare` do (shared/books/reports/bills/README.md). */
import type { Accounts } from "../../books/accounts/account.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { dayMs, spanEnd, spanStart } from "../../books/billing/period.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import type { BillHead, BillRecords } from "../../books/reports/bills/bill.ts";
import { compareBills, daysOf } from "../../books/reports/bills/compare/compare.ts";
import { type BillDocument, billOf } from "../../books/reports/bills/import.ts";
import { billsOfDay, laterFirst } from "../../books/reports/bills/in-force.ts";
import { type OurAttempt, ourAttemptsOf } from "../../books/reports/bills/ours.ts";
import { type BillsReport, providerReport } from "../../books/reports/bills/report.ts";
import { bookedCalls } from "./booked-calls.ts";
import type { ExportedLedger } from "./ledger-export.ts";

/** What an import came to. */
export interface ImportedBill {
  /** False: the same file was imported before, and nothing was changed. */
  imported: boolean;
  bill: ToldBill;
}

/** The head of a bill, as a command prints it. */
interface ToldBill extends Omit<BillHead, "imported_at"> {
  imported_at: string;
}

function toldBill(head: BillHead): ToldBill {
  return { ...head, imported_at: rfc3339(head.imported_at) };
}

/** Keeps a vendor's document as a bill. Throws `BillRefused`, and keeps nothing then. */
export async function importBill(document: BillDocument, records: BillRecords): Promise<ImportedBill> {
  const known = await records.heads(document.provider);
  const bill = billOf(document, known);
  const before = known.find(({ id }) => id === bill.head.id);
  if (before) return { imported: false, bill: toldBill(before) };
  return { imported: await records.write(bill), bill: toldBill(bill.head) };
}

/** A bill of the list. */
export interface ListedBill extends ToldBill {
  /** Newer bills that stand in its place, whole or on some days. */
  replaced_by: readonly string[];
}

/** Bills, the newest first: of a provider, or those that touch a month. */
export async function listBills(
  { provider, month }: { provider?: string | undefined; month?: string | undefined },
  records: BillRecords,
): Promise<ListedBill[]> {
  const heads = await records.heads(provider);
  return heads
    .filter((head) => month === undefined || touches(head, month))
    .toSorted(laterFirst)
    .map((head) => ({
      ...toldBill(head),
      replaced_by: heads.filter(({ replaces }) => replaces.includes(head.id)).map(({ id }) => id),
    }));
}

function touches({ first_day, last_day }: BillHead, month: string): boolean {
  return first_day.slice(0, 7) <= month && month <= last_day.slice(0, 7);
}

interface CompareDeps {
  records: BillRecords;
  accounts: Pick<Accounts, "organizations">;
  ledger: ExportedLedger;
  catalog: Pick<ModelCatalog, "find" | "seller">;
}

/** Where the catalog names no currency, costs are taken for those of this one. */
const usualCurrency = "USD";

/** Compares the bills of a month with what the ledger has. Reads each entry of the month once. */
export async function compareMonth(
  { month, provider }: { month: string; provider?: string | undefined },
  { records, accounts, ledger, catalog }: CompareDeps,
): Promise<BillsReport> {
  const heads = (await records.heads(provider)).filter((head) => touches(head, month));
  const bills = await Promise.all(heads.map(async (head) => ({ head, lines: await records.lines(head) })));
  const byProvider = Map.groupBy(bills, ({ head }) => head.provider);
  const attempts = await attemptsOf(month, new Set(byProvider.keys()), { accounts, ledger, catalog });
  const currency = catalog.seller().currency?.code ?? usualCurrency;
  const days = daysOf(month);
  const providers = [...byProvider]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, own]) => {
      const question = { month, bills: own, attempts: attempts.get(name) ?? [], currency };
      const sections = compareBills(question);
      const counting = (credential: string) => {
        const told = days.flatMap((day) => [...billsOfDay(own, day, credential).told.values()]);
        return [...new Set(told.map(({ now }) => now.head.id))];
      };
      return providerReport(name, sections, { days, counting });
    });
  return { month, currency, providers };
}

/** Our attempts at the providers, by provider. A vendor's day may begin up to a day earlier or later than ours. */
async function attemptsOf(
  month: string,
  providers: ReadonlySet<string>,
  { accounts, ledger, catalog }: Omit<CompareDeps, "records">,
): Promise<Map<string, OurAttempt[]>> {
  const found = new Map<string, OurAttempt[]>([...providers].map((name) => [name, []]));
  const [from, to] = [spanStart(month) - dayMs, spanEnd(month) + dayMs];
  for await (const organization of providers.size > 0 ? accounts.organizations() : [])
    for await (const { call } of bookedCalls(organization, { from, to }, ledger))
      for (const attempt of ourAttemptsOf(call.event, catalog)) found.get(attempt.provider)?.push(attempt);
  return found;
}
