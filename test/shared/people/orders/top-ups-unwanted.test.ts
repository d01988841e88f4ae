/** Automatic orders that are not made, or not charged any more (shared/people/payments/auto-top-up.md "States"). */
import { describe, expect, test } from "vitest";
import { endUnwanted } from "#shared/people/orders/tend.ts";
import { endTopUp } from "#shared/people/orders/top-up-end.ts";
import { turnOn } from "#shared/people/orders/top-up-terms.ts";
import { topUpEnd } from "#shared/people/payments/auto-top-up.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { useStores } from "#test/support/stores.ts";
import { openTopUp, topUpTerms } from "#test/support/top-ups.ts";

const { db } = useStores();
const open = () => openTopUp(db, topUpTerms);

describe("an order that nobody wants any more is not charged, and counts as no failure", () => {
  test.each<[string, Partial<typeof topUpTerms>]>([
    ["another sum", { amount: 500 }],
    ["another currency", { currency: "CNY", amount: 1_000 }],
    ["a lower most of a month", { amount: 1_000, month_max: 999 }],
  ])("after %s", async (_, terms) => {
    const desk = await open();
    const order = await desk.pass();
    await turnOn(desk.by, { ...topUpTerms, ...terms }, desk.deps);
    await desk.run();
    expect(desk.trades.isPaid(order?.id ?? "")).toBe(false);
    expect(await desk.deps.orders.find(order?.id ?? "")).toMatchObject({ state: "closed" });
    const settings = await desk.settings();
    for (const name of ["order", "failures", "not_before", "paused"])
      expect(settings).not.toHaveProperty(name);
    expect(await desk.used()).toBe(0);
    expect((await desk.lines()).map(({ kind }) => kind)).not.toContain("auto_top_up_failed");
  });

  test("after a freeze that ended, or when a person closes it", async () => {
    const desk = await open();
    await desk.pass();
    await desk.deps.accounts.setStatus(desk.organization.id, "frozen");
    await desk.run();
    await desk.deps.accounts.setStatus(desk.organization.id, "active");
    const order = await desk.pass();
    if (!order) throw new Error("no order");
    await endUnwanted(order, "page", desk.deps);
    await desk.run(40);
    expect(await desk.settings()).not.toHaveProperty("failures");
    expect(await desk.pass()).toBeDefined();
  });

  test("and of one that was dismissed the sum stays in its month", async () => {
    const desk = await open();
    const order = await desk.pass();
    const settings = await desk.settings();
    const found = await desk.deps.orders.find(order?.id ?? "");
    if (!found) throw new Error("no order");
    const dismissed = { ...found, state: "closed", doubt: { code: "amount" } } as unknown as Order;
    expect(topUpEnd(settings, dismissed, desk.clock.now)).toMatchObject({ outcome: "unwanted" });
    await endTopUp(dismissed, desk.deps);
    expect([await desk.used(), (await desk.settings()).order]).toEqual([1_000, undefined]);
  });
});

test("what the catalog sells no more is not ordered", async () => {
  const desk = await open();
  const { USD } = desk.deps.recharge();
  if (!USD) throw new Error("no dollars");
  desk.deps.recharge = () => ({ USD: { ...USD, max: "9.99" } });
  expect(await desk.pass()).toBeUndefined();
  expect(desk.deps.told.at(-1)).toMatchObject({ fields: { reason: "not_sold" } });
});

test("while points of a credit move nothing is ordered", async () => {
  const desk = await open();
  const { meters } = desk.deps;
  const moving = async (meter: string) => ({ ...(await meters.certainUseOf(meter)), granted: undefined });
  desk.deps.meters = { ...meters, certainUseOf: moving };
  expect(await desk.pass()).toBeUndefined();
});
