/** Cached answers on DynamoDB. They may be lost at any time, so nothing is asked for twice. */
import type { CacheEntries, CacheEntry } from "../cache/entries.ts";
import type { Aws } from "../platform/aws.ts";
import { type Item, readBytes, readText, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { equals, exists } from "./dynamodb/expressions.ts";
import { cacheEntryKey, type Tables } from "./dynamodb/item-keys.ts";
import { changeItem, putItem } from "./dynamodb/items.ts";

/** The entries in a table. A read may miss what was put a moment ago: it costs half as much, and a miss is harmless. */
export function createCacheEntries(aws: Aws, { cache: table }: Pick<Tables, "cache">): CacheEntries {
  return {
    async read({ scope, name }) {
      const input = { TableName: table, Key: cacheEntryKey(scope, name), ConsistentRead: false };
      const { Item: item } = await aws("dynamodb", "GetItem", input);
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
