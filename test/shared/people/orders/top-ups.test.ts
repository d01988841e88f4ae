/** Automatic orders (shared/people/payments/auto-top-up.md): when one is made, what it is charged, and what pauses it. */
import { describe, expect, test } from "vitest";
import { formatPoints } from "#shared/books/billing/points.ts";
import { findCard, openCardPage, removeCard } from "#shared/people/orders/top-up-card.ts";
import { endTopUp } from "#shared/people/orders/top-up-end.ts";
import { endOpenOrder, turnOff, turnOn } from "#shared/people/orders/top-up-terms.ts";
import { useStores } from "#test/support/stores.ts";
import { openTopUp, topUpTerms } from "#test/support/top-ups.ts";
import { silence } from "#test/support/trades.ts";

const { db } = useStores();
const open = (terms = topUpTerms) => openTopUp(db, terms);
const hour = 60;
const day = 24 * hour;

test("a low wallet is topped up by an order like any other, and told once", async () => {
  const desk = await open();
  const order = await desk.pass();
  expect(order).toMatchObject({
    state: "created",
    amount: 1_000,
    currency: "USD",
    points: "70",
    user: "usr_1",
  });
  expect(desk.trades.trades.size).toBe(0);
  await desk.run();
  const after = await desk.deps.orders.find(order?.id ?? "");
  expect(after).toMatchObject({ state: "credited", booked_as: "points", channel: "stripe" });
  expect(formatPoints(await desk.left())).toBe("70");
  expect(await desk.settings()).not.toHaveProperty("order");
  expect(await desk.used()).toBe(1_000);
  const told = (await desk.lines()).map(({ kind, subject }) => [kind, subject]);
  expect(told.slice(2)).toEqual([["auto_top_up_charged", order?.id]]);
});

test("of many passes at once one makes an order, and none makes another before that one is booked", async () => {
  const desk = await open();
  const made = await Promise.all(Array.from({ length: 8 }, () => desk.pass()));
  expect(made.filter((order) => order)).toHaveLength(1);
  expect(await desk.pass()).toBeUndefined();
  await desk.run();
  expect(await desk.pass()).toBeUndefined();
  await desk.use("30");
  expect(await desk.pass()).toBeDefined();
});

test("a wallet that is not low, an organization without settings, and a frozen one get no order", async () => {
  const desk = await open({ ...topUpTerms, below: "0.5" });
  await desk.deps.ledger.credit({
    ...{
      organization: desk.organization.id,
      meter: desk.organization.wallet?.meter ?? "",
      reference: "gift",
    },
    ...{ points: 5n * 10n ** 17n, kind: "promotional", at: desk.clock.now },
  });
  expect(await desk.pass()).toBeUndefined();
  await desk.use("0.1");
  await desk.deps.accounts.setStatus(desk.organization.id, "frozen");
  expect(await desk.pass()).toBeUndefined();
  await desk.deps.accounts.setStatus(desk.organization.id, "active");
  expect(await desk.pass()).toBeDefined();
});

test("an order of an organization that is frozen meanwhile is not charged", async () => {
  const desk = await open();
  const order = await desk.pass();
  await desk.deps.accounts.setStatus(desk.organization.id, "frozen");
  await desk.run();
  await desk.run(20);
  expect(await desk.deps.orders.find(order?.id ?? "")).toMatchObject({ state: "closed" });
  expect(desk.trades.isPaid(order?.id ?? "")).toBe(false);
  expect(await desk.used()).toBe(0);
});

describe("the month's most", () => {
  test.each([
    [2_000, 2_000],
    [1_999, 1_000],
  ])("of %i is kept to the minor unit, and the next month begins anew", async (month_max, most) => {
    const desk = await open({ ...topUpTerms, month_max });
    for (let n = 0; n < 4; n++) {
      await desk.pass();
      await desk.run();
      if ((await desk.left()) > 0n) await desk.use(formatPoints(await desk.left()));
    }
    expect(await desk.used()).toBe(most);
    desk.clock.now = Date.parse("2026-12-01T00:00:00Z");
    expect(await desk.pass()).toBeDefined();
    expect([await desk.used(), await desk.used("2026-12")]).toEqual([most, 1_000]);
  });

  test("holds where a pass has read the month before another one filled it", async () => {
    const desk = await open({ ...topUpTerms, month_max: 1_000 });
    await desk.pass();
    await desk.run();
    await desk.use("70");
    const { topUps } = desk.deps;
    desk.deps.topUps = { ...topUps, used: async () => 0 };
    expect(await desk.pass()).toBeUndefined();
    expect(desk.deps.told.at(-1)).toMatchObject({
      event: "top_up_not_made",
      fields: { reason: "month_full" },
    });
    desk.deps.topUps = topUps;
    expect(await desk.used()).toBe(1_000);
  });

  test("counts an order that closes no more", async () => {
    const desk = await open();
    desk.trades.chargeOutcomes.push({ code: "insufficient_funds", retry: false });
    await desk.pass();
    expect(await desk.used()).toBe(1_000);
    await desk.run();
    expect(await desk.used()).toBe(0);
  });
});

describe("a charge that fails", () => {
  test.each(["insufficient_funds", "authentication_required"])("by %s pauses at once", async (code) => {
    const desk = await open();
    desk.trades.chargeOutcomes.push({ code, retry: false });
    const order = await desk.pass();
    await desk.run();
    expect(await desk.deps.orders.find(order?.id ?? "")).toMatchObject({ state: "closed" });
    expect(await desk.settings()).toMatchObject({ is_on: true, paused: { reason: code, order: order?.id } });
    expect((await desk.lines()).slice(2).map(({ kind, after }) => [kind, after?.reason])).toEqual([
      ["auto_top_up_failed", code],
      ["auto_top_up_paused", code],
    ]);
    desk.clock.now += 7 * day * 60_000;
    expect(await desk.pass()).toBeUndefined();
    await turnOn(desk.by, topUpTerms, desk.deps);
    expect(await desk.pass()).toBeDefined();
  });

  test("for now is tried again an hour and a day later, and then pauses", async () => {
    const desk = await open();
    const busy = { code: "try_again_later", retry: true };
    desk.trades.chargeOutcomes.push(busy, busy, busy);
    for (const wait of [hour, day]) {
      expect(await desk.pass()).toBeDefined();
      await desk.run();
      desk.clock.now += (wait - 1) * 60_000;
      expect(await desk.pass()).toBeUndefined();
      desk.clock.now += 60_000;
    }
    await desk.pass();
    await desk.run();
    expect(await desk.settings()).toMatchObject({ failures: 3, paused: { reason: "try_again_later" } });
  });

  test("and then one that succeeds begin the count anew", async () => {
    const desk = await open();
    desk.trades.chargeOutcomes.push({ code: "processing_error", retry: true });
    await desk.pass();
    await desk.run();
    desk.clock.now += hour * 60_000;
    await desk.pass();
    await desk.run();
    expect(await desk.settings()).not.toHaveProperty("failures");
    expect(formatPoints(await desk.left())).toBe("70");
  });

  test("without any answer closes with its time, and is known by the close", async () => {
    const desk = await open();
    const { platforms } = desk.deps;
    const own = await platforms.platform("stripe");
    const charge = async () => {
      throw silence();
    };
    const cards = own.cards && { ...own.cards, charge };
    desk.deps.platforms = { ...platforms, platform: async () => ({ ...own, ...(cards && { cards }) }) };
    const order = await desk.pass();
    for (let n = 0; n < 16; n++) await desk.run();
    expect(await desk.deps.orders.find(order?.id ?? "")).toMatchObject({ state: "closed" });
    expect(await desk.settings()).toMatchObject({ failures: 1 });
    expect((await desk.lines()).at(-1)?.after?.reason).toBe("unpaid");
  });
});

describe("turned off", () => {
  test("no order is made any more, and the one that is open is closed at the platform first", async () => {
    const desk = await open();
    const order = await desk.pass();
    const off = await endOpenOrder(await turnOff(desk.by, {}, desk.deps), desk.deps);
    // Nobody has opened its payment, and a platform cannot close what it does not know.
    expect(off).toMatchObject({ is_on: false, order: order?.id });
    await desk.run();
    expect(desk.trades.trades.size).toBe(0);
    for (const minutes of [15, 15, 15]) await desk.run(minutes);
    expect(await desk.deps.orders.find(order?.id ?? "")).toMatchObject({ state: "closed" });
    expect(await desk.settings()).not.toHaveProperty("order");
    expect(await desk.pass()).toBeUndefined();
    expect(await desk.used()).toBe(0);
  });

  test("a process that has read the settings before makes no order", async () => {
    const desk = await open();
    const { topUps } = desk.deps;
    desk.deps.topUps = {
      ...topUps,
      async used(...asked) {
        await turnOff(desk.by, {}, desk.deps);
        return await topUps.used(...asked);
      },
    };
    expect(await desk.pass()).toBeUndefined();
    expect(desk.deps.told.at(-1)).toMatchObject({ fields: { reason: "changed" } });
  });

  test("a card that is removed is gone at the platform, and nothing of it is kept", async () => {
    const desk = await open();
    const { card } = await desk.settings();
    await removeCard(desk.by, desk.deps);
    expect(desk.trades.cards.get(card?.customer ?? "")).toEqual([]);
    const after = await desk.settings();
    expect(after).not.toHaveProperty("card");
    expect(after).not.toHaveProperty("removing");
    const removed = (await desk.lines()).filter(({ kind }) => kind === "auto_top_up_removed");
    expect(removed.map(({ before }) => before?.card)).toEqual(["4242"]);
  });

  test("a page that nobody has asked about is forgotten with its cards", async () => {
    const desk = await open();
    await removeCard(desk.by, desk.deps);
    await openCardPage(desk.by, "https://console.test/recharge", desk.deps);
    await removeCard(desk.by, desk.deps);
    expect(await desk.settings()).not.toHaveProperty("page");
    expect(await findCard(desk.organization.id, desk.deps)).not.toHaveProperty("card");
  });

  test("a removal whose platform is silent charges nothing, and goes on with the next request", async () => {
    const desk = await open();
    const { platforms } = desk.deps;
    const own = await platforms.platform("stripe");
    const detach = async () => {
      throw silence();
    };
    const cards = own.cards && { ...own.cards, detach };
    desk.deps.platforms = { ...platforms, platform: async () => ({ ...own, ...(cards && { cards }) }) };
    await expect(removeCard(desk.by, desk.deps)).rejects.toThrow();
    expect(await desk.settings()).toMatchObject({ is_on: false, removing: true });
    await expect(turnOn(desk.by, topUpTerms, desk.deps)).rejects.toThrow("no card");
    desk.deps.platforms = platforms;
    await removeCard(desk.by, desk.deps);
    expect(await desk.settings()).not.toHaveProperty("card");
  });
});

test("the end of an order is told once, whoever finds it, and what a dead process has left is found by the next pass", async () => {
  const desk = await open();
  const { topUps } = desk.deps;
  const order = await desk.pass();
  desk.deps.topUps = { ...topUps, change: () => Promise.reject(new Error("died")) };
  await desk.run();
  desk.deps.topUps = topUps;
  expect(await desk.settings()).toMatchObject({ order: order?.id });
  await desk.use("30");
  expect(await desk.pass()).toMatchObject({ state: "created" });
  const booked = await desk.deps.orders.find(order?.id ?? "");
  if (!booked) throw new Error("gone");
  await Promise.all([endTopUp(booked, desk.deps), endTopUp(booked, desk.deps)]);
  expect((await desk.lines()).filter(({ kind }) => kind === "auto_top_up_charged")).toHaveLength(1);
});
