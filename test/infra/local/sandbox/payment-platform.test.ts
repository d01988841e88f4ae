/** The payment sandbox: as strict as the platforms, as stubborn with its calls, and a page that is safe to open. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Trade } from "#infra/local/sandbox/payment-platform/trade.ts";
import { ways } from "#infra/local/sandbox/payment-platform/trade.ts";
import type { PayableOrder, PaymentPlatform } from "#shared/people/payments/platform.ts";
import { NoticeRefused } from "#shared/people/payments/platform.ts";
import { type Merchant, type Received, startMerchant } from "#test/support/merchant.ts";

const names = ["alipay", "wechat", "stripe"] as const;

/** How the merchant answers; the channel's own answer if undefined. */
let answer: ((received: Received) => { status: number; body: string } | undefined) | undefined;
let merchant: Merchant;
let stranger: Merchant;

beforeAll(async () => {
  [merchant, stranger] = await Promise.all([
    startMerchant({ noticeScale: 0.000_001, answer: (received) => answer?.(received) }),
    startMerchant(),
  ]);
});

afterAll(async () => {
  await merchant.stop();
  await stranger.stop();
});

beforeEach(() => {
  answer = undefined;
});

async function opened(platform: PaymentPlatform, changes: Partial<PayableOrder> = {}): Promise<PayableOrder> {
  const order = merchant.order({
    currency: platform.currencies[0] ?? "",
    notify_url: merchant.notifyUrl(platform.channel),
    ...changes,
  });
  return { ...order, ...(await platform.open(order)) };
}

const tradeOf = (order: { id: string }) =>
  merchant.sandbox.trades().find((trade) => trade.order === order.id) as Trade;

const pageOf = (order: { id: string }) => `${merchant.sandbox.url}/pay/${tradeOf(order).reference}`;

describe.each(names)("%s", (channel) => {
  let platform: PaymentPlatform;

  beforeAll(async () => {
    platform = await merchant.channel(channel);
  });

  test("a merchant with other keys gets nothing", async () => {
    const foreign = await startMerchant({
      edit: ({ alipay, wechat, stripe }) => {
        const { sandbox } = merchant;
        return {
          alipay: { ...sandbox.settings.alipay, private_key: alipay.private_key },
          wechat: { ...sandbox.settings.wechat, private_key: wechat.private_key },
          stripe: { ...sandbox.settings.stripe, secret_key: stripe.secret_key },
        };
      },
    });
    const other = await foreign.channel(channel);
    const order = merchant.order({ currency: platform.currencies[0] ?? "" });
    await expect(other.open(order)).rejects.toMatchObject({ key: "payment_platform" });
    expect(tradeOf(order)).toBeUndefined();
    await foreign.stop();
  });

  test("calls until it is accepted, and then no more", async () => {
    const order = await opened(platform);
    const { promise: accepted, resolve } = Promise.withResolvers<void>();
    let calls = 0;
    answer = ({ read }) => {
      if (read === null || read instanceof NoticeRefused || read.order !== order.id) return undefined;
      calls += 1;
      if (calls < 4) return { status: 500, body: "not yet" };
      resolve();
      return undefined;
    };
    await merchant.sandbox.pay(order.id);
    await accepted;
    expect(calls).toBe(4);
    const reads = merchant.received.map(({ read }) => read as { order?: string } | null);
    expect(reads.filter((read) => read?.order === order.id)).toHaveLength(4);
  });

  test("calls late, and once more when it is asked to", async () => {
    const order = await opened(platform);
    const { promise: called, resolve } = Promise.withResolvers<void>();
    answer = () => void resolve();
    await merchant.sandbox.pay(order.id, "late_notice");
    await called;
    expect(merchant.received.at(-1)?.read).toMatchObject({ order: order.id, state: "paid" });
    expect(await merchant.sandbox.sendNotice(order.id)).toBe(platform.accepted().status);
  });

  test("a lost call does not come", async () => {
    const order = await opened(platform);
    await merchant.sandbox.pay(order.id, "lose_notice");
    expect(tradeOf(order)).toMatchObject({ state: "paid", notices: [] });
  });

  test("its page shows the order to people and runs nothing", async () => {
    const subject = `<script>alert("1")</script> 'x' 100%`;
    const order = await opened(platform, { subject, amount: 500 });
    const response = await fetch(pageOf(order));
    const html = await response.text();
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|onclick|javascript:/i);
    expect(html).toContain("&lt;script&gt;");
    expect(html).toContain(order.id);
    for (const way of Object.keys(ways)) expect(html).toContain(`value="${way}"`);
    expect(html).toContain(channel === "stripe" ? "$5.00" : "CN¥5.00");
  });

  test("a button of its page pays once", async () => {
    const order = await opened(platform);
    const press = async (way: string) =>
      await fetch(pageOf(order), { method: "POST", body: new URLSearchParams({ way }), redirect: "manual" });
    expect((await press("nothing")).status).toBe(303);
    expect(tradeOf(order).state).toBe("open");
    expect((await press("lose_notice")).status).toBe(303);
    expect((await press("pay")).status).toBe(303);
    expect(tradeOf(order)).toMatchObject({ state: "paid", notices: [] });
    const html = await (await fetch(pageOf(order))).text();
    expect(html).toContain("Paid");
    expect(html).not.toContain("<button");
  });
});

test.each(["alipay", "wechat"] as const)(
  "who does not listen to %s is called in vain, and the customer has paid",
  async (channel) => {
    const platform = await merchant.channel(channel);
    const order = await opened(platform, { notify_url: "http://127.0.0.1:9/" });
    await merchant.sandbox.pay(order.id);
    expect(tradeOf(order).notices[0]?.status).toBe("no answer");
    expect(await platform.query(order)).toMatchObject({ state: "paid" });
  },
);

test("Alipay knows a trade once its code is scanned, and cannot close it before", async () => {
  const alipay = await merchant.channel("alipay");
  const order = await opened(alipay);
  expect(await alipay.query(order)).toMatchObject({ state: "absent" });
  expect(await alipay.close(order)).toBe("absent");
  await merchant.scan(order.id);
  expect(await alipay.query(order)).toMatchObject({ state: "pending" });
});

test("an order ends with its time", async () => {
  let now = Date.now();
  const clocked = await startMerchant({ now: () => now });
  const wechat = await clocked.channel("wechat");
  const order = clocked.order({ notify_url: clocked.notifyUrl("wechat") });
  await wechat.open(order);
  now += 15 * 60_000;
  await expect(clocked.sandbox.pay(order.id)).rejects.toThrow("closed");
  expect(await wechat.query(order)).toMatchObject({ state: "closed" });
  await clocked.stop();
});

test("Stripe gives an idempotency key's answer again, and only to the same request", async () => {
  const { secret_key } = merchant.sandbox.settings.stripe;
  const post = async (amount: number) => {
    const response = await fetch(`${merchant.sandbox.url}/v1/checkout/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret_key}`, "idempotency-key": "k" },
      body: new URLSearchParams({
        mode: "payment",
        "line_items[0][quantity]": "1",
        "line_items[0][price_data][currency]": "usd",
        "line_items[0][price_data][unit_amount]": String(amount),
        "line_items[0][price_data][product_data][name]": "Points",
        success_url: "https://example.com",
        expires_at: String(expires_at),
      }),
    });
    const content = (await response.json()) as { id?: string; error?: { type: string } };
    return { ...content, http: response.status };
  };
  const expires_at = Math.floor(Date.now() / 1000) + 3_600;
  const first = await post(100);
  expect(first.http).toBe(200);
  expect((await post(100)).id).toBe(first.id);
  expect(await post(200)).toMatchObject({ http: 400, error: { type: "idempotency_error" } });
});

test("the first page lists the orders, newest first", async () => {
  const empty = await (await fetch(stranger.sandbox.url)).text();
  expect(empty).toContain("No order yet");
  const [first, second] = [
    await opened(await merchant.channel("wechat")),
    await opened(await merchant.channel("alipay")),
  ];
  const html = await (await fetch(merchant.sandbox.url)).text();
  expect(html.indexOf(second.id)).toBeGreaterThan(0);
  expect(html.indexOf(second.id)).toBeLessThan(html.indexOf(first.id));
  expect((await fetch(`${merchant.sandbox.url}/style.css`)).headers.get("content-type")).toBe("text/css");
  expect((await fetch(`${merchant.sandbox.url}/pay/none`)).status).toBe(404);
});

test("what it cannot read, and what is too large, is refused", async () => {
  const { url } = merchant.sandbox;
  expect((await fetch(`${url}/v1/refunds`, { method: "POST", body: "x".repeat(300_000) })).status).toBe(400);
  expect((await fetch(`${url}/v1/nothing`)).status).toBe(401);
  expect((await fetch(`${url}/v3/nothing`)).status).toBe(401);
  expect(await (await fetch(`${url}/gateway.do`, { method: "POST", body: "method=x" })).text()).toContain(
    "isv.",
  );
});
