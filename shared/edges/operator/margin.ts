/** Reads the calls and plan fees of a range, and adds up what they brought and cost (books/reports/margin.md). */

import { eachOf } from "../../base/platform/each-of.ts";
import type { Accounts } from "../../books/accounts/account.ts";
import type { Seller } from "../../books/catalog/catalog.ts";
import { reportBounds } from "../../books/reports/bounds.ts";
import { Margin, type MarginReport } from "../../books/reports/margin/margin.ts";
import { bookedCalls, named, payersOf, postedFee } from "./booked-calls.ts";
import type { ExportedLedger, ExportRange } from "./ledger-export.ts";

interface MarginDeps {
  accounts: Pick<Accounts, "organizations" | "organization">;
  ledger: ExportedLedger;
  /** Of the catalog in force. */
  seller: Seller;
}

/**
 * The margin of a range. Memory holds pages of entries, the credits and fees of a few organizations, and the sums of
 * models, providers, customers and days. Throws with the entry's id where an entry cannot be read.
 */
export async function marginOf(
  range: ExportRange,
  { accounts, ledger, seller }: MarginDeps,
): Promise<MarginReport> {
  const margin = new Margin(seller.currency);
  const payers = await Array.fromAsync(payersOf(range, accounts));
  await eachOf(payers, reportBounds.organizationsAtOnce, async (payer) => {
    for await (const { entry, call } of bookedCalls(payer, range, ledger))
      named(entry, () => margin.call(call, payer));
    for (const entry of await ledger.creditsAndFees(payer.id)) {
      if (!entry.fee || entry.at < range.from || entry.at >= range.to) continue;
      margin.fee({ posted: postedFee(entry), at: entry.at }, payer);
    }
  });
  return margin.report();
}
