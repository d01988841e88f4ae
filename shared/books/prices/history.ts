/** `operator catalog prices`: the prices behind the versions in receipts, entries and exports. */

import type { PriceVersion } from "../billing/pricing/price.ts";
import type { Entry } from "../ledger/ledger.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";

interface PriceHistoryDeps {
  ledger: {
    prices(version?: string): AsyncIterable<PriceVersion>;
    everyEntry(): AsyncIterable<Entry>;
  };
  history: { remember(events: Pick<UsageEvent, "model" | "price" | "admitted_at">[]): Promise<void> };
}

/**
 * A line of the history. `since` is RFC 3339. `partial` means that the price may have more rates than the line shows.
 */
type HistoryLine = Omit<PriceVersion, "since" | "partial"> & { since: string; partial: boolean };

/** The prices of a version, or of all, for the wanted models: by model, and then by the instant of the first charge. */
export async function listPrices(
  { version, wanted }: { version?: string | undefined; wanted: (model: string) => boolean },
  { ledger }: Pick<PriceHistoryDeps, "ledger">,
): Promise<HistoryLine[]> {
  const prices = await Array.fromAsync(ledger.prices(version));
  return prices
    .filter(({ model }) => wanted(model))
    .sort((a, b) => (a.model === b.model ? a.since - b.since : a.model < b.model ? -1 : 1))
    .map(({ since, model, version, discount_rate, partial = false, price }) => ({
      since: new Date(since).toISOString(),
      model,
      version,
      discount_rate,
      partial,
      price,
    }));
}

/** Adds prices that entries carry and the history lacks; gives how many. Reads the whole ledger; repeated it adds none. */
export async function fillPrices({ ledger, history }: PriceHistoryDeps): Promise<number> {
  const known = new Set(
    (await Array.fromAsync(ledger.prices())).map(({ version, model }) => `${version}#${model}`),
  );
  const missing = new Map<string, Pick<UsageEvent, "model" | "price" | "admitted_at">>();
  for await (const { event } of ledger.everyEntry()) {
    const name = event && `${event.price.version}#${event.model}`;
    if (!name || known.has(name)) continue;
    const { model, price, admitted_at } = event;
    const first = missing.get(name);
    if (!first || admitted_at < first.admitted_at) missing.set(name, { model, price, admitted_at });
  }
  await history.remember([...missing.values()]);
  return missing.size;
}
