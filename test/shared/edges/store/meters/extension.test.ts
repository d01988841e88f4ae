/** Raising a hold, on the embedded DynamoDB: once, if the money is there, and never after the settlement. */
import { describe, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { admit, expectBalanced, openWallet, repeating, settlement, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { call, expectConserved, newWallet } from "#test/support/wallets.ts";

const point = parsePoints("1");
const { db, meters } = useStores();

describe("raising a hold", () => {
  test("takes the difference, once, also when its first answer is lost", async () => {
    const hold = walletHold(await openWallet(db, "5"), "1");
    const ticket = await admit(meters, hold);
    const raised = { ...ticket, hold: { ...hold, points: 3n * point } };
    expect(await createMeters(repeating(db.aws), db.tables).extend(ticket, 3n * point)).toEqual({
      extended: true,
      ticket: raised,
    });
    expect(await meters.readMeter(hold.meter, 0)).toMatchObject({ avail: 2n * point });
    await expectBalanced(db, hold.meter);
    // The ticket before is out of date.
    expect(await meters.settle(ticket, settlement({ points: point }))).toBe(false);
    expect(await meters.settle(raised, settlement({ points: 2n * point }))).toBe(true);
    expect(await meters.readMeter(hold.meter, 0)).toMatchObject({ avail: 3n * point, used: 2n * point });
  });

  test("is refused beyond the balance, and changes nothing then", async () => {
    const hold = walletHold(await openWallet(db, "2"), "1");
    const ticket = await admit(meters, hold);
    expect(await meters.extend(ticket, 2n * point + 1n)).toEqual({
      extended: false,
      error: "insufficient_balance",
    });
    expect(await meters.extend(ticket, 2n * point)).toMatchObject({ extended: true });
    expect(await meters.readMeter(hold.meter, 0)).toMatchObject({ avail: 0n });
  });

  test("and settling it at the same time end in one of both, with nothing lost", async () => {
    for (let round = 0; round < 10; round++) {
      const hold = walletHold(await openWallet(db, "5"), "1");
      const ticket = await admit(meters, hold);
      const [extension, settled] = await Promise.all([
        meters.extend(ticket, 3n * point),
        meters.settle(ticket, settlement({ points: point })),
      ]);
      expect(extension.extended).not.toBe(settled);
      await expectBalanced(db, hold.meter);
    }
  });

  test("leaves the sweep what is really held", async () => {
    const hold = walletHold(await openWallet(db, "5"), "1");
    const extension = await meters.extend(await admit(meters, hold), 3n * point);
    if (!extension.extended) throw new Error("refused");
    expect((await meters.seize(hold.meter, 0, hold.request))?.points).toBe(3n * point);
    // That is no lack of money, and no reason to look for some on other shards.
    expect(await meters.extend(extension.ticket, 4n * point)).toEqual({ extended: false, error: "internal" });
  });

  test("brings what is missing from other shards to the hold's own", async () => {
    const organization = await newWallet(db, "8", 4);
    const { hold, admission } = await call(db.aws, db, organization, "2");
    if (!admission.admitted) throw new Error("refused");
    const { ticket } = admission;
    expect(await meters.extend(ticket, 5n * point)).toMatchObject({ extended: false, tryOtherShard: true });
    const missing = { ...hold, points: 3n * point };
    expect(await meters.gather(missing, hold.shard)).toEqual({ shard: hold.shard });
    expect(await meters.extend(ticket, 5n * point)).toMatchObject({ extended: true });
    await expectConserved(db, organization, 8n * point);
  });
});
