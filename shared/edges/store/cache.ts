/** Cached answers on DynamoDB. They may be lost at any time, so nothing is asked for twice. */

import type { Aws } from "../../base/platform/aws.ts";
import type { CacheEntries, CacheEntry } from "../../calls/cache/entries.ts";
import { type Item, readBytes, readText, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { equals, exists } from "./dynamodb/expressions.ts";
import { cacheEntryKey, type TableNames } from "./dynamodb/item-keys.ts";
import { changeItem, putItem } from "./dynamodb/items.ts";
import { createJoinedRead } from "./dynamodb/joined-reads.ts";
import { endOfTurn, type Tick } from "./joining.ts";

/** The entries in a table. A read may miss a new entry, and costs half as much. Reads of one `tick` are joined. */
export function createCacheEntries(
  aws: Aws,
  { cache: table }: Pick<TableNames, "cache">,
  tick: Tick = endOfTurn,
): CacheEntries {
  const readItem = createJoinedRead(aws, table, tick);
  return {
    async read({ scope, name }) {
      const item = await readItem(cacheEntryKey(scope, name));
      return item && readEntry(item);
    },

    async put({ scope, name }, entry) {
      const expires_at = Math.ceil(entry.until / 1000);
      await putItem(aws, table, { ...cacheEntryKey(scope, name), ...toItem({ ...entry, expires_at }) }, []);
    },

    async remove({ scope, name }, origin) {
      return await changeItem(aws, {
        table,
        key: cacheEntryKey(scope, name),
        set: { until: toAttribute(0) },
        remove: ["box"],
        when: [equals("origin", toAttribute(origin)), exists("box")],
      });
    },
  };
}

/** An entry, undefined for an item that is none. */
function readEntry(item: Item): CacheEntry | undefined {
  const [box, at, until] = [readBytes(item.box), Number(item.at?.N), Number(item.until?.N)];
  if (!box || !Number.isSafeInteger(at) || !Number.isSafeInteger(until)) return undefined;
  return { origin: readText(item.origin), at, until, box };
}
