/**
 * Every price that an entry was charged at, written once, before its first entry. A process remembers what it wrote.
 */

import type { Aws } from "../../../base/platform/aws.ts";
import { pinPrice } from "../../../books/billing/pricing/pin-price.ts";
import type { PriceVersion, WholePrices } from "../../../books/billing/pricing/price.ts";
import type { UsageEvent } from "../../../books/ledger/usage-event.ts";
import { toItem } from "../dynamodb/attributes.ts";
import { absent, either, exists } from "../dynamodb/expressions.ts";
import { priceKey, pricePartition, priceRange, readRecord, type TableNames } from "../dynamodb/item-keys.ts";
import { eachBetween, putItem } from "../dynamodb/items.ts";

export interface PriceHistory {
  /** Writes the prices of events that this process has not written yet. Await it before writing the entries. */
  remember(events: readonly Priced[]): Promise<void>;
  /** All prices by version and model, or those of one version. */
  versions(version?: string): AsyncIterable<PriceVersion>;
}

type Priced = Pick<UsageEvent, "model" | "price" | "admitted_at">;

/** The history in the ledger's table. An event may have only a part of its price; `whole` gives the whole. */
export function createPriceHistory(
  aws: Aws,
  tables: Pick<TableNames, "ledger">,
  whole: WholePrices = () => undefined,
): PriceHistory {
  const met = new Set<string>();
  return {
    async remember(events) {
      const unmet = new Map<string, PriceVersion>();
      for (const event of events) {
        const { model, price, admitted_at } = event;
        const name = `${price.version}#${model}`;
        const known = unmet.get(name);
        if (known) known.since = Math.min(known.since, admitted_at);
        else if (!met.has(name)) unmet.set(name, versionOf(event, whole));
      }
      await Promise.all(
        [...unmet].map(async ([name, price]) => {
          const item = { ...priceKey(price.version, price.model), ...toItem(price) };
          // The version is the price's hash, so another process can only have written the same. A part may be replaced.
          const when = price.partial ? absent("pk") : either(absent("pk"), exists("partial"));
          await putItem(aws, tables.ledger, item, [when]);
          met.add(name);
        }),
      );
    },

    async *versions(version) {
      const items = eachBetween(aws, tables.ledger, pricePartition, priceRange(version));
      for await (const item of items) yield readRecord<PriceVersion>(item);
    },
  };
}

function versionOf({ model, price, admitted_at }: Priced, whole: WholePrices): PriceVersion {
  const known = whole(model, price.version);
  if (known) return { ...known, model, since: admitted_at };
  const isWhole = pinPrice(price.price, price.discount_rate).version === price.version;
  return { ...price, model, since: admitted_at, ...(!isWhole && { partial: true }) };
}
