/**
 * The platforms' own packages, and the one for WeChat Pay that checks the most, against the sandbox and against what we
 * sign. What they accept is not only right by our own reading.
 */
import { createPublicKey } from "node:crypto";
import { AlipaySdk } from "alipay-sdk";
import { Stripe } from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import wechatpay from "wechatpay-axios-plugin";
import type { PaymentChannel } from "#shared/books/catalog/catalog.ts";
import { type Merchant, type Received, startMerchant } from "#test/support/merchant.ts";

let merchant: Merchant;

beforeAll(async () => {
  merchant = await startMerchant();
});

afterAll(() => merchant.stop());

/** What the sandbox sends when an order is paid that our channel opened. */
async function paidNotice(channel: PaymentChannel, subject: string): Promise<Received> {
  const platform = await merchant.channel(channel);
  const order = merchant.order({
    currency: platform.currencies[0] ?? "",
    notify_url: merchant.notifyUrl(channel),
    subject,
  });
  await platform.open(order);
  await merchant.sandbox.pay(order.id);
  return merchant.received.at(-1) as Received;
}

describe("alipay-sdk", () => {
  const sdkOf = () => {
    const { app_id, private_key, alipay_public_key, base_url } = merchant.sandbox.settings.alipay;
    return new AlipaySdk({
      appId: app_id,
      keyType: "PKCS8",
      privateKey: private_key.trim(),
      alipayPublicKey: alipay_public_key.trim(),
      gateway: `${base_url}/gateway.do`,
    });
  };

  test("sends by itself what the sandbox accepts, and accepts its answers", async () => {
    const sdk = sdkOf();
    const call = async (method: string, bizContent: object) =>
      await sdk.exec(method, { bizContent, timestamp: beijing(Date.now()) }, { validateSign: true });
    const order = merchant.order();
    const content = {
      out_trade_no: order.id,
      total_amount: "12.30",
      subject: "积分 100%",
      qr_code_timeout_express: "15m",
    };
    const opened = await call("alipay.trade.precreate", content);
    expect(opened).toMatchObject({ code: "10000", outTradeNo: order.id });
    expect(await call("alipay.trade.query", { out_trade_no: order.id })).toMatchObject({
      code: "40004",
      subCode: "ACQ.TRADE_NOT_EXIST",
    });
    await merchant.sandbox.pay(order.id, "lose_notice");
    expect(await call("alipay.trade.query", { out_trade_no: order.id })).toMatchObject({
      tradeStatus: "TRADE_SUCCESS",
      totalAmount: "12.30",
    });
    const refund = { out_trade_no: order.id, out_request_no: "rfd_1", refund_amount: "12.30" };
    expect(await call("alipay.trade.refund", refund)).toMatchObject({ fundChange: "Y" });
    expect(await call("alipay.trade.close", { out_trade_no: order.id })).toMatchObject({ code: "40004" });
  });

  test.each(["Points", "100% + 50", "积分"])(
    "accepts a call about %j by its newer check",
    async (subject) => {
      const { body } = await paidNotice("alipay", subject);
      const fields = Object.fromEntries(new URLSearchParams(body.toString()));
      expect(sdkOf().checkNotifySignV2(fields)).toBe(true);
      expect(sdkOf().checkNotifySignV2({ ...fields, total_amount: "0.01" })).toBe(false);
    },
  );

  test("fails at a percent sign by its older check, which we do not use", async () => {
    const { body } = await paidNotice("alipay", "100% + 50");
    const fields = Object.fromEntries(new URLSearchParams(body.toString()));
    expect(() => sdkOf().checkNotifySign(fields)).toThrow("URI malformed");
  });
});

/** A time as Alipay's clock shows it. */
const beijing = (at: number) => new Date(at + 28_800_000).toISOString().slice(0, 19).replace("T", " ");

describe("wechatpay-axios-plugin", () => {
  const { Wechatpay, Rsa, Formatter, Aes } = wechatpay;

  const clientOf = () => {
    const { mchid, serial_no, private_key, public_keys, base_url } = merchant.sandbox.settings.wechat;
    return new Wechatpay({
      mchid,
      serial: serial_no,
      privateKey: private_key,
      certs: public_keys,
      baseURL: `${base_url}/`,
      headers: { "Wechatpay-Serial": Object.keys(public_keys)[0] },
    } as never) as unknown as Record<string, never>;
  };

  interface Call {
    post(content: object, options?: object): Promise<{ status: number; data: Record<string, unknown> }>;
    get(options: object): Promise<{ status: number; data: Record<string, unknown> }>;
  }

  const call = (path: string) => {
    // The package makes a path of the names that it is asked for.
    let step = clientOf() as Record<string, unknown>;
    for (const name of path.split("/").slice(1)) step = step[name] as Record<string, unknown>;
    return step as unknown as Call;
  };

  test("sends by itself what the sandbox accepts, and accepts its answers", async () => {
    const { appid, mchid } = merchant.sandbox.settings.wechat;
    const order = merchant.order({ notify_url: merchant.notifyUrl("wechat") });
    const opened = await call("/v3/pay/transactions/native").post({
      appid,
      mchid,
      description: "积分",
      out_trade_no: order.id,
      time_expire: new Date(order.expires_at).toISOString(),
      notify_url: order.notify_url,
      amount: { total: 100, currency: "CNY" },
    });
    expect(opened.data.code_url).toMatch(/^http:\/\/127\.0\.0\.1/);
    await merchant.sandbox.pay(order.id, "lose_notice");
    const asked = await call("/v3/pay/transactions/out-trade-no/{id}").get({
      params: { mchid },
      id: order.id,
    });
    expect(asked.data).toMatchObject({ trade_state: "SUCCESS", amount: { total: 100 } });
    const closing = call("/v3/pay/transactions/out-trade-no/{id}/close").post({ mchid }, { id: order.id });
    await expect(closing).rejects.toMatchObject({ response: { status: 400, data: { code: "ORDER_PAID" } } });
    const refunded = await call("/v3/refund/domestic/refunds").post({
      out_trade_no: order.id,
      out_refund_no: "rfd_1",
      amount: { refund: 40, total: 100, currency: "CNY" },
    });
    expect(refunded.data.status).toBe("SUCCESS");
  });

  test("accepts and opens a call of the sandbox", async () => {
    const { headers, body } = await paidNotice("wechat", "积分 100%");
    const { public_keys, api_v3_key } = merchant.sandbox.settings.wechat;
    const text = Formatter.response(
      String(headers["wechatpay-timestamp"]),
      String(headers["wechatpay-nonce"]),
      body.toString(),
    );
    const key = public_keys[String(headers["wechatpay-serial"])] ?? "";
    expect(Rsa.verify(text, String(headers["wechatpay-signature"]), createPublicKey(key))).toBe(true);
    const { ciphertext, nonce, associated_data } = JSON.parse(body.toString()).resource;
    const opened = JSON.parse(Aes.AesGcm.decrypt(ciphertext, api_v3_key as never, nonce, associated_data));
    expect(opened).toMatchObject({ trade_state: "SUCCESS" });
  });
});

describe("stripe", () => {
  test("sends by its own client what the sandbox accepts", async () => {
    const { secret_key, base_url } = merchant.sandbox.settings.stripe;
    const { hostname, port } = new URL(base_url);
    const stripe = new Stripe(secret_key, { host: hostname, port, protocol: "http" });
    const session = await stripe.checkout.sessions.create({
      mode: "payment",
      client_reference_id: "ord_by_sdk",
      line_items: [
        {
          quantity: 1,
          price_data: { currency: "usd", unit_amount: 250, product_data: { name: "积分 100%" } },
        },
      ],
      success_url: "https://example.com/",
      expires_at: Math.floor(Date.now() / 1000) + 3_600,
    });
    await merchant.sandbox.pay("ord_by_sdk", "lose_notice");
    const paid = await stripe.checkout.sessions.retrieve(session.id);
    expect(paid).toMatchObject({ payment_status: "paid", amount_total: 250, currency: "usd" });
    const refund = await stripe.refunds.create({ payment_intent: String(paid.payment_intent), amount: 100 });
    expect(refund.status).toBe("succeeded");
  });

  test("accepts a call of the sandbox, and signs one that we accept", async () => {
    const { headers, body } = await paidNotice("stripe", "Points");
    const { webhook_secret: secret } = merchant.sandbox.settings.stripe;
    const event = Stripe.webhooks.constructEvent(body, String(headers["stripe-signature"]), secret);
    expect(event.type).toBe("checkout.session.completed");
    const signed = Stripe.webhooks.generateTestHeaderString({ payload: body.toString(), secret });
    const platform = await merchant.channel("stripe");
    expect(await platform.readNotice({ headers: { "stripe-signature": signed }, body })).toMatchObject({
      state: "paid",
    });
  });
});
