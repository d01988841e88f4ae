/**
 * Every price that an entry was charged at, in the ledger's table: put once, before the first entry that carries its
 * version, and never changed. A process remembers what it has put, so that a call costs nothing more.
 */
import { pinPrice } from "../../billing/pricing/charge.ts";
import type { PriceVersion, WholePrices } from "../../billing/pricing/price.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";
import type { Aws } from "../../platform/aws.ts";
import { toItem } from "../dynamodb/attributes.ts";
import { absent, either, exists } from "../dynamodb/expressions.ts";
import { priceKey, pricePartition, priceRange, readRecord, type Tables } from "../dynamodb/item-keys.ts";
import { eachBetween, putItem } from "../dynamodb/items.ts";

export interface PriceHistory {
  /** Puts the prices of events that this process has not put yet. Await it before the events' entries are written. */
  remember(events: readonly Priced[]): Promise<void>;
  /** Every price of every model, or those of one version: by version and model. */
  versions(version?: string): AsyncIterable<PriceVersion>;
}

/** What the history takes of an event. */
export type Priced = Pick<UsageEvent, "model" | "price" | "admitted_at">;

/** The history in the ledger's table. `whole` gives the prices of which events may carry a part. */
export function createPriceHistory(
  aws: Aws,
  tables: Pick<Tables, "ledger">,
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
          // Whoever was quicker has put the same, since the version is the price's hash; a part gives way to the whole.
          const when = price.partial ? absent("pk") : either(absent("pk"), exists("partial"));
          await putItem(aws, tables.ledger, item, [when]);
          met.add(name);
        }),
      );
    },

    async *versions(version) {
      const { first, last } = priceRange(version);
      const items = eachBetween(aws, tables.ledger, pricePartition, first, last);
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
