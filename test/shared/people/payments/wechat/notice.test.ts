/** Calls of WeChat Pay, and calls that are not WeChat Pay's or not about us. 50004 is what their sender gets. */
import { createCipheriv, sign } from "node:crypto";
import { expect, test } from "vitest";
import type { NoticeRequest } from "#shared/people/payments/platform.ts";
import {
  accountsAt,
  at,
  otherKeys,
  platformKeys,
  read,
  refusal,
  settings,
} from "#test/support/signed-notices.ts";

const transaction = {
  appid: settings.wechat.appid,
  mchid: settings.wechat.mchid,
  out_trade_no: "ord_1",
  transaction_id: "4200",
  trade_state: "SUCCESS",
  success_time: "2026-11-23T16:30:00+08:00",
  amount: { total: 10_000, payer_total: 10_000, currency: "CNY", payer_currency: "CNY" },
};

const sealed = (content: object, key = settings.wechat.api_v3_key) => {
  const cipher = createCipheriv("aes-256-gcm", key, "nonce0123456").setAAD(Buffer.from("transaction"));
  const bytes = [cipher.update(JSON.stringify(content)), cipher.final(), cipher.getAuthTag()];
  return {
    algorithm: "AEAD_AES_256_GCM",
    ciphertext: Buffer.concat(bytes).toString("base64"),
    associated_data: "transaction",
    nonce: "nonce0123456",
  };
};

const bodyOf = (resource: object = sealed(transaction), event_type = "TRANSACTION.SUCCESS") =>
  JSON.stringify({ id: "1", event_type, resource_type: "encrypt-resource", resource });

const notice = ({
  body = bodyOf(),
  key = platformKeys.privateKey,
  id = "PUB_KEY_ID_1",
  seconds = at / 1000,
} = {}): NoticeRequest => ({
  headers: {
    "wechatpay-timestamp": String(seconds),
    "wechatpay-nonce": "n",
    "wechatpay-serial": id,
    "wechatpay-signature": sign("sha256", Buffer.from(`${seconds}\nn\n${body}\n`), key).toString("base64"),
  },
  body: Buffer.from(body),
});

const withHeaders = (headers: Record<string, string | undefined>, from = notice()): NoticeRequest => ({
  ...from,
  headers: { ...from.headers, ...headers },
});

test("a genuine one is read", async () => {
  expect(await read("wechat", notice())).toEqual({
    channel: "wechat",
    order: "ord_1",
    accounts: await accountsAt("wechat"),
    state: "paid",
    transaction: "4200",
    amount: 10_000,
    currency: "CNY",
    paid_at: at,
  });
});

const probe = withHeaders({ "wechatpay-signature": "WECHATPAY/SIGNTEST/abc=" });
test.each([
  ["without a signature", withHeaders({ "wechatpay-signature": undefined }), "no signature"],
  ["without a nonce", withHeaders({ "wechatpay-nonce": undefined }), "no signature"],
  ["signed by somebody else", notice({ key: otherKeys.privateKey }), "wrong signature"],
  [
    "under an unknown key id",
    notice({ id: "PUB_KEY_ID_2" }),
    "signed with a key that is not in the settings",
  ],
  [
    "under a name of the prototype",
    notice({ id: "constructor" }),
    "signed with a key that is not in the settings",
  ],
  ["that is 400 s old", notice({ seconds: at / 1000 - 400 }), "a time that is too far from ours"],
  ["that is 400 s ahead", notice({ seconds: at / 1000 + 400 }), "a time that is too far from ours"],
  ["with a time that is none", withHeaders({ "wechatpay-timestamp": "soon" }), "no time"],
  [
    "with a newer time than it was signed with",
    withHeaders({ "wechatpay-timestamp": String(at / 1000 + 1) }),
    "wrong signature",
  ],
  ["with another nonce", withHeaders({ "wechatpay-nonce": "m" }), "wrong signature"],
  ["with a changed body", { ...notice(), body: Buffer.from(`${bodyOf()} `) }, "wrong signature"],
  ["that is a probe", probe, "probe: a probe"],
  ["that is no JSON", notice({ body: "out_trade_no=ord_1" }), "no JSON object"],
  ["without a resource", notice({ body: '{"event_type":"TRANSACTION.SUCCESS"}' }), "no resource"],
  [
    "sealed with another key",
    notice({ body: bodyOf(sealed(transaction, settings.wechat.api_v3_key.toUpperCase())) }),
    "a resource that does not open under our key",
  ],
  [
    "with another algorithm",
    notice({ body: bodyOf({ ...sealed(transaction), algorithm: "none" }) }),
    "no resource",
  ],
  [
    "with a cut resource",
    notice({ body: bodyOf({ ...sealed(transaction), ciphertext: "AAAA" }) }),
    "a resource that does not open under our key",
  ],
  [
    "with other associated data",
    notice({ body: bodyOf({ ...sealed(transaction), associated_data: "refund" }) }),
    "a resource that does not open under our key",
  ],
  [
    "in a state that is not known",
    notice({ body: bodyOf(sealed({ ...transaction, trade_state: "toString" })) }),
    "a payment without an order or a known state",
  ],
])("one %s is refused", async (_, forged, reason) => {
  expect(await refusal("wechat", forged)).toBe(reason);
});

test("one that is 299 s old is read", async () => {
  expect(await read("wechat", notice({ seconds: at / 1000 - 299 }))).toMatchObject({ state: "paid" });
});

test.each([
  ["appid", "wx9"],
  ["mchid", "19"],
])("one of another %s names it, so that it credits nothing", async (field, value) => {
  const evidence = await read("wechat", notice({ body: bodyOf(sealed({ ...transaction, [field]: value })) }));
  expect(evidence?.accounts).toEqual({ ...(await accountsAt("wechat")), [field]: value });
});

test.each([1.5, "10000", null, 2 ** 60])("an amount %j is no amount", async (total) => {
  const amount = { total, currency: "CNY" };
  const evidence = await read("wechat", notice({ body: bodyOf(sealed({ ...transaction, amount })) }));
  expect(evidence).not.toHaveProperty("amount");
});

test("one about a refund is accepted, and is about no payment", async () => {
  expect(await read("wechat", notice({ body: bodyOf(sealed({}), "REFUND.SUCCESS") }))).toBeNull();
});
