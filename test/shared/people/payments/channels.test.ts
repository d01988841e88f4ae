/** The three channels against the sandbox, which was written without them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { PaymentChannel } from "#shared/books/catalog/catalog.ts";
import {
  NoticeRefused,
  type NoticeRequest,
  type PayableOrder,
  type PaymentPlatform,
} from "#shared/people/payments/platform.ts";
import { type Merchant, startMerchant } from "#test/support/merchant.ts";

let merchant: Merchant;

beforeAll(async () => {
  merchant = await startMerchant();
});

afterAll(() => merchant.stop());

const currencyOf = { alipay: "CNY", wechat: "CNY", stripe: "USD" } as const;

describe.each(["alipay", "wechat", "stripe"] as const)("%s", (channel) => {
  let platform: PaymentPlatform;

  beforeAll(async () => {
    platform = await merchant.channel(channel);
  });

  const opened = async (changes: Partial<PayableOrder> = {}) => {
    const order = merchant.order({
      currency: currencyOf[channel],
      notify_url: merchant.notifyUrl(channel),
      ...changes,
    });
    const payable = await platform.open(order);
    return { ...order, ...payable };
  };

  const refundOf = (order: PayableOrder, amount: number, transaction: string) => ({
    id: newId("refund", Date.now()),
    order,
    transaction,
    amount,
    reason: "asked for",
  });

  const paid = async (changes: Partial<PayableOrder> = {}) => {
    const order = await opened(changes);
    await merchant.sandbox.pay(order.id, "lose_notice");
    const { transaction = "" } = await platform.query(order);
    return { order, transaction };
  };

  test("opens an order that can be paid, and gives the same when it is asked again", async () => {
    const { qr_code, pay_url, reference, ...order } = await opened();
    const link = qr_code ?? pay_url ?? "";
    expect((await fetch(link)).status).toBe(200);
    expect({ qr_code, pay_url, reference }).toEqual({
      qr_code: undefined,
      pay_url: undefined,
      ...(await platform.open(order)),
    });
    expect(merchant.sandbox.trades().filter((trade) => trade.order === order.id)).toHaveLength(1);
  });

  test("says of a paid order what was paid, when, and to whom", async () => {
    const order = await opened({ amount: 12_345 });
    const before = Math.floor(Date.now() / 1000) * 1000;
    await merchant.sandbox.pay(order.id);
    const evidence = await platform.query(order);
    expect(evidence).toMatchObject({
      channel,
      order: order.id,
      state: "paid",
      amount: 12_345,
      currency: currencyOf[channel],
      accounts: platform.accounts,
    });
    expect(evidence.transaction).not.toBe("");
    expect(evidence.paid_at).toBeGreaterThanOrEqual(before);
    expect(evidence.paid_at).toBeLessThanOrEqual(Date.now());
  });

  test("reads the call about a payment, and what it says is what a query says", async () => {
    const order = await opened({ amount: 777, subject: "积分 100% + 50 «é» & more = good/bad" });
    await merchant.sandbox.pay(order.id);
    const notice = merchant.received.findLast(
      ({ read }) => read !== null && "order" in read && read.order === order.id,
    );
    const asked = await platform.query(order);
    expect(notice?.channel).toBe(channel);
    expect({ ...notice?.read, paid_at: 0 }).toEqual({ ...asked, paid_at: 0 });
    expect(merchant.sandbox.trades().find((trade) => trade.order === order.id)?.notices).toHaveLength(1);
  });

  test("knows an open order, and one that was never opened", async () => {
    const order = await opened();
    const state = channel === "alipay" ? "absent" : "pending";
    expect(await platform.query(order)).toMatchObject({ state });
    const { reference: _, ...never } = { reference: undefined, ...merchant.order() };
    expect(await platform.query(never)).toMatchObject({ state: "absent", order: never.id });
    expect(await platform.close(never)).toBe("absent");
  });

  test("closes an open order, once and again, and nobody can pay it then", async () => {
    const order = await opened();
    await fetch(order.qr_code ?? order.pay_url ?? "");
    expect(await platform.close(order)).toBe("closed");
    expect(await platform.close(order)).toBe("closed");
    expect(await platform.query(order)).toMatchObject({ state: "closed" });
    await expect(merchant.sandbox.pay(order.id)).rejects.toThrow("closed");
  });

  test("does not close a paid order, and says so", async () => {
    const { order } = await paid();
    expect(await platform.close(order)).toBe("paid");
    expect(await platform.query(order)).toMatchObject({ state: "paid" });
  });

  test("pays back once for each refund, and not more than was paid", async () => {
    const { order, transaction } = await paid({ amount: 1_000 });
    const first = refundOf(order, 400, transaction);
    expect(await platform.queryRefund(first)).toBe("absent");
    expect(await platform.refund(first)).toBe("done");
    expect(await platform.refund(first)).toBe("done");
    expect(await platform.queryRefund(first)).toBe("done");
    expect(await platform.refund(refundOf(order, 601, transaction))).toBe("refused");
    expect(await platform.refund(refundOf(order, 600, transaction))).toBe("done");
    expect(merchant.sandbox.trades().find((trade) => trade.order === order.id)?.refunds).toHaveLength(2);
    expect(await platform.query(order)).toMatchObject({ state: "refunded" });
    // What was done stays done, although nothing is left to pay back.
    expect(await platform.refund(first)).toBe("done");
  });

  // Alipay's answer does not tell it, but its call does (alipay/notice.test.ts).
  test.runIf(channel !== "alipay")("does not call a payment paid of which a part went back", async () => {
    const { order, transaction } = await paid({ amount: 1_000 });
    expect(await platform.refund(refundOf(order, 400, transaction))).toBe("done");
    expect(await platform.query(order)).toMatchObject({ state: "refunded" });
  });

  test("pays back an order of which another amount was paid, and a person accepted it", async () => {
    const order = await opened({ amount: 5_000 });
    await merchant.sandbox.pay(order.id, "pay_another_amount");
    const { transaction = "" } = await platform.query(order);
    const facts = { transaction, amount: 4_999, currency: order.currency, at: 0, via: "operator" } as const;
    const refund = refundOf(order, 4_999, transaction);
    expect(await platform.refund({ ...refund, order: { ...order, paid: facts } })).toBe("done");
  });

  test("says the amount that was paid, also where it is another one", async () => {
    const order = await opened({ amount: 5_000 });
    await merchant.sandbox.pay(order.id, "pay_another_amount");
    expect(await platform.query(order)).toMatchObject({ state: "paid", amount: 4_999 });
    expect(merchant.received.at(-1)?.read).toMatchObject({ order: order.id, amount: 4_999 });
  });

  test("answers a call so that it is not repeated, and refuses a forged one so that it is", async () => {
    const order = await opened();
    await merchant.sandbox.pay(order.id, "probe");
    expect(merchant.received.at(-1)?.read).toMatchObject({
      key: "payment_signature",
      probe: channel === "wechat",
    });
    expect(await platform.query(order)).not.toMatchObject({ state: "paid" });
    await merchant.sandbox.pay(order.id, "notice_twice");
    const { notices = [] } = merchant.sandbox.trades().find((trade) => trade.order === order.id) ?? {};
    const accepted = platform.accepted().status;
    expect(notices.map(({ status }) => status)).toEqual([500, accepted, accepted]);
  });
});

test("what Stripe made is found by its order where its answer was lost", async () => {
  const stripe = await merchant.channel("stripe");
  const order = merchant.order({ currency: "JPY", amount: 500 });
  await stripe.open(order);
  expect(await stripe.query(order)).toMatchObject({
    state: "pending",
    order: order.id,
    currency: "JPY",
    amount: 500,
  });
  expect(await stripe.close(order)).toBe("closed");
});

describe("a payment at Stripe by a bank that answers after days", () => {
  const waiting = async () => {
    const stripe = await merchant.channel("stripe");
    const order = merchant.order({ currency: "EUR" });
    const opened = { ...order, ...(await stripe.open(order)) };
    await merchant.sandbox.payByBank(order.id);
    expect(await stripe.query(opened)).toMatchObject({ state: "pending" });
    expect(await stripe.close(opened)).toBe("pending");
    return { stripe, opened };
  };

  test("pays the order once the bank has said so", async () => {
    const { stripe, opened } = await waiting();
    await merchant.sandbox.settleBank(opened.id, "paid");
    expect(merchant.received.at(-1)?.read).toMatchObject({ order: opened.id, state: "paid" });
    expect(await stripe.close(opened)).toBe("paid");
    expect(await stripe.query(opened)).toMatchObject({ state: "paid", amount: opened.amount });
  });

  test("closes it once the bank has refused, because nobody can pay it any more", async () => {
    const { stripe, opened } = await waiting();
    await merchant.sandbox.settleBank(opened.id, "refused");
    expect(merchant.received.at(-1)?.read).toMatchObject({ order: opened.id, state: "pending" });
    expect(await stripe.query(opened)).toMatchObject({ state: "closed" });
    expect(await stripe.close(opened)).toBe("closed");
  });
});

describe("what somebody pays back on the platform's own pages", () => {
  const settled = async (channel: PaymentChannel) => {
    const platform = await merchant.channel(channel);
    const order = merchant.order({
      ...{ amount: 1_000, currency: currencyOf[channel], notify_url: merchant.notifyUrl(channel) },
    });
    await platform.open(order);
    await merchant.sandbox.pay(order.id);
    const last = () => merchant.received.at(-1)?.read;
    return { platform, order, last };
  };

  test.each(["alipay", "stripe"] as const)("at %s is told, with the sum of it", async (channel) => {
    const { platform, order, last } = await settled(channel);
    const { transaction } = await platform.query(order);
    await merchant.sandbox.payBack(order.id, 300);
    const told = {
      order: order.id,
      state: "refunded",
      transaction,
      amount: 1_000,
      accounts: platform.accounts,
    };
    expect(last()).toMatchObject({ ...told, refunded: 300 });
    await merchant.sandbox.payBack(order.id, 700);
    expect(last()).toMatchObject({ ...told, refunded: 1_000 });
    expect(await platform.query(order)).toMatchObject({ state: "refunded", refunded: 1_000 });
  });

  test("at WeChat Pay is in the answer to a question, without its sum", async () => {
    const { platform, order } = await settled("wechat");
    await merchant.sandbox.payBack(order.id, 300);
    const evidence = await platform.query(order);
    expect(evidence).toMatchObject({ state: "refunded", amount: 1_000 });
    expect(evidence.refunded).toBeUndefined();
  });
});

test("a channel says which currencies it takes", async () => {
  const currencies = async (channel: PaymentChannel) => (await merchant.channel(channel)).currencies;
  expect(await currencies("alipay")).toEqual(["CNY"]);
  expect(await currencies("wechat")).toEqual(["CNY"]);
  expect(await currencies("stripe")).toEqual(["USD", "EUR", "JPY"]);
});

test.each([
  ["alipay", "wechat"],
  ["alipay", "stripe"],
  ["wechat", "alipay"],
  ["wechat", "stripe"],
  ["stripe", "alipay"],
  ["stripe", "wechat"],
] as const)("a real call of %s is refused at the address of %s", async (from, to) => {
  const platform = await merchant.channel(from);
  const order = merchant.order({
    currency: platform.currencies[0] ?? "",
    notify_url: merchant.notifyUrl(from),
  });
  await platform.open(order);
  await merchant.sandbox.pay(order.id);
  const notice = merchant.received.at(-1);
  expect(notice?.read).toMatchObject({ order: order.id, state: "paid" });
  const other = await merchant.channel(to);
  await expect(other.readNotice(notice as NoticeRequest)).rejects.toBeInstanceOf(NoticeRefused);
});
