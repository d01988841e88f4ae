/** Service tiers and speeds of a call that crosses (protocols/crossings.md "Tiers and speeds"). */

import { entryOf } from "../../base/json/fields.ts";
import type { Price } from "../../books/billing/pricing/price.ts";
import { rateFor, type Switch, type Way, ways } from "../../books/billing/pricing/rates.ts";
import type { ServedWays } from "../chat/ways.ts";
import type { ProviderSide } from "../protocols/protocol.ts";

type Upstream = Pick<ProviderSide, "ways">;

/**
 * What a provider of `upstream` is asked for, in its own words, and the names of the ways that are left out: those that
 * its protocol has no word for, or the model's price no rate.
 */
export function waysAcross(
  asked: ServedWays = {},
  upstream: Upstream,
  price: Price,
): { sent: ServedWays; left: string[] } {
  const sent: ServedWays = {};
  const left: string[] = [];
  for (const way of ["service_tier", "speed"] as const) {
    const name = asked[way];
    if (name === undefined) continue;
    const word = wordFor(way, name, upstream, price);
    if (word === undefined) left.push(way);
    else sent[way] = word;
  }
  return { sent, left };
}

/** The switches of a request as they reach providers of other protocols, in the words of these. */
export function switchesAcross(
  switches: readonly Switch[],
  across: readonly Upstream[],
  price: Price,
): Switch[] {
  return switches.flatMap((each) => {
    const { kind, name } = each;
    if (!isWay(kind)) return [];
    const words = across.flatMap((upstream) => wordFor(kind, name, upstream, price) ?? []);
    return [...new Set(words)].map((word) => ({ ...each, name: word }));
  });
}

function isWay(kind: Switch["kind"]): kind is Way {
  return (ways as readonly string[]).includes(kind);
}

function wordFor(way: Way, name: string, upstream: Upstream, price: Price): string | undefined {
  const word = entryOf(upstream.ways?.[way] ?? {}, name);
  return word !== undefined && rateFor(price, { kind: way, name: word }) !== undefined ? word : undefined;
}
