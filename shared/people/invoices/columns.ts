/** The columns of a list of invoices as CSV (books/reports/columns.md "Invoices"). */

import { rfc3339 } from "../../books/billing/instant.ts";
import { formatMoney } from "../../books/billing/money.ts";
import type { CellColumn, CellType } from "../../books/reports/csv.ts";
import type { Invoice, InvoiceTax } from "./invoice.ts";

type InvoiceColumn = CellColumn<Invoice>;

export const invoiceColumns: readonly InvoiceColumn[] = [
  textOf("id", "the invoice's id"),
  textOf("number", "its number in the series, once it is issued"),
  textOf("state", "`requested`, `issued`, `rejected` or `voided`"),
  textOf("currency", "the currency of all its money, ISO 4217"),
  {
    ...{ name: "amount", type: "decimal", source: "invoice `amount`" },
    what: "what was paid for its orders, less what was paid back",
    of: ({ amount, currency }) => formatMoney(amount, currency),
  },
  taxOf("tax_name", "text", "name", "the tax", ({ name }) => name),
  taxOf(
    "tax_rate",
    "decimal",
    "rate",
    "its rate in per cent; 0 where the customer owes it",
    ({ rate }) => rate,
  ),
  taxOf("net", "decimal", "net", "the amount without the tax", ({ net }, money) => money(net)),
  taxOf("tax", "decimal", "tax", "the tax; `net` and `tax` add up to `amount`", ({ tax }, money) =>
    money(tax),
  ),
  taxOf(
    "reverse_charge",
    "boolean",
    "reverse_charge",
    "whether the customer owes the tax itself",
    (tax) => tax.reverse_charge,
  ),
  {
    ...{ name: "orders", type: "list", source: "invoice `orders`", what: "the ids of its orders" },
    of: ({ orders }) => orders.join(" "),
  },
  titleOf("kind", "`personal` or `company`"),
  titleOf("name", "to whom it is made out"),
  titleOf("tax_id", "the company's tax id"),
  textOf("email", "where the document goes"),
  textOf("file", "where the document is"),
  instantOf("created_at", "when it was requested; `from` and `to` go by it"),
  instantOf("issued_at", "when it was issued"),
  instantOf("ended_at", "when it was rejected or voided"),
  textOf("reason", "why it was rejected or voided"),
];

function textOf(
  name: "id" | "number" | "state" | "currency" | "email" | "file" | "reason",
  what: string,
): InvoiceColumn {
  return { name, type: "text", source: `invoice \`${name}\``, what, of: (invoice) => invoice[name] ?? null };
}

/** A column of the tax, empty on an invoice without. */
function taxOf(
  name: string,
  type: CellType,
  field: keyof InvoiceTax,
  what: string,
  part: (tax: InvoiceTax, money: (minor: number) => string) => string | boolean,
): InvoiceColumn {
  const of = ({ tax, currency }: Invoice) =>
    tax ? part(tax, (minor) => formatMoney(minor, currency)) : null;
  return { name, type, source: `invoice \`tax.${field}\``, what, of };
}

function titleOf(part: "kind" | "name" | "tax_id", what: string): InvoiceColumn {
  const of = ({ title }: Invoice) => title[part] ?? null;
  return { name: `title_${part}`, type: "text", source: `invoice \`title.${part}\``, what, of };
}

function instantOf(name: "created_at" | "issued_at" | "ended_at", what: string): InvoiceColumn {
  const of = ({ [name]: at }: Invoice) => (at === undefined ? null : rfc3339(at));
  return { name, type: "instant", source: `invoice \`${name}\``, what, of };
}
