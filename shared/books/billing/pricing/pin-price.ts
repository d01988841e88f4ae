/** Fixes the price of a call at its admission, and keeps of it what the call's records need. */
import { createHash } from "node:crypto";
import type { UsageDetails } from "../usage.ts";
import { modeOf } from "./modes/index.ts";
import type { PinnedPrice, Price, Rates } from "./price.ts";
import { pick, toolsUnasked, type Way, ways } from "./rates.ts";

/** Fixes a price for a call. The order of a price's fields does not change its version. */
export function pinPrice(price: Price, discount_rate: string): PinnedPrice {
  const text = canonicalJson({ price, discount_rate });
  return { price, discount_rate, version: createHash("sha256").update(text).digest("hex").slice(0, 12) };
}

/**
 * A pinned price with only those rates that the call is charged by, so the charge stays the same. A whole price list
 * would make stored items more than one KB longer, and each write of them dearer.
 */
export function withRatesOf(pinned: PinnedPrice, details: UsageDetails = {}): PinnedPrice {
  const { rates = {}, ...bare } = pinned.price as Price & { rates?: Rates };
  const kinds = Object.keys(details.tokens ?? {});
  const price = modeOf(bare).withTierRates(bare, (tier) => pick(tier.rates, kinds)) as Price;
  const kept: Rates = pick(rates, kinds);
  const keep = (list: Way | "tools" | "tools_once" | "unasked", names: string[]) => {
    const used = pick(rates[list], names);
    if (Object.keys(used).length > 0) Object.assign(kept, { [list]: used });
  };
  for (const way of ways) if (details[way] !== undefined) keep(way, [details[way]]);
  if (details.calls) {
    const tools = Object.keys(details.calls);
    keep("tools", tools);
    keep("tools_once", tools);
  }
  // The sweep bills by the intent, which is written before there are details.
  keep("unasked", toolsUnasked(pinned.price));
  return { ...pinned, price: Object.keys(kept).length > 0 ? ({ ...price, rates: kept } as Price) : price };
}

/** JSON with the keys of every object in order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
