/** Which service tiers and speeds of a call cross to a protocol (protocols/crossings.md "Tiers and speeds"). */

import { entryOf } from "../../base/json/fields.ts";
import type { Price } from "../../books/billing/pricing/price.ts";
import { rateFor, type Switch, type Way } from "../../books/billing/pricing/rates.ts";
import type { ProviderSide } from "../protocols/protocol.ts";

type Upstream = Pick<ProviderSide, "ways">;

/** A provider's word for a way. Undefined where its protocol has none, or the model's price no rate for it. */
export function wordAcross(
  kind: Switch["kind"],
  name: string,
  { ways }: Upstream,
  price: Price,
): string | undefined {
  const word = entryOf(ways?.[kind as Way] ?? {}, name);
  return word !== undefined && rateFor(price, { kind, name: word }) !== undefined ? word : undefined;
}

/** The switches of a request as they reach providers of other protocols, in the words of these. */
export function switchesAcross(
  switches: readonly Switch[],
  across: readonly Upstream[],
  price: Price,
): Switch[] {
  return switches.flatMap((each) => {
    const words = across.flatMap((upstream) => wordAcross(each.kind, each.name, upstream, price) ?? []);
    return [...new Set(words)].map((word) => ({ ...each, name: word }));
  });
}
