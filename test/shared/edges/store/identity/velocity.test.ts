/** Counts of messages on the embedded DynamoDB: no race counts more than there is room for. */
import { expect, test } from "vitest";
import { velocityKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import type { VelocityCount } from "#shared/people/identity/velocity.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const velocity = createVelocity(db.aws, db.tables);
const at = Date.parse("2026-11-23T12:00:00.000Z");
const count = (what: string, most?: number, of?: string): VelocityCount => ({
  what,
  window: "2026-11-23T12",
  most,
  ends_at: at + 3_600_000,
  ...(of !== undefined && { of }),
});

test("of 60 at one moment as many are counted as there is room for", async () => {
  const taken = await Promise.all(Array.from({ length: 60 }, () => velocity.take(count("race", 7))));
  const given = taken.flatMap((each) => each?.sent ?? []);
  expect(given.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  await velocity.giveBack(count("race"));
  expect(await velocity.take(count("race", 7))).toEqual({ sent: 7, completed: 0, raised: 0 });
  expect(await velocity.take(count("race", 7))).toBeUndefined();
});

test("a count without room takes nothing, also the first time", async () => {
  expect(await velocity.take(count("none", 0))).toBeUndefined();
  expect(await velocity.read(count("none"))).toEqual({ sent: 0, completed: 0, raised: 0 });
});

test("what is completed is counted beside what was sent", async () => {
  const block = count("block");
  await velocity.take(block);
  await Promise.all([velocity.complete(block), velocity.complete(block)]);
  expect(await velocity.take(block)).toEqual({ sent: 2, completed: 2, raised: 0 });
});

test("countries are counted in one item, each for itself", async () => {
  const country = (of: string, most: number) => ({ ...count("countries", most, of), window: "2026-11-23" });
  expect(await velocity.take(country("+86", 1))).toEqual({ sent: 1, completed: 0, raised: 0 });
  expect(await velocity.take(country("+86", 1))).toBeUndefined();
  expect(await velocity.take(country("+852", 1))).toEqual({ sent: 1, completed: 0, raised: 0 });
  expect(await velocity.countries(at)).toEqual({ "+86": 1, "+852": 1 });
});

test("of several that stop a block at one moment one is told so, and again when the stop is over", async () => {
  const stop = (from: number) => velocity.stop("+8613800", from, from + 1_000);
  const stopped = await Promise.all(Array.from({ length: 9 }, () => stop(at)));
  expect(stopped.filter(Boolean)).toHaveLength(1);
  expect(await stop(at + 999)).toBe(false);
  expect(await stop(at + 1_000)).toBe(true);
  await velocity.stop("+8613900", at, at + 5_000);
  expect(await velocity.stops(at)).toEqual({ "+8613800": at + 2_000, "+8613900": at + 5_000 });
  expect(await velocity.stops(at - 86_400_000)).toEqual({});
});

test("items expire after their window", async () => {
  await velocity.take(count("kept"));
  const item = await getItem(db.aws, db.tables.accounts, velocityKey("kept", "2026-11-23T12"));
  expect(Number(item?.expires_at?.N)).toBe((at + 2 * 3_600_000) / 1000);
});
