/** Cached answers on the embedded DynamoDB, and the epoch that empties them. */
import { expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { CacheEntry } from "#shared/calls/cache/entries.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createCacheEntries } from "#shared/edges/store/cache.ts";
import { readBigint } from "#shared/edges/store/dynamodb/attributes.ts";
import { cacheEntryKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { counting, noon } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const cache = createCacheEntries(db.aws, db.tables);

let places = 0;
const newPlace = () => ({ scope: "scope", name: `name-${++places}` });
const entry = (change: Partial<CacheEntry> = {}): CacheEntry => ({
  origin: newId("request", noon),
  at: noon,
  until: noon + 86_400_000,
  box: Buffer.from([0, 1, 255]),
  ...change,
});

test("an entry is read as it was put, and the last one stays", async () => {
  const place = newPlace();
  expect(await cache.read(place)).toBeUndefined();
  const [first, second] = [entry(), entry({ box: Buffer.from([7]) })];
  await cache.put(place, first);
  expect(await cache.read(place)).toEqual(first);
  await cache.put(place, second);
  expect(await cache.read(place)).toEqual(second);
  expect(await cache.read({ ...place, scope: "other" })).toBeUndefined();
});

test("an entry expires in the table when it ends, and not before", async () => {
  const place = newPlace();
  await cache.put(place, entry({ until: noon + 1_500 }));
  const item = await getItem(db.aws, db.tables.cache, cacheEntryKey(place.scope, place.name));
  expect(readBigint(item?.expires_at)).toBe(BigInt(noon / 1000 + 2));
});

test("an entry is removed by who names the call it came from, once", async () => {
  const place = newPlace();
  const [old, young] = [entry(), entry({ origin: newId("request", noon) })];
  expect(await cache.remove(place, old.origin)).toBe(false);
  await cache.put(place, young);
  expect(await cache.remove(place, old.origin)).toBe(false);
  expect(await cache.read(place)).toEqual(young);
  expect(await cache.remove(place, young.origin)).toBe(true);
  expect(await cache.remove(place, young.origin)).toBe(false);
  expect(await cache.read(place)).toBeUndefined();
});

test("a read costs half a unit, and each write of a short answer one", async () => {
  const { aws, units } = counting(db.aws);
  const counted = createCacheEntries(aws, db.tables);
  const place = newPlace();
  const kept = entry();
  await counted.put(place, kept);
  await counted.read(place);
  await counted.remove(place, kept.origin);
  expect(Object.fromEntries(units)).toEqual({ PutItem: 1, GetItem: 0.5, UpdateItem: 1 });
});

test("an epoch is raised by each who empties the cache", async () => {
  const accounts = createAccounts(db.aws, db.tables);
  const id = newId("organization", noon);
  const organization = { id, name: "T", status: "active" as const, permissions: [], created_at: noon };
  await accounts.createOrganization({ ...organization, subscription: null, wallet: null });
  expect((await accounts.organization(id))?.cache_epoch).toBeUndefined();
  await Promise.all([accounts.emptyCache(id), accounts.emptyCache(id)]);
  expect((await accounts.organization(id))?.cache_epoch).toBe(2);
  await expect(accounts.emptyCache(newId("organization", noon))).rejects.toThrow("missing");
});
