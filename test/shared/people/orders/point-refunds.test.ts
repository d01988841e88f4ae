/** Points that the operator pays back: those of the order itself that nobody has used. */
import { describe, expect, test } from "vitest";
import { onePoint } from "#shared/books/billing/points.ts";
import { refundOrder } from "#shared/edges/operator/orders.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { pendingOrder } from "#test/support/orders.ts";
import { buyer } from "#test/support/refunded-customer.ts";
import { eventOf, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();

/** Adds so many points to two counters of a wallet. */
async function moveOnMeter(meter: string, { avail, used }: { avail: number; used: number }): Promise<void> {
  const text = (n: number) => ({ N: String(BigInt(n) * onePoint) });
  await db.aws("dynamodb", "UpdateItem", {
    TableName: db.tables.counters,
    Key: { pk: { S: `M#${meter}#0` } },
    UpdateExpression: "ADD avail :avail, used :used",
    ExpressionAttributeValues: { ":avail": text(avail), ":used": text(used) },
  });
}

describe("points", () => {
  async function wallet() {
    const one = await buyer(db);
    const { clock, deps, id, organization } = one;
    const ledger = createLedger(db.aws, db.tables);
    const credit = async (kind: "promotional" | "adjustment", points: bigint) => {
      clock.now += 1_000;
      const { wallet: own } = await organization();
      const reference = `${kind}-${clock.now}`;
      const common = { organization: id, meter: own?.meter ?? "", at: clock.now, reference };
      await ledger.credit({ ...common, points: points * onePoint, kind });
    };
    const points = async (amount: number) => {
      clock.now += 1_000;
      const worth = { amount, points: String(amount / 100) };
      return await one.pay(await pendingOrder(id, deps, worth));
    };
    return { ...one, credit, points };
  }

  test("that were used are not paid back because promotional ones came after them", async () => {
    const { credit, points, refundable, deps } = await wallet();
    const order = await points(1_000);
    await credit("adjustment", -10n);
    await credit("promotional", 10n);
    expect(await refundable(order)).toBe("0.00");
    await expect(refundOrder(order.id, { amount: "10.00", reason: "r" }, deps)).rejects.toMatchObject({
      key: "insufficient_balance",
    });
    await expect(refundOrder(order.id, { amount: undefined, reason: "r" }, deps)).rejects.toMatchObject({
      key: "insufficient_balance",
    });
  });

  test("that calls have used are told by the ledger's sums, before and after each credit", async () => {
    const { clock, id, organization, points, credit, refundable } = await wallet();
    const meter = (await organization()).wallet?.meter ?? "";
    const ledger = createLedger(db.aws, db.tables, () => clock.now);
    const first = await points(1_000);
    /** A call that is charged, on the wallet and in the ledger. */
    const use = async (n: number) => {
      clock.now += 1_000;
      const event = eventOf(walletHold(meter, String(n), clock.now), String(n), { organization: id });
      await ledger.record([event]);
      await moveOnMeter(meter, { avail: -n, used: n });
    };
    await use(4);
    expect(await refundable(first)).toBe("6.00");
    clock.now += 26 * 3_600_000;
    await credit("promotional", 5n);
    const second = await points(2_000);
    await use(3);
    expect([await refundable(first), await refundable(second)]).toEqual(["6.00", "20.00"]);
    await use(5);
    expect([await refundable(first), await refundable(second)]).toEqual(["3.00", "20.00"]);
    clock.now += 50 * 3_600_000;
    await use(7);
    expect([await refundable(first), await refundable(second)]).toEqual(["0.00", "16.00"]);
  });

  test("what is in flight is not paid back", async () => {
    const { points, refundable, organization } = await wallet();
    const order = await points(1_000);
    // A call of 4 points is settled on the wallet, and its event is on its way to the ledger.
    const settle = async (n: number) =>
      await moveOnMeter((await organization()).wallet?.meter ?? "", { avail: -n, used: n });
    await settle(4);
    expect(await refundable(order)).toBe("6.00");
    await settle(-4);
    expect(await refundable(order)).toBe("10.00");
  });

  test("are used after promotional ones, the oldest first, and each order pays back its own", async () => {
    const { credit, points, refundable, refund } = await wallet();
    const [first, second] = [await points(1_000), await points(2_000)];
    await credit("promotional", 5n);
    await credit("adjustment", -8n);
    expect([await refundable(first), await refundable(second)]).toEqual(["7.00", "20.00"]);
    await expect(refund(first, 701)).rejects.toMatchObject({ key: "insufficient_balance" });
    expect(await refund(second, 300)).toMatchObject({ state: "partly_refunded", refunded: 300 });
    expect([await refundable(first), await refundable(second)]).toEqual(["7.00", "17.00"]);
    expect(await refund(first)).toMatchObject({ state: "partly_refunded", refunded: 700 });
    expect([await refundable(first), await refundable(second)]).toEqual(["0.00", "17.00"]);
    expect(await refund(second)).toMatchObject({ state: "refunded" });
  });
});
