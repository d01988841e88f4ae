/**
 * The audit of prices: the history has every version that an entry names, and each version is the hash of its price.
 */
import { pinPrice } from "../../billing/pricing/charge.ts";
import type { PriceVersion } from "../../billing/pricing/price.ts";
import type { Entry } from "../../ledger/ledger.ts";
import type { Finding } from "./rollups.ts";

/** The history has every price that an entry was charged at, by version and model. */
export function pricesResolve({ entries, prices }: { entries: Entry[]; prices: PriceVersion[] }): Finding {
  const kept = new Set(prices.map(nameOf));
  const charged = Map.groupBy(
    entries.flatMap(({ event }) => (event ? [`${event.model} at ${event.price.version}`] : [])),
    (name) => name,
  );
  const lost = [...charged].filter(([name]) => !kept.has(name));
  const altered = prices.filter(
    ({ price, discount_rate, version, partial }) =>
      !partial && pinPrice(price, discount_rate).version !== version,
  );
  return {
    gaps: [
      ...lost.map(([name, calls]) => `${name}: ${calls.length} entries, and no such price in the history`),
      ...altered.map((price) => `${nameOf(price)} is not the price of that version`),
    ],
    detail: `${charged.size} prices of entries: each in the history of ${prices.length}`,
  };
}

function nameOf({ model, version }: Pick<PriceVersion, "model" | "version">): string {
  return `${model} at ${version}`;
}
