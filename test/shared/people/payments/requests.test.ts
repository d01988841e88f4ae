/** What each call sends, written by hand from the platforms' documentation. */
import { verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { OutgoingRequest } from "#shared/base/platform/http-call.ts";
import type { PaymentChannel } from "#shared/books/catalog/catalog.ts";
import type { PaymentPlatform } from "#shared/people/payments/platform.ts";
import { createPaymentPlatforms } from "#shared/people/payments/platforms.ts";
import { at, otherKeys, settings } from "#test/support/signed-notices.ts";

const order = {
  id: "ord_01KB2Q3T5W6X7Y8Z9ABCDEFGHJ",
  amount: 12_345,
  currency: "CNY",
  created_at: at,
  expires_at: at + 15 * 60_000,
  subject: "积分 A/B=C&D 100%",
  notify_url: "https://pay.example.com/api/v1/payments/x/notify",
  return_url: "https://console.example.com/recharge",
};
const refund = { id: "rfd_1", order, transaction: "pi_1", amount: 500, reason: "asked for" };

type Call = (platform: PaymentPlatform) => Promise<unknown>;

/** The first request of a call; none is answered. */
async function sentBy(channel: PaymentChannel, call: Call): Promise<OutgoingRequest & { body: string }> {
  const sent: OutgoingRequest[] = [];
  const platforms = createPaymentPlatforms({
    readSettings: async () => JSON.stringify(settings),
    log: () => {},
    now: () => at,
    send: async (request) => {
      sent.push(request);
      throw new Error("not sent");
    },
  });
  await expect(call(await platforms.platform(channel))).rejects.toMatchObject({ key: "payment_platform" });
  expect(sent).toHaveLength(1);
  return sent[0] as OutgoingRequest & { body: string };
}

const open: Call = (platform) => platform.open(order);
const query: Call = (platform) => platform.query(order);
const close: Call = (platform) => platform.close(order);
const payBack: Call = (platform) => platform.refund(refund);
const queryRefund: Call = (platform) => platform.queryRefund(refund);

describe("Alipay", () => {
  test.each<[string, Call, string, object]>([
    [
      "alipay.trade.precreate",
      open,
      "&notify_url=https://pay.example.com/api/v1/payments/x/notify",
      {
        out_trade_no: order.id,
        total_amount: "123.45",
        subject: "积分 A B C D 100%",
        qr_code_timeout_express: "15m",
        timeout_express: "15m",
      },
    ],
    ["alipay.trade.query", query, "", { out_trade_no: order.id }],
    ["alipay.trade.close", close, "", { out_trade_no: order.id }],
    [
      "alipay.trade.refund",
      payBack,
      "",
      { out_trade_no: order.id, out_request_no: "rfd_1", refund_amount: "5.00", refund_reason: "asked for" },
    ],
    [
      "alipay.trade.fastpay.refund.query",
      queryRefund,
      "",
      { out_trade_no: order.id, out_request_no: "rfd_1" },
    ],
  ])("%s", async (method, call, notify, content) => {
    const { method: verb, url, body, headers } = await sentBy("alipay", call);
    const address = new URL(url);
    expect(`${verb} ${address.origin}${address.pathname}`).toBe("POST https://openapi.alipay.com/gateway.do");
    expect(headers["content-type"]).toBe("application/x-www-form-urlencoded;charset=utf-8");
    const { sign = "", ...parameters } = Object.fromEntries([
      ...address.searchParams,
      ...new URLSearchParams(body),
    ]);
    const text = Object.keys(parameters)
      .toSorted()
      .map((name) => `${name}=${parameters[name]}`)
      .join("&");
    // Alipay's clock is 8 hours before UTC, whatever this machine's is.
    expect(text).toBe(
      `app_id=2021000000000001&biz_content=${JSON.stringify(content)}&charset=utf-8&method=${method}${notify}` +
        "&sign_type=RSA2&timestamp=2026-11-23 16:30:00&version=1.0",
    );
    expect(verify("sha256", Buffer.from(text), otherKeys.publicKey, Buffer.from(sign, "base64"))).toBe(true);
  });

  test("the life of a QR code is what is left of the order, and a minute at least", async () => {
    const minutesOf = async (left: number) => {
      const { body } = await sentBy("alipay", (platform) =>
        platform.open({ ...order, expires_at: at + left }),
      );
      return JSON.parse(new URLSearchParams(body).get("biz_content") ?? "").qr_code_timeout_express;
    };
    expect(await minutesOf(5 * 60_000 + 1)).toBe("5m");
    expect(await minutesOf(-1)).toBe("1m");
  });
});

describe("WeChat Pay", () => {
  const byOrder = `/v3/pay/transactions/out-trade-no/${order.id}`;
  test.each<[string, Call, object | undefined]>([
    [
      "POST /v3/pay/transactions/native",
      open,
      {
        appid: "wx0000000000000001",
        mchid: "1900000001",
        description: "积分 A/B=C&D 100%",
        out_trade_no: order.id,
        time_expire: "2026-11-23T08:45:00Z",
        notify_url: order.notify_url,
        amount: { total: 12_345, currency: "CNY" },
      },
    ],
    [`GET ${byOrder}?mchid=1900000001`, query, undefined],
    [`POST ${byOrder}/close`, close, { mchid: "1900000001" }],
    [
      "POST /v3/refund/domestic/refunds",
      payBack,
      {
        out_trade_no: order.id,
        out_refund_no: "rfd_1",
        reason: "asked for",
        amount: { refund: 500, total: 12_345, currency: "CNY" },
      },
    ],
    ["GET /v3/refund/domestic/refunds/rfd_1", queryRefund, undefined],
  ])("%s", async (line, call, content) => {
    const { method, url, body, headers } = await sentBy("wechat", call);
    expect(`${method} ${url}`).toBe(line.replace(" ", " https://api.mch.weixin.qq.com"));
    expect(body).toBe(content === undefined ? "" : JSON.stringify(content));
    expect(headers["wechatpay-serial"]).toBe("PUB_KEY_ID_1");
    const form =
      /^WECHATPAY2-SHA256-RSA2048 mchid="1900000001",nonce_str="([0-9a-f]{32})",signature="([^"]+)",timestamp="(\d+)",serial_no="AA"$/;
    const [, nonce, signature = "", timestamp] = form.exec(headers.authorization ?? "") ?? [];
    expect(timestamp).toBe(String(at / 1000));
    const text = `${line.replace(" ", "\n")}\n${timestamp}\n${nonce}\n${body}\n`;
    expect(verify("sha256", Buffer.from(text), otherKeys.publicKey, Buffer.from(signature, "base64"))).toBe(
      true,
    );
  });

  test("a description is cut to 127 bytes between characters", async () => {
    const { body } = await sentBy("wechat", (platform) =>
      platform.open({ ...order, subject: "积分🙂".repeat(30) }),
    );
    const { description } = JSON.parse(body);
    expect(description).toBe(`${"积分🙂".repeat(12)}积分`);
    expect(Buffer.byteLength(description)).toBe(126);
  });
});

describe("Stripe", () => {
  const dollars = { ...order, currency: "USD" };
  const expand = "payment_intent.latest_charge";

  test.each<[string, Call, object, string?]>([
    [
      "POST /v1/checkout/sessions",
      (platform) => platform.open(dollars),
      {
        mode: "payment",
        client_reference_id: order.id,
        "metadata[order]": order.id,
        "line_items[0][quantity]": "1",
        "line_items[0][price_data][currency]": "usd",
        "line_items[0][price_data][unit_amount]": "12345",
        "line_items[0][price_data][product_data][name]": order.subject,
        "payment_intent_data[metadata][order]": order.id,
        "adaptive_pricing[enabled]": "false",
        success_url: order.return_url,
        cancel_url: order.return_url,
        expires_at: String((order.expires_at + 31 * 60_000) / 1000),
      },
      `open-${order.id}`,
    ],
    [
      "GET /v1/checkout/sessions/cs_1",
      (platform) => platform.query({ ...dollars, reference: "cs_1" }),
      { "expand[0]": expand },
    ],
    [
      "GET /v1/checkout/sessions",
      (platform) => platform.query(dollars),
      {
        "created[gte]": String(at / 1000 - 60),
        "created[lte]": String(at / 1000 + 1_800),
        limit: "100",
        "expand[0]": `data.${expand}`,
      },
    ],
    [
      "GET /v1/refunds",
      (platform) => platform.refund({ ...refund, order: dollars }),
      { payment_intent: "pi_1", limit: "100" },
    ],
  ])("%s", async (line, call, fields, idempotencyKey) => {
    const { method, url, body, headers } = await sentBy("stripe", call);
    const address = new URL(url);
    expect(`${method} ${address.pathname}`).toBe(line);
    expect(address.host).toBe("api.stripe.com");
    const text = method === "POST" ? body : address.search;
    expect(Object.fromEntries(new URLSearchParams(text))).toEqual(fields);
    expect(headers.Authorization).toBe("Bearer sk_test_1");
    if (idempotencyKey !== undefined) expect(headers["Idempotency-Key"]).toBe(idempotencyKey);
    expect(Object.keys(headers).filter((name) => /telemetry|content-length/i.test(name))).toEqual([]);
  });
});
