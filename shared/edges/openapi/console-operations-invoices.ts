/** What the console's document says of invoices and statements (edges/console/routes/invoices.ts). */

import { consoleLimits } from "../../base/console-limits.ts";
import { creditKinds } from "../../books/ledger/credit.ts";
import { type ExportLine, focusColumns, ownColumns } from "../../books/reports/export-columns.ts";
import { statementLocales } from "../../people/invoices/statement-words.ts";
import type { invoiceRoutes } from "../console/routes/invoices.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import {
  currency,
  id,
  idParameter,
  maybe,
  money,
  orderChannel,
  orderCurrency,
  planPeriod,
  text,
  whole,
} from "./console-schemas.ts";
import { after, limit, listForm, range } from "./parameters.ts";
import {
  boolean,
  closed,
  instant,
  integer,
  just,
  list,
  oneOf,
  orNull,
  page,
  points,
  ref,
  type Schema,
  string,
  such,
} from "./schema.ts";

const month = such(string, { pattern: "^[0-9]{4}-(0[1-9]|1[0-2])$", examples: ["2026-11"] });
const order = "ord_01KAJ2X5P00000000000000000";
const email = such(text("Where the document goes.", "finance@example.com"), {
  maxLength: consoleLimits.emailCharsMax,
});
const titleKind = oneOf(["personal", "company"]);
const titleName = such(string, { minLength: 1, maxLength: 100 });

const invoice = {
  id: id("ivc"),
  object: just("invoice"),
  number: orNull(such(string, "Once it is issued.")),
  state: oneOf(["requested", "issued", "rejected", "voided"]),
  amount: such(money, "What was paid for its orders, less what was paid back."),
  currency,
  orders: list(id("ord")),
  title: closed({ kind: titleKind, name: string, tax_id: orNull(string) }),
  tax: orNull(
    such(
      closed({
        name: string,
        rate: such(string, { description: "Per cent of the net amount.", examples: ["6"] }),
        ...{ net: money, tax: money },
        gross: such(money, "The amount of the invoice: net and tax."),
        reverse_charge: such(boolean, "The customer owes the tax. It is 0 here."),
      }),
      "Null: no tax is shown for this currency.",
    ),
  ),
  email: string,
  file: orNull(such(string, "Where the document is.")),
  created_at: instant,
  issued_at: orNull(instant),
  ended_at: orNull(such(instant, "When it was rejected or voided.")),
  reason: orNull(such(string, "Why it was rejected or voided.")),
};

const exampleInvoice = {
  ...{ id: "ivc_01KAJ2X5P00000000000000000", object: "invoice", number: null, state: "requested" },
  ...{ amount: "100.00", currency: "CNY", orders: [order] },
  tax: { name: "VAT", rate: "6", net: "94.34", tax: "5.66", gross: "100.00", reverse_charge: false },
  ...{ title: { kind: "personal", name: "Ann", tax_id: null }, email: "ann@example.com", file: null },
  ...{ created_at: "2026-11-23T09:00:00.000Z", issued_at: null, ended_at: null, reason: null },
};

const balance = {
  month,
  opening_points: such(points, "At the month's first instant."),
  closing_points: such(points, "After its last one, or now."),
  is_running: such(boolean, "The month is not over."),
};

const lineMoney = orNull(
  such(
    closed({
      ...{ order: id("ord"), channel: orderChannel, currency: orderCurrency },
      amount: such(string, {
        description: "What was paid. Negative: what was paid back.",
        examples: ["-40.00"],
      }),
    }),
    "Null: no order has made this line.",
  ),
);
const line = closed({
  at: instant,
  kind: oneOf(creditKinds),
  reference: string,
  points: such(points, "Points taken out are negative."),
  money: lineMoney,
});
const planLine = { at: instant, reference: string, points, money: lineMoney };

const statement = {
  object: just("statement"),
  ...balance,
  organization: closed({ id: id("org"), name: string }),
  totals: closed({
    ...{ credits_points: points, usage_points: points, corrections_points: points },
    ...{ refunds_points: points, plans_points: such(points, "Of plans that points have paid for.") },
    ...{ plan_fees_points: points, plan_payments_points: points },
  }),
  credits: list(line),
  usage: such(list(closed({ model: string, calls: integer, points })), "The dearest first."),
  corrections: list(line),
  refunds: list(line),
  plans: such(list(line), "Points that have paid for plans, and those that came back of one."),
  plan: closed({
    fees: list(closed({ ...planLine, plan: string, period: planPeriod, ends_at: instant })),
    payments: list(closed(planLine)),
  }),
  bought: such(
    list(
      closed({
        currency: orNull(currency),
        opening_points: points,
        opening_amount: orNull(string),
        closing_points: points,
        closing_amount: orNull(string),
      }),
    ),
    "What was paid for the balances, each purchase at its own rate. The last line, without a currency, is of points that nobody paid for.",
  ),
  rates: such(
    list(closed({ currency, points_per_unit: points, opening_amount: string, closing_amount: string })),
    "What the balances are worth at today's rates.",
  ),
};

export const invoiceSchemas = {
  Invoice: such(closed(invoice), { examples: [exampleInvoice] }),
  WholeInvoice: closed({
    ...invoice,
    paid_back: such(money, "How much of its orders was paid back since it was requested."),
  }),
  InvoiceList: page(ref("Invoice")),
  InvoiceableOrder: closed({
    order: id("ord"),
    object: just("invoiceable_order"),
    kind: oneOf(["recharge", "plan"]),
    amount: money,
    currency,
    paid_at: instant,
  }),
  InvoiceableOrderList: page(ref("InvoiceableOrder")),
  MonthBalance: such(closed(balance), {
    examples: [{ month: "2026-11", opening_points: "0", closing_points: "100", is_running: true }],
  }),
  FocusPage: page(
    such(
      closed(
        Object.fromEntries(
          [...focusColumns, ...ownColumns].map(({ name, what }) => [
            name,
            { type: ["string", "integer", "null"], description: what },
          ]),
        ),
      ) as Schema<ExportLine>,
      "A line. Amounts are exact decimal strings.",
    ),
  ),
  Statement: such(closed(statement), {
    description: "Opening balance, credits, less usage, corrections and refunds: the closing balance.",
  }),
};

export const invoiceOperations = {
  request_invoice: {
    tag: "Invoices",
    summary: "Request an invoice of orders that were paid",
    request: {
      schema: closed({
        orders: list(such(string, { minLength: 1 }), {
          ...{ minItems: 1, maxItems: consoleLimits.invoiceOrdersMax, uniqueItems: true },
          description: "Orders in one currency, none of them on an invoice.",
        }),
        title: closed(
          { kind: titleKind, name: titleName },
          {
            tax_id: maybe(such(string, "Of a company. In CNY it is needed: the unified social credit code.")),
          },
        ),
        email,
      }),
      example: { orders: [order], title: { kind: "personal", name: "Ann" }, email: "ann@example.com" },
    },
    status: 201,
    reply: ref("Invoice"),
    errors: ["order_not_found", "invalid_state"],
  },
  list_invoices: {
    tag: "Invoices",
    summary: "List invoices, the newest first",
    query: [
      ...range(false),
      ...listForm({ json: consoleLimits.invoiceListMax, csv: consoleLimits.csvListMax }),
    ],
    content: { "application/json": ref("InvoiceList"), "text/csv": string },
    errors: ["invalid_request"],
  },
  list_invoiceable_orders: {
    tag: "Invoices",
    summary: "List orders that can be invoiced, the newest first",
    description: "A page reads a bounded number of orders, so it may be short.",
    query: [limit(consoleLimits.orderListMax), after],
    reply: ref("InvoiceableOrderList"),
    errors: ["invalid_request"],
  },
  show_invoice: {
    tag: "Invoices",
    summary: "An invoice",
    parameter: idParameter("ivc", "an invoice"),
    reply: ref("WholeInvoice"),
    errors: ["invoice_not_found"],
  },
  list_statements: {
    tag: "Invoices",
    summary: "What each month did to the wallet, the newest first",
    reply: whole(ref("MonthBalance")),
    errors: ["invalid_request"],
  },
  show_statement: {
    tag: "Invoices",
    summary: "The statement of a month",
    parameter: { description: "A month of UTC.", schema: month },
    query: [
      { name: "format", schema: oneOf(["json", "html", "csv"], { default: "json" }) },
      { name: "locale", schema: oneOf(statementLocales), description: "By default the user's." },
    ],
    content: { "application/json": ref("Statement"), "text/html": string, "text/csv": string },
    errors: ["invalid_request", "not_found"],
  },
  export_focus: {
    tag: "Invoices",
    summary: "The organization's books in the columns of FOCUS 1.2",
    description: "A page ends between two instants, behind some megabytes.",
    query: [
      ...range(true),
      {
        name: "after",
        schema: instant,
        description: "The last instant of the page before: its `last_id`. The header `link` has it too.",
      },
      {
        name: "format",
        schema: oneOf(["csv", "json"], { default: "csv" }),
        description: "A page of CSV that goes on with another one does not name the columns again.",
      },
    ],
    content: { "application/json": ref("FocusPage"), "text/csv": string },
    errors: ["invalid_request"],
  },
} satisfies Readonly<Record<(typeof invoiceRoutes)[number]["operation"], ConsoleDescribed>>;
