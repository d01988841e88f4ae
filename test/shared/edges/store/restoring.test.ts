/** What is written to restored tables, on the embedded DynamoDB: a call is charged with its entry, once, or not at all. */
import { expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import { createRestoring } from "#shared/edges/store/restoring.ts";
import { admit, eventOf, expectBalanced, noon, openWallet, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, meters, ledger } = useStores();
const restoring = createRestoring(db.aws, db.tables, () => noon);

test("a call that the meter never knew is charged together with its entry, once", async () => {
  const meter = await openWallet(db, "10");
  const event = eventOf(walletHold(meter, "5"), "0.25");
  expect(await restoring.known(event)).toEqual({ shard: 0, held: false, intended: false });
  expect(await restoring.bookCharged(event, { shard: 0, budgets: [] })).toBe(true);
  expect(await restoring.bookCharged(event, { shard: 0, budgets: [] })).toBe(false);
  const item = await meters.readMeter(meter, 0);
  expect([item?.used, item?.avail]).toEqual([parsePoints("0.25"), parsePoints("9.75")]);
  expect(await ledger.entriesOf(event.organization, event.id)).toHaveLength(1);
  await expectBalanced(db, meter);
});

test("a call that the meter holds for is not charged beside its hold, and nothing is booked", async () => {
  const meter = await openWallet(db, "10");
  const hold = walletHold(meter, "5");
  const event = eventOf(hold, "0.25");
  await admit(meters, hold);
  expect(await restoring.known(event)).toMatchObject({ held: true });
  await expect(restoring.bookCharged(event, { shard: 0, budgets: [] })).rejects.toThrow("nothing was booked");
  await meters.seize(meter, 0, hold.request);
  await expect(restoring.bookCharged(event, { shard: 0, budgets: [] })).rejects.toThrow("nothing was booked");
  expect(await ledger.entriesOf(event.organization, event.id)).toEqual([]);
  await expectBalanced(db, meter);
});

test("a shard that was opened after the instant is charged on the first one, and a lost meter not at all", async () => {
  const meter = await openWallet(db, "10");
  const event = eventOf(walletHold(meter, "5"), "0.25", { shard: 3 });
  expect((await restoring.known(event)).shard).toBe(0);
  const lost = { ...event, meter: "mtr_lost" };
  expect((await restoring.known(lost)).shard).toBeUndefined();
  await expect(restoring.bookCharged(lost, { shard: 0, budgets: [] })).rejects.toThrow("is not there");
  expect(await ledger.entriesOf(event.organization, event.id)).toEqual([]);
});
