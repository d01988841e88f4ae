/** The form of automatic top-up: what it shows, refuses and sends, and that the server takes it. */
import { describe, expect, test } from "vitest";
import { parseMoney } from "#shared/books/billing/money.ts";
import { readBudgetPoints } from "#shared/edges/api/key-limits.ts";
import { cardChannel } from "#shared/people/payments/auto-top-up.ts";
import { readAmount } from "#shared/people/payments/recharge.ts";
import type { PaymentMethod, TopUpSettings } from "../../console/api-types.ts";
import { words as english } from "../../console/pages/money/recharge/en.ts";
import { words as chinese } from "../../console/pages/money/recharge/zh.ts";
import {
  brandName,
  lateOrder,
  leastOfMonth,
  methodsOfCards,
  topUpBody,
  topUpForm,
  wrongTopUp,
} from "../../console/top-up-form.ts";

const dollars: PaymentMethod = {
  ...{ currency: "USD", channels: [cardChannel], points_per_unit: "7", min: "5.00", max: "1000.00" },
};
const yuan: PaymentMethod = { ...dollars, currency: "CNY", channels: ["alipay", "wechat"] };

const off: TopUpSettings = {
  ...{ object: "auto_top_up", state: "off", below_points: null, currency: null, amount: null },
  ...{ month_max: null, month: "2026-11", month_used: null, card: null, order: null, paused: null },
  not_before: null,
};
const terms = { below_points: "50.5", currency: "USD", amount: "100.00", month_max: "500.00" };

/** Whether the readers of the route take a body. */
function takes(body: NonNullable<ReturnType<typeof topUpBody>>): boolean {
  const { currency, min, max, points_per_unit } = dollars;
  const method = { currency, terms: { min, max, points_per_unit } } as Parameters<typeof readAmount>[1];
  try {
    readBudgetPoints(body.below_points, "below_points");
    return parseMoney(body.month_max, currency) >= readAmount(body.amount, method);
  } catch {
    return false;
  }
}

describe("the form of automatic top-up", () => {
  test("shows what is set, and sends the same", () => {
    const form = topUpForm({ ...off, ...terms });
    expect(wrongTopUp(form, dollars).size).toBe(0);
    expect(topUpBody(form, dollars)).toEqual({ on: true, ...terms });
  });

  test("proposes nothing where nothing is set, and takes no empty field", () => {
    expect([...wrongTopUp(topUpForm(off), dollars)]).toEqual(["below", "amount", "most"]);
    expect(topUpBody(topUpForm(off), dollars)).toBeUndefined();
  });

  test("writes amounts as the API does", () => {
    const body = topUpBody({ below: " 50 ", amount: " 7.5", most: "8 " }, dollars);
    expect(body).toEqual({
      on: true,
      below_points: "50",
      currency: "USD",
      amount: "7.50",
      month_max: "8.00",
    });
  });

  test.each([
    ["below", "0"],
    ["below", "-1"],
    ["below", "1e3"],
    ["below", "5,0"],
    ["amount", "4.99"],
    ["amount", "1000.01"],
    ["amount", "10.001"],
    ["most", "99.99"],
    ["most", "1000000000"],
    ["most", "x"],
  ])("refuses %s of %j in its field", (name, typed) => {
    const form = { ...topUpForm({ ...off, ...terms }), [name]: typed };
    expect(wrongTopUp(form, dollars)).toContain(name);
    expect(topUpBody(form, dollars)).toBeUndefined();
  });

  test("sends only what the server takes", () => {
    const amounts = ["5", "5.00", "99.9", "1000", "0", "4.99", "5.001", "1e2", "", "999999999", "1,000"];
    const belows = ["0.5", "999999999999999", "1e3", "0.000000000000000001", ".5", "007"];
    const forms = amounts.flatMap((amount) =>
      amounts.flatMap((most) => belows.map((below) => ({ below, amount, most }))),
    );
    const sent = forms.flatMap((form) => topUpBody(form, dollars) ?? []);
    expect(sent.length).toBeGreaterThan(20);
    expect(sent.filter((body) => !takes(body))).toEqual([]);
  });

  test("wants of a month one purchase at least, and the least purchase while that is wrong", () => {
    expect(leastOfMonth({ below: "", amount: "80", most: "" }, dollars)).toBe("80.00");
    expect(leastOfMonth({ below: "", amount: "x", most: "" }, dollars)).toBe("5.00");
  });
});

test("it is there where a payment method takes the channel that keeps cards", () => {
  expect(methodsOfCards([yuan, dollars])).toEqual([dollars]);
  expect(methodsOfCards([yuan])).toEqual([]);
});

test("an order is late only where it is open though top-up is off", () => {
  expect(lateOrder({ ...off, order: "ord_1" })).toBe("ord_1");
  expect(lateOrder(off)).toBeUndefined();
  expect(lateOrder({ ...off, state: "on", order: "ord_1" })).toBeUndefined();
  expect(lateOrder({ ...off, state: "paused", order: "ord_1" })).toBeUndefined();
});

test.each([
  ["visa", "Visa"],
  ["amex", "American Express"],
  ["unionpay", "UnionPay"],
  ["unknown", undefined],
])("the brand %s is called %j", (brand, name) => {
  expect(brandName(brand)).toBe(name);
});

test("one sentence says what it will do, in both languages", () => {
  const said = [english, chinese].map((words) =>
    words.topUpSays("50", "$100.00", words.topUpCardEnds("Visa", "4242"), "$500.00"),
  );
  expect(said).toEqual([
    "When fewer than 50 points are left, $100.00 is charged to the Visa that ends in 4242, at most $500.00 a month.",
    "剩余点数少于 50 时，从 Visa（尾号 4242）扣款 $100.00，每月最多 $500.00。",
  ]);
  // Both languages have words for the same reasons.
  expect(Object.keys(chinese.topUpWhy)).toEqual(Object.keys(english.topUpWhy));
});
