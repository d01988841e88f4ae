/** The operator's command that says what a past range brought and cost (shared/books/reports/margin.md). */

import type { MarginReport } from "#shared/books/reports/margin/margin.ts";
import { marginOf } from "#shared/edges/operator/margin.ts";
import { choice, command } from "./command.ts";
import { checkOrder, rangeFlags, readRange, watchedLedger } from "./ledger-range.ts";
import { storesWithCatalog } from "./stores.ts";

const groups = ["model", "provider", "customer", "day"] as const;

export const margin = command({
  words: "margin",
  what: "says what the calls and plans of a range brought, what the calls cost the house, and what is left",
  more: "Costs are those that were booked with each call, also of attempts that were lost or timed out. Days are of UTC. --by chooses what is shown; --json has all of it. shared/books/reports/margin.md says what each figure is.",
  flags: {
    ...rangeFlags,
    by: choice(groups, "what the lines are of; model if not given"),
  },
  examples: {
    "--from 2026-11-01 --to 2026-12-01": "last month, by model",
    "--from 2026-11-01 --to 2026-12-01 --by provider":
      "what each provider cost, with attempts that others answered",
  },
  async run(call) {
    const { by = "model", ...asked } = call.flags;
    checkOrder(asked);
    const { accounts, ledger, seller } = await storesWithCatalog(call);
    const { range, said } = await readRange(asked, { accounts });
    const report = await marginOf(range, { accounts, ledger: watchedLedger(ledger, call.progress), seller });
    return { value: { range: said, ...report }, shown: { range: said, ...shownOf(report, by) } };
  },
});

/** What fits on the lines of a terminal. */
function shownOf(report: MarginReport, by: (typeof groups)[number]): object {
  const { currency, totals, unknown_cost } = report;
  const lines = {
    model: report.models,
    provider: report.providers,
    customer: report.customers,
    day: report.days,
  };
  return { currency, totals, [`${by}s`]: lines[by], unknown_cost };
}
