/** Evidence pays an order only if every field agrees. Each field alone is enough to bar it. */
import { expect, test } from "vitest";
import { differences } from "#shared/people/payments/evidence.ts";
import type { Evidence } from "#shared/people/payments/platform.ts";

const ours = { app_id: "2021", seller_id: "2088" };
const order = { id: "ord_1", channel: "alipay", amount: 10_000, currency: "CNY" } as const;
const right: Evidence = {
  channel: "alipay",
  order: "ord_1",
  accounts: ours,
  state: "paid",
  transaction: "t1",
  amount: 10_000,
  currency: "CNY",
  paid_at: 0,
};

test("all fields agree", () => expect(differences(right, order, ours)).toEqual([]));

const without = (name: keyof Evidence): Evidence => {
  const { [name]: _gone, ...rest } = right;
  return rest as Evidence;
};

test.each<[string, Evidence, string]>([
  ["another channel", { ...right, channel: "wechat" }, "channel"],
  ["another order", { ...right, order: "ord_2" }, "order"],
  ["another app", { ...right, accounts: { ...ours, app_id: "other" } }, "account"],
  ["another merchant", { ...right, accounts: { ...ours, seller_id: "other" } }, "account"],
  ["a merchant that is not named", { ...right, accounts: { app_id: "2021" } }, "account"],
  ["one account more", { ...right, accounts: { ...ours, mchid: "1" } }, "account"],
  ["no account at all", { ...right, accounts: {} }, "account"],
  ["another currency", { ...right, currency: "USD" }, "currency"],
  ["no currency", without("currency"), "currency"],
  ["less money", { ...right, amount: 9_999 }, "amount"],
  ["more money", { ...right, amount: 10_001 }, "amount"],
  ["no amount", without("amount"), "amount"],
  ["no transaction", { ...right, transaction: "" }, "transaction"],
  ["money that was paid back already", { ...right, state: "refunded" }, "state"],
])("%s differs", (_, evidence, field) => {
  expect(differences(evidence, order, ours)).toEqual([field]);
});

test("accounts that we do not have agree with nothing", () => {
  expect(differences({ ...right, accounts: {} }, order, {})).toEqual(["account"]);
  expect(differences({ ...right, accounts: { app_id: "" } }, order, { app_id: "" })).toEqual(["account"]);
});
