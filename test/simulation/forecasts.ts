/** A forecast with the catalog that the simulated calls were made with, and the margin, must say what the ledger says. */
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { forecastLedger } from "#shared/edges/operator/forecast.ts";
import { marginOf } from "#shared/edges/operator/margin.ts";
import type { World } from "./world.ts";

const dayMs = 86_400_000;

/** What a forecast of everything there is says otherwise than the ledger. */
export async function forecastGaps({ quietly, scheduler }: World): Promise<string[]> {
  const range = { from: scheduler.now - 100 * dayMs, to: scheduler.now + dayMs };
  const { accounts, ledger, catalog } = quietly;
  let charged = 0n;
  const calls = new Map<string, number>();
  for await (const { kind, event, points } of ledger.everyEntry()) {
    if (!event) continue;
    charged += parsePoints(points);
    if (kind === "adjustment" || !calls.has(event.id)) calls.set(event.id, event.calls);
  }
  const booked = { charged_now: formatPoints(charged), calls_now: calls.values().reduce((a, b) => a + b, 0) };
  const { totals, customers, models, kept, unpriced } = await forecastLedger(range, "0", {
    accounts,
    ledger,
    catalog,
  });
  const seller = catalog.seller();
  const margin = await marginOf(range, { accounts, ledger, seller });
  const sums = { charged_now: margin.totals.charged, calls_now: margin.totals.calls };
  const isSame = JSON.stringify(sums) === JSON.stringify(booked);
  const rows = [...customers, ...models, totals];
  const differ = rows.filter(
    (row) =>
      row.charged_now !== row.charged_then ||
      row.list_now !== row.list_then ||
      row.calls_now !== row.calls_then ||
      row.difference !== "0",
  );
  const isBooked = totals.charged_now === booked.charged_now && totals.calls_now === booked.calls_now;
  // Nothing keeps how much was held for a call that died.
  const others = kept.filter(({ reason }) => !["charged_at_hold", "plan_changed"].includes(reason));
  const unbooked = [...(isBooked ? [] : [{ booked, totals }]), ...(isSame ? [] : [{ booked, margin }])];
  return [...unbooked, ...differ, ...others, ...unpriced].map((each) => `forecast: ${JSON.stringify(each)}`);
}
