/** The tax in an invoice (people/invoices/README.md "Tax"). Customers' prices include it. Amounts are minor units. */
import { entryOf } from "../../base/json/fields.ts";
import { parseDecimal } from "../../books/billing/points.ts";
import type { InvoiceTax, InvoiceTitle } from "./invoice.ts";

/** How a stage taxes what is paid in a currency. The stage's file has these rules (infra/resources/console.md). */
interface TaxRule {
  /** The name of the tax, such as `VAT`. */
  name: string;
  /** Per cent of the net amount: a decimal string below 100 with at most four decimals. */
  rate: string;
  /** Tax ids that begin so are domestic; companies elsewhere owe the tax themselves. Absent: nobody does. */
  reverse_charge_except?: string[];
}

/** The rules by currency. Invoices in any other currency have no tax. */
export type TaxRules = Readonly<Record<string, TaxRule>>;

/** Decimals of a rate in per cent. */
const ratePlaces = 4;
const whole = 100n * 10n ** BigInt(ratePlaces);

/** The tax in what was paid: amount × rate / (100 + rate), half a minor unit up. Undefined: the currency has no rule. */
export function taxOf(
  paid: number,
  currency: string,
  title: InvoiceTitle,
  rules: TaxRules,
): InvoiceTax | undefined {
  const rule = entryOf(rules, currency);
  if (!rule) return undefined;
  const { name, rate } = rule;
  if (owesItself(title, rule)) return { name, rate: "0", net: paid, tax: 0, reverse_charge: true };
  const share = parseDecimal(rate, ratePlaces);
  const tax = Number((2n * BigInt(paid) * share + whole + share) / (2n * (whole + share)));
  return { name, rate, net: paid - tax, tax, reverse_charge: false };
}

function owesItself({ kind, tax_id }: InvoiceTitle, { reverse_charge_except: own }: TaxRule): boolean {
  if (!own || kind !== "company" || tax_id === undefined) return false;
  return !own.some((start) => tax_id.startsWith(start));
}

/** The rules in a variable of the function. Without it there are none. */
export function readTaxRules(text: string | undefined): TaxRules {
  return text ? (JSON.parse(text) as TaxRules) : {};
}
