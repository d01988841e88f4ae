/** `operator catalog prices`: what the price versions of receipts, entries and exports stand for. */

import type { PriceVersion } from "../../billing/pricing/price.ts";
import type { Entry } from "../../ledger/ledger.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";

export interface PriceHistoryDeps {
  ledger: {
    prices(version?: string): AsyncIterable<PriceVersion>;
    everyEntry(): AsyncIterable<Entry>;
  };
  history: { remember(events: Pick<UsageEvent, "model" | "price" | "admitted_at">[]): Promise<void> };
}

/** A line of the history. `since` is an instant in RFC 3339; `partial`: the entry's rates may not be all. */
export type PriceLine = Omit<PriceVersion, "since" | "partial"> & { since: string; partial: boolean };

/** The prices of a version and of the models that fit, model by model in the order in which they were first charged. */
export async function listPrices(
  { ledger }: Pick<PriceHistoryDeps, "ledger">,
  { version, wanted }: { version?: string | undefined; wanted: (model: string) => boolean },
): Promise<PriceLine[]> {
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

/**
 * Puts the prices of entries from before there was a history: each entry carries its own. Gives how many there were.
 * Reads the whole ledger. Repeating it puts nothing.
 */
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
