/** The operator's command that prices a past range by another catalog (shared/books/reports/forecast.md). */

import { createCatalog } from "#shared/books/catalog/models.ts";
import type { ForecastReport } from "#shared/books/reports/forecast/forecast.ts";
import { forecastLedger } from "#shared/edges/operator/forecast.ts";
import { command, flagOf, usually } from "./command.ts";
import { checkOrder, rangeFlags, readRange, watchedLedger } from "./ledger-range.ts";
import { readCatalog, storesOf } from "./stores.ts";

/** Reads a percentage, and keeps it as it is written. */
function percentage(text: string, name: string): string {
  if (!/^\d{1,6}(?:\.\d{1,6})?$/.test(text)) throw new Error(`${name} takes a percentage such as 5 or 2.5`);
  return text;
}

export const forecast = command({
  words: "forecast",
  what: "says what a past range would have brought with the catalog at --catalog, and who would have paid more",
  more: "It prices the ledger's calls and plan fees anew, and changes nothing. Days are of UTC. --catalog names the other catalog, a file or a folder. What cannot be priced there is listed by its reason, and counts as it does now. shared/books/reports/forecast.md says what each figure is.",
  flags: {
    ...rangeFlags,
    over: usually(
      "5",
      flagOf("PERCENT", "customers who pay so many percent more come first; 5 if not given", percentage),
    ),
  },
  examples: {
    "--from 2026-11-01 --to 2026-12-01 --catalog new.json":
      "last month, at the prices, plans and costs of new.json",
    "--from 2026-11-01 --to 2026-12-01 --catalog new.json --over 10 --json > november.json":
      "everything there is to say, into a file",
  },
  async run(call) {
    const { over, ...asked } = call.flags;
    checkOrder(asked);
    if (call.catalogFile === undefined) throw new Error("--catalog is needed: it names the other catalog");
    const other = await readCatalog(call.catalogFile);
    const { accounts, ledger } = await storesOf(call);
    const { range, said } = await readRange(asked, { accounts });
    const deps = { accounts, ledger: watchedLedger(ledger, call.progress), catalog: createCatalog(other) };
    const report = await forecastLedger(range, over, deps);
    const head = { range: said, catalog: other.version };
    return { value: { ...head, ...report }, shown: { ...head, ...shownOf(report) } };
  },
});

/** What fits on the lines of a terminal. */
function shownOf(report: ForecastReport): object {
  const { totals, customers, models, ...rest } = report;
  return {
    totals,
    customers: customers.map((row) => ({
      ...{ organization: row.organization, name: row.name, over: row.over, percent: row.percent },
      ...{ charged_now: row.charged_now, charged_then: row.charged_then },
      ...{ fees_now: row.fees_now, fees_then: row.fees_then, difference: row.difference },
    })),
    models: models.map((row) => ({
      ...{ model: row.model, calls: row.calls_now },
      ...{ charged_now: row.charged_now, charged_then: row.charged_then, difference: row.difference },
      ...{ list_now: row.list_now, list_then: row.list_then, house_cost: row.house_cost },
      ...{ margin_now: row.margin_now, margin_then: row.margin_then },
    })),
    ...rest,
  };
}
