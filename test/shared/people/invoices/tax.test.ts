/** The tax in an invoice: laws of the division, who owes it, and what an invoice keeps. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { InvoiceTitle } from "#shared/people/invoices/invoice.ts";
import { readTaxRules, taxOf } from "#shared/people/invoices/tax.ts";
import { company, email, openInvoices } from "#test/support/invoices.ts";
import { useStores } from "#test/support/stores.ts";

const ann: InvoiceTitle = { kind: "personal", name: "Ann" };
const firm = (tax_id: string): InvoiceTitle => ({ kind: "company", name: "Firm", tax_id });

describe("the tax of an amount", () => {
  const paid = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 10 ** 13 }));
  const rate = fc.oneof(fc.integer({ min: 0, max: 999_999 }), fc.constantFrom(0, 60_000, 130_000, 190_000));
  const inPercent = (parts: number) =>
    `${Math.floor(parts / 10_000)}.${String(parts % 10_000).padStart(4, "0")}`;

  test("and the net amount are what was paid, and the tax is the nearest whole unit", () => {
    const law = fc.property(paid, rate, (amount, parts) => {
      const rules = { CNY: { name: "VAT", rate: inPercent(parts) } };
      const { net, tax } = taxOf(amount, "CNY", ann, rules) ?? { net: 0, tax: -1 };
      expect(net + tax).toBe(amount);
      expect(tax >= 0 && net >= 0).toBe(true);
      // tax × (100 + rate) is within half a unit of amount × rate, and half a unit becomes tax.
      const whole = BigInt(1_000_000 + parts);
      const off = 2n * (BigInt(tax) * whole - BigInt(amount) * BigInt(parts));
      expect(off > -whole && off <= whole).toBe(true);
      const more = taxOf(amount + 1, "CNY", ann, rules);
      expect((more?.tax ?? -1) - tax === 0 || (more?.tax ?? -1) - tax === 1).toBe(true);
    });
    fc.assert(law, { seed: 3, numRuns: 1000 });
  });

  test.each([
    [10_000, "6", 9434, 566],
    [10_000, "13", 8850, 1150],
    [1, "13", 1, 0],
    [5, "25", 4, 1],
    [3, "20", 2, 1],
    [700, "0", 700, 0],
  ])("%i at %s %% is %i and %i", (amount, given, net, tax) => {
    expect(taxOf(amount, "CNY", ann, { CNY: { name: "VAT", rate: given } })).toMatchObject({ net, tax });
  });

  test("is none where no rule is of the currency, whatever the currency is called", () => {
    const rules = readTaxRules('{"EUR":{"name":"VAT","rate":"19"}}');
    expect([taxOf(100, "CNY", ann, rules), taxOf(100, "toString", ann, rules)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(readTaxRules(undefined)).toEqual({});
  });

  test.each([
    [firm("FR123456789"), ["DE"], true],
    [firm("DE123456789"), ["DE"], false],
    [firm("ATU1234567"), [], true],
    [firm("FR123456789"), undefined, false],
    [{ kind: "company", name: "Firm" } as const, ["DE"], false],
    [ann, ["DE"], false],
  ])("is owed by the customer where the rule says so: %j, %j", (title, own, reversed) => {
    const rule = { name: "VAT", rate: "19", ...(own && { reverse_charge_except: own }) };
    const { tax, net, rate: told, reverse_charge } = taxOf(119, "EUR", title, { EUR: rule }) ?? {};
    expect([reverse_charge, told, net, tax]).toEqual(reversed ? [true, "0", 119, 0] : [false, "19", 100, 19]);
  });
});

describe("an invoice", () => {
  const { db } = useStores();

  test("keeps the tax of its request, in its list and its file, whatever the rule becomes", async () => {
    const taxRules = { CNY: { name: "VAT", rate: "6" } };
    const desk = openInvoices(db, { taxRules });
    const owner = await desk.newOwner();
    const { id } = await desk.creditedOrder(owner[1]);
    const made = await desk.ask(owner, "POST /api/v1/invoices", { orders: [id], title: company, email });
    const tax = { name: "VAT", rate: "6", net: "94.34", tax: "5.66", gross: "100.00", reverse_charge: false };
    expect(made.body).toMatchObject({ amount: "100.00", tax });
    taxRules.CNY.rate = "13";
    expect((await desk.ask(owner, "GET /api/v1/invoices")).body.data[0]).toMatchObject({ tax });
    const file = await desk.ask(owner, "GET /api/v1/invoices?format=csv");
    expect(file.text).toContain(",CNY,100.00,VAT,6,94.34,5.66,false,");
  });

  test("without a rule has none, as those from before there were rules", async () => {
    const desk = openInvoices(db);
    const owner = await desk.newOwner();
    const { id } = await desk.creditedOrder(owner[1]);
    const made = await desk.ask(owner, "POST /api/v1/invoices", { orders: [id], title: company, email });
    expect(made.body).toMatchObject({ amount: "100.00", tax: null });
    const file = await desk.ask(owner, "GET /api/v1/invoices?format=csv");
    expect(file.text).toContain(",CNY,100.00,,,,,,ord_");
  });
});
