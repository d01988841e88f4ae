/** The form of an invoice: what it proposes, refuses and sends. */
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import {
  emptyInvoiceForm,
  firstChosen,
  invoiceBody,
  invoiceOrdersMax,
  mayJoin,
  sumOf,
  wrongOf,
} from "../../console/invoice-form.ts";

const order = (n: number, currency = "CNY") => ({
  ...{ object: "invoiceable_order" as const, kind: "recharge" as const },
  ...{ order: `ord_${n}`, amount: "0.10", currency, paid_at: "2026-11-23T10:20:00Z" },
});
const orders = Array.from({ length: 25 }, (_, n) => order(n));
const company = { ...emptyInvoiceForm, name: " Kestrel ", email: "finance@kestrel.example" };

describe("the tax id", () => {
  test.each([
    ["company", "CNY", "", true],
    ["company", "CNY", "9144030071526726XG", false],
    ["company", "USD", " ", false],
    ["personal", "CNY", "", false],
  ] as const)("of a %s in %s, typed as %j, is wrong: %s", (kind, currency, taxId, isWrong) => {
    expect(wrongOf({ ...company, kind, taxId }, currency).has("taxId")).toBe(isWrong);
  });

  test("is not sent where it is left out, nor for a person", () => {
    const title = { kind: "company", name: "Kestrel" };
    expect(invoiceBody(company, [order(1, "USD")])).toMatchObject({ orders: ["ord_1"], title });
    expect(invoiceBody(company, [])).not.toHaveProperty("title.tax_id");
    expect(invoiceBody({ ...company, taxId: " DE1 " }, [])).toHaveProperty("title.tax_id", "DE1");
    const person = { ...company, kind: "personal" as const, taxId: "DE1" };
    expect(invoiceBody(person, [])).not.toHaveProperty("title.tax_id");
  });
});

describe("the orders", () => {
  test("that are proposed have one currency, and are no more than the server takes", () => {
    expect(invoiceOrdersMax).toBe(consoleLimits.invoiceOrdersMax);
    const mixed = [order(100, "USD"), ...orders, order(101, "USD")];
    expect([...firstChosen(mixed)]).toEqual(["ord_100", "ord_101"]);
    expect(firstChosen(orders).size).toBe(invoiceOrdersMax);
    expect(firstChosen([]).size).toBe(0);
  });

  test("that are chosen take another of their currency until there are as many as fit", () => {
    expect(mayJoin(order(1, "USD"), [])).toBe(true);
    expect(mayJoin(order(1, "USD"), orders.slice(0, 1))).toBe(false);
    expect(mayJoin(order(99), orders.slice(0, invoiceOrdersMax - 1))).toBe(true);
    expect(mayJoin(order(99), orders.slice(0, invoiceOrdersMax))).toBe(false);
  });

  test("have an exact sum", () => expect(sumOf(orders.slice(0, 3))).toBe("0.30"));
});
