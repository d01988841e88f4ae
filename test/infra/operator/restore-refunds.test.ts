/** A restore of orders that were paid back or doubted after its instant: what went back stays back, and doubts stay. */
import { describe, expect, it } from "vitest";
import { reportOf } from "#infra/operator/restore-report.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { decideReview, refundOrder } from "#shared/edges/operator/orders.ts";
import type { Redo } from "#shared/edges/restore/redo.ts";
import { takeEvidence } from "#shared/people/orders/evidence.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { leftOf } from "#shared/people/payments/states.ts";
import { booksOf, minute, openPeople } from "#test/support/restored-people.ts";

const wanted: Redo[] = ["credits", "orders"];

type People = Awaited<ReturnType<typeof openPeople>>;

/** The platform calls, and tells what it knows of an order. */
async function notice({ id }: Order, { deps, trades }: People): Promise<void> {
  const order = await deps.orders.find(id);
  if (order) await takeEvidence(order, trades.evidence(id, "alipay"), "notice", deps);
}

/** What is here now is what the restore will find. Gives its instant. */
function mark({ story }: People): number {
  story.stage.mark();
  const instant = story.now();
  story.step(minute);
  return instant;
}

/** Restores, and gives what the report says of each order; then does it again, twice, and lets the reconciler run. */
async function restoreTwice(stage: People, instant: number) {
  const { orders } = reportOf(await stage.story.restore(instant), undefined);
  const first = await stage.story.restore(instant, wanted);
  expect(first.redone).toMatchObject({ orders: orders.length, failed: [] });
  const second = await stage.story.restore(instant, wanted);
  expect(second.redone).toMatchObject({ orders: 0, failed: [] });
  for (let run = 0; run < 2; run++) {
    stage.story.step(minute);
    await reconcile(stage.restored);
  }
  return orders.map(({ order, state, restored, way }) => [order, state, restored, way]);
}

const changeOf = (amount: string) => ({ amount, reason: "mistake" });

describe("an order with a refund after the instant", () => {
  it.each(["pending", "paid"])("is put there with its refund where it was %s", async (restored) => {
    const stage = await openPeople();
    const order = await stage.order({ pays: false });
    stage.trades.settle(order.id);
    if (restored === "paid") await notice(order, stage);
    const instant = mark(stage);
    await reconcile(stage.deps);
    stage.story.step(minute);
    await reconcile(stage.deps);
    await refundOrder(order.id, changeOf("40.00"), stage.deps as never);
    await reconcile(stage.deps);
    const books = await booksOf(stage.deps, stage, stage.story.stores.meters);
    expect(books.orders).toEqual([`${order.id} partly_refunded 4000`]);

    const told = await restoreTwice(stage, instant);
    expect(told).toEqual([[order.id, "partly_refunded", restored, "put"]]);
    expect(await booksOf(stage.restored, stage, stage.story.restored.meters)).toEqual(books);
    const refunds = await stage.deps.orders.refunds(order.id);
    expect(await stage.restored.orders.refunds(order.id)).toEqual(refunds);
    expect(await stage.openOrders()).toBe(0);
    const again = refundOrder(order.id, changeOf("60.01"), stage.restored as never);
    await expect(again).rejects.toThrow("60.00 CNY");
  });

  it("is put there with a refund that its platform has refused", async () => {
    const stage = await openPeople();
    const order = await stage.order();
    const instant = mark(stage);
    stage.trades.refundOutcomes.push("refused");
    await reconcile(stage.deps);
    await refundOrder(order.id, changeOf("40.00"), stage.deps as never);
    await reconcile(stage.deps);
    const refunds = await stage.deps.orders.refunds(order.id);
    expect(refunds).toMatchObject([{ state: "refused" }]);

    expect(await restoreTwice(stage, instant)).toEqual([[order.id, "credited", "credited", "put"]]);
    expect(await stage.restored.orders.refunds(order.id)).toEqual(refunds);
    expect(await stage.stateOf(order.id, stage.restored)).toBe("credited");
    expect(leftOf((await stage.restored.orders.find(order.id)) ?? {})).toBe(10_000);
  });
});

describe("what a person has to decide, or has decided, after the instant", () => {
  it("stays so where the platform has paid back what nobody asked for", async () => {
    const stage = await openPeople();
    const order = await stage.order();
    await reconcile(stage.deps);
    const instant = mark(stage);
    expect(await stage.stateOf(order.id)).toBe("credited");
    stage.trades.returnElsewhere(order.id);
    await notice(order, stage);
    await decideReview(order.id, "dismiss", stage.deps as never);

    expect(await restoreTwice(stage, instant)).toEqual([[order.id, "credited", "credited", "put"]]);
    const put = await stage.restored.orders.find(order.id);
    expect(put).toMatchObject({ state: "credited", returned: 10_000 });
    const again = refundOrder(order.id, changeOf("0.01"), stage.restored as never);
    await expect(again).rejects.toThrow("0.00 CNY");
  });

  it("is in review again where an order had been closed for long", async () => {
    const stage = await openPeople();
    const order = await stage.order({ pays: false });
    for (let day = 0; day < 3; day++) {
      stage.story.step(25 * 60 * minute);
      await reconcile(stage.deps);
    }
    expect(await reconcile(stage.deps)).toMatchObject({ due: 0 });
    const instant = mark(stage);
    stage.trades.settle(order.id, 5_000);
    await notice(order, stage);

    expect(await restoreTwice(stage, instant)).toEqual([[order.id, "review", "closed", "put"]]);
    expect(await stage.restored.orders.find(order.id)).toMatchObject({ doubt: { fields: ["amount"] } });
    await decideReview(order.id, "credit", stage.restored as never);
    stage.story.step(minute);
    await reconcile(stage.restored);
    const { balance } = await booksOf(stage.restored, stage, stage.story.restored.meters);
    expect(formatPoints(balance)).toBe("50");
  });

  it.each(["credit", "dismiss"] as const)("is not asked again where it was to %s", async (decision) => {
    const stage = await openPeople();
    const order = await stage.order({ pays: false });
    stage.trades.settle(order.id, 5_000);
    await notice(order, stage);
    const instant = mark(stage);
    await decideReview(order.id, decision, stage.deps as never);
    stage.story.step(minute);
    await reconcile(stage.deps);
    const state = await stage.stateOf(order.id);
    expect(state).toBe(decision === "credit" ? "credited" : "closed");

    expect(await restoreTwice(stage, instant)).toEqual([[order.id, state, "review", "put"]]);
    expect(await stage.stateOf(order.id, stage.restored)).toBe(state);
  });
});
