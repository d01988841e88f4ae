/** Reads the calls and plan fees of a range, and forecasts them at another catalog (books/reports/forecast.md). */

import type { Accounts } from "../../books/accounts/account.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import { type BookedFee, changedFees } from "../../books/reports/forecast/fees.ts";
import {
  Forecast,
  type ForecastCatalog,
  type ForecastReport,
} from "../../books/reports/forecast/forecast.ts";
import { bookedCalls, named, payersOf, postedFee } from "./booked-calls.ts";
import type { ExportedLedger, ExportRange } from "./ledger-export.ts";

interface ForecastDeps {
  accounts: Pick<Accounts, "organizations" | "organization">;
  ledger: ExportedLedger;
  /** The other catalog. */
  catalog: ForecastCatalog;
}

/**
 * The forecast of a range. `over`: percent, of at most six decimals. Memory holds one page of entries, the credits and
 * fees of one organization, and the sums of models and customers. Throws with the entry's id where an entry cannot be
 * priced, as where a count is none.
 */
export async function forecastLedger(
  range: ExportRange,
  over: string,
  { accounts, ledger, catalog }: ForecastDeps,
): Promise<ForecastReport> {
  const forecast = new Forecast(catalog);
  for await (const payer of payersOf(range, accounts)) {
    const entries = await ledger.creditsAndFees(payer.id);
    for await (const { entry, call } of bookedCalls(payer, range, ledger))
      named(entry, () => forecast.call(call, payer));
    for (const fee of feesOf(entries, range)) forecast.fee(fee, payer);
  }
  return forecast.report(over);
}

/** The fees of the paid periods that begin in a range, with the accounts that their orders were paid from. */
function feesOf(entries: readonly Entry[], { from, to }: ExportRange): BookedFee[] {
  const accounts = new Map(entries.map(({ id, debit }) => [id, debit]));
  const changed = changedFees(entries);
  return entries.flatMap((entry) => {
    const { id, fee, at } = entry;
    if (!fee || at < from || at >= to) return [];
    return {
      fee,
      posted: postedFee(entry),
      paidFrom: accounts.get(`credit#order.${fee.order}`),
      isChanged: changed.has(id),
    };
  });
}
