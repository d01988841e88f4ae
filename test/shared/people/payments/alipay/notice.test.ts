/** Calls of Alipay, and calls that are not Alipay's or not about us. 50004 is what their sender gets. */
import { sign } from "node:crypto";
import fc from "fast-check";
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

const genuine = {
  app_id: settings.alipay.app_id,
  seller_id: settings.alipay.seller_id,
  out_trade_no: "ord_1",
  trade_no: "20261123",
  trade_status: "TRADE_SUCCESS",
  total_amount: "100.00",
  gmt_payment: "2026-11-23 16:30:00",
  subject: "积分 100% + 50",
  charset: "utf-8",
};

const textOf = (fields: object) =>
  Object.entries(fields)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

const signed = <Fields extends object>(
  fields: Fields,
  key = platformKeys.privateKey,
  algorithm = "sha256",
) => ({
  ...fields,
  sign_type: "RSA2",
  sign: sign(algorithm, Buffer.from(textOf(fields)), key).toString("base64"),
});

const form = (fields: Record<string, string>): NoticeRequest => ({
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: Buffer.from(new URLSearchParams(fields).toString()),
});

test("a genuine one is read", async () => {
  expect(await read("alipay", form(signed(genuine)))).toEqual({
    channel: "alipay",
    order: "ord_1",
    accounts: { app_id: settings.alipay.app_id, seller_id: settings.alipay.seller_id },
    state: "paid",
    transaction: "20261123",
    amount: 10_000,
    currency: "CNY",
    paid_at: at,
  });
});

test.each([
  ["without a signature", form(genuine), "no signature"],
  ["with an empty signature", form({ ...signed(genuine), sign: "" }), "no signature"],
  ["signed by somebody else", form(signed(genuine, otherKeys.privateKey)), "wrong signature"],
  ["with another amount", form({ ...signed(genuine), total_amount: "1.00" }), "wrong signature"],
  ["about another order", form({ ...signed(genuine), out_trade_no: "ord_2" }), "wrong signature"],
  [
    "signed with SHA-1",
    form({ ...signed(genuine, platformKeys.privateKey, "sha1"), sign_type: "RSA" }),
    "not the kind of signature RSA2",
  ],
  [
    "with a kind of signature that is none",
    form({ ...signed(genuine), sign_type: "x" }),
    "not the kind of signature RSA2",
  ],
  ["that is JSON", { headers: {}, body: Buffer.from("{}") }, "no form"],
  ["that is empty", { headers: {}, body: Buffer.alloc(0) }, "no form"],
  ["that is no UTF-8", { headers: {}, body: Buffer.from([0x61, 0x3d, 0xff]) }, "no UTF-8"],
  ["with a broken escape", { headers: {}, body: Buffer.from("a=%&b=1") }, "no form"],
])("one %s is refused", async (_, notice, reason) => {
  expect(await refusal("alipay", notice)).toBe(reason);
});

test.each(["total_amount=1.00", "total_amount=100.00", "sign_type=RSA2", "total%5Famount=1.00"])(
  "one with a further %s is refused before anything is read",
  async (field) => {
    const { headers, body } = form(signed(genuine));
    for (const text of [`${body}&${field}`, `${field}&${body}`])
      expect(await refusal("alipay", { headers, body: Buffer.from(text) })).toBe("a field that comes twice");
  },
);

test("one whose fields were joined into one is refused, although the signature is over the same text", async () => {
  const { subject, ...others } = signed({ ...genuine, subject: "Points" });
  const { total_amount, trade_no, ...rest } = others;
  const joined = { ...rest, subject: `${subject}&total_amount=${total_amount}&trade_no=${trade_no}` };
  expect(await refusal("alipay", form(joined))).toBe("a value that could be further fields");
});

test("a name from the prototype is a field like any other", async () => {
  const fields = signed({ ...genuine, constructor: "x", toString: "y" });
  expect(await read("alipay", form(fields))).toMatchObject({ state: "paid" });
  expect(await refusal("alipay", { headers: {}, body: Buffer.from("__proto__=x&__proto__=y") })).toBe(
    "a field that comes twice",
  );
});

test.each(["%", "100%", "%41", "a+b", "a b", "&amp;", "积分🙂", "=", "%E4%BD", "\"'<>"])(
  "a subject %j is read as it is",
  async (subject) => {
    expect(await read("alipay", form(signed({ ...genuine, subject })))).toMatchObject({ state: "paid" });
  },
);

test.each([
  ["app_id", "2021999999999999"],
  ["seller_id", "2088999999999999"],
])("one of another %s names it, so that it credits nothing", async (field, value) => {
  const evidence = await read("alipay", form(signed({ ...genuine, [field]: value })));
  expect(evidence?.accounts).toEqual({ ...(await accountsAt("alipay")), [field]: value });
  expect(evidence?.accounts).not.toEqual(await accountsAt("alipay"));
});

test.each(["1e2", "100.001", "-1.00", "100,00", "", " 100.00", "0x10"])(
  "an amount %j is no amount",
  async (total_amount) => {
    const evidence = await read("alipay", form(signed({ ...genuine, total_amount })));
    expect(evidence).not.toHaveProperty("amount");
  },
);

test("one about something else is accepted, and is about no payment", async () => {
  const { trade_status: _, ...other } = genuine;
  expect(await read("alipay", form(signed({ ...other, notify_type: "other" })))).toBeNull();
});

test.each([
  ["TRADE_FINISHED", undefined, "paid"],
  ["WAIT_BUYER_PAY", undefined, "pending"],
  ["TRADE_CLOSED", "", "closed"],
  ["TRADE_CLOSED", "2026-11-23 16:30:00", "refunded"],
])("the state %s, paid at %j, is %s", async (trade_status, gmt_payment, state) => {
  const { gmt_payment: _, ...others } = genuine;
  const fields = { ...others, trade_status, ...(gmt_payment !== undefined && { gmt_payment }) };
  expect(await read("alipay", form(signed(fields)))).toMatchObject({ state });
});

test.each([
  ["0.00", "paid"],
  ["0.01", "refunded"],
  ["100.00", "refunded"],
  // What cannot be understood credits nothing.
  ["1e1", "refunded"],
])("a payment of which %j went back is %s", async (refund_fee, state) => {
  expect(await read("alipay", form(signed({ ...genuine, refund_fee })))).toMatchObject({ state });
});

test("any text is read as it was signed, and no changed one is", async () => {
  const text = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
    .filter((value) => !value.includes("&"));
  await fc.assert(
    fc.asyncProperty(text, text, async (subject, body) => {
      const fields = signed({ ...genuine, subject, body });
      expect(await read("alipay", form(fields))).toMatchObject({ state: "paid", amount: 10_000 });
      expect(await refusal("alipay", form({ ...fields, body: `${body}x` }))).toBe("wrong signature");
    }),
    { seed: 16, numRuns: 100 },
  );
});
