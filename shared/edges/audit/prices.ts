/** The audit of prices: each version of the history is the hash of its price. The walk looks for those of entries. */
import { pinPrice } from "../../books/billing/pricing/pin-price.ts";
import type { PriceVersion } from "../../books/billing/pricing/price.ts";
import { finding } from "./kept.ts";
import type { Finding } from "./rollups.ts";

/** The history has every price that an entry was charged at, and each is the price of its version. */
export function pricesResolve({
  prices,
  lost,
  met,
}: {
  prices: readonly PriceVersion[];
  /** What the walk has not found in the history. */
  lost: readonly string[];
  /** The prices that the walk has met. */
  met: readonly string[];
}): Finding {
  const altered = prices.flatMap(({ model, price, discount_rate, version, partial }) => {
    const isRight = pinPrice(price, discount_rate).version === version;
    // A price is noted as partial where the entry alone was known, and has lost rates.
    if (isRight ? partial === undefined : partial === true) return [];
    const noted = partial === undefined ? "not noted as partial" : `noted as partial ${partial}`;
    return [
      `${model} at ${version} of the history: price and discount_rate are ${isRight ? "" : "not "}of that version, and ${noted}`,
    ];
  });
  return finding(
    [...lost, ...altered],
    `${met.length} prices of entries: each in the history of ${prices.length}`,
  );
}
