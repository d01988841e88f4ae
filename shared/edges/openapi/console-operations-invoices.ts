/** What the console's document says of invoices and statements (edges/console/routes/invoices.ts). */

import { consoleLimits } from "../../base/console-limits.ts";
import { creditKinds } from "../../books/ledger/credit.ts";
import { type ExportLine, focusColumns, ownColumns } from "../../books/reports/export-columns.ts";
import { focusVersions } from "../../books/reports/focus-form.ts";
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
import * as s from "./schema.ts";

const month = s.such(s.string, { pattern: "^[0-9]{4}-(0[1-9]|1[0-2])$", examples: ["2026-11"] });
const order = "ord_01KAJ2X5P00000000000000000";
const email = s.such(text("Where the document goes.", "finance@example.com"), {
  maxLength: consoleLimits.emailCharsMax,
});
const titleKind = s.oneOf(["personal", "company"]);
const titleName = s.such(s.string, { minLength: 1, maxLength: 100 });

const invoice = {
  id: id("ivc"),
  object: s.just("invoice"),
  number: s.orNull(s.such(s.string, "Once it is issued.")),
  state: s.oneOf(["requested", "issued", "rejected", "voided"]),
  amount: s.such(money, "What was paid for its orders, less what was paid back."),
  currency,
  orders: s.list(id("ord")),
  title: s.closed({ kind: titleKind, name: s.string, tax_id: s.orNull(s.string) }),
  tax: s.orNull(
    s.such(
      s.closed({
        name: s.string,
        rate: s.such(s.string, { description: "Per cent of the net amount.", examples: ["6"] }),
        ...{ net: money, tax: money },
        gross: s.such(money, "The amount of the invoice: net and tax."),
        reverse_charge: s.such(s.boolean, "The customer owes the tax. It is 0 here."),
      }),
      "Null: no tax is shown for this currency.",
    ),
  ),
  email: s.string,
  file: s.orNull(s.such(s.string, "Where the document is.")),
  created_at: s.instant,
  issued_at: s.orNull(s.instant),
  ended_at: s.orNull(s.such(s.instant, "When it was rejected or voided.")),
  reason: s.orNull(s.such(s.string, "Why it was rejected or voided.")),
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
  opening_points: s.such(s.points, "At the month's first instant."),
  closing_points: s.such(s.points, "After its last one, or now."),
  is_running: s.such(s.boolean, "The month is not over."),
};

const lineMoney = s.orNull(
  s.such(
    s.closed({
      ...{ order: id("ord"), channel: orderChannel, currency: orderCurrency },
      amount: s.such(s.string, {
        description: "What was paid. Negative: what was paid back.",
        examples: ["-40.00"],
      }),
    }),
    "Null: no order has made this line.",
  ),
);
const line = s.closed({
  at: s.instant,
  kind: s.oneOf(creditKinds),
  reference: s.string,
  points: s.such(s.points, "Points taken out are negative."),
  money: lineMoney,
});
const planLine = { at: s.instant, reference: s.string, points: s.points, money: lineMoney };

const statement = {
  object: s.just("statement"),
  ...balance,
  organization: s.closed({ id: id("org"), name: s.string }),
  totals: s.closed({
    ...{ credits_points: s.points, usage_points: s.points, corrections_points: s.points },
    ...{ refunds_points: s.points, plans_points: s.such(s.points, "Of plans that points have paid for.") },
    ...{ plan_fees_points: s.points, plan_payments_points: s.points },
  }),
  credits: s.list(line),
  usage: s.such(
    s.list(s.closed({ model: s.string, calls: s.integer, points: s.points })),
    "The dearest first.",
  ),
  corrections: s.list(line),
  refunds: s.list(line),
  plans: s.such(s.list(line), "Points that have paid for plans, and those that came back of one."),
  plan: s.closed({
    fees: s.list(s.closed({ ...planLine, plan: s.string, period: planPeriod, ends_at: s.instant })),
    payments: s.list(s.closed(planLine)),
  }),
  bought: s.such(
    s.list(
      s.closed({
        currency: s.orNull(currency),
        opening_points: s.points,
        opening_amount: s.orNull(s.string),
        closing_points: s.points,
        closing_amount: s.orNull(s.string),
      }),
    ),
    "What was paid for the balances, each purchase at its own rate. The last line, without a currency, is of points that nobody paid for.",
  ),
  rates: s.such(
    s.list(
      s.closed({ currency, points_per_unit: s.points, opening_amount: s.string, closing_amount: s.string }),
    ),
    "What the balances are worth at today's rates.",
  ),
};

export const invoiceSchemas = {
  Invoice: s.such(s.closed(invoice), { examples: [exampleInvoice] }),
  WholeInvoice: s.closed({
    ...invoice,
    paid_back: s.such(money, "How much of its orders was paid back since it was requested."),
  }),
  InvoiceList: s.page(s.ref("Invoice")),
  InvoiceableOrder: s.closed({
    order: id("ord"),
    object: s.just("invoiceable_order"),
    kind: s.oneOf(["recharge", "plan"]),
    amount: money,
    currency,
    paid_at: s.instant,
  }),
  InvoiceableOrderList: s.page(s.ref("InvoiceableOrder")),
  MonthBalance: s.such(s.closed(balance), {
    examples: [{ month: "2026-11", opening_points: "0", closing_points: "100", is_running: true }],
  }),
  FocusPage: s.page(
    s.such(
      s.closed(
        Object.fromEntries(
          [...focusColumns, ...ownColumns].map(({ name, what }) => [
            name,
            { type: ["string", "integer", "null"], description: what },
          ]),
        ),
      ) as s.Schema<ExportLine>,
      "A line. Amounts are exact decimal strings.",
    ),
  ),
  Statement: s.such(s.closed(statement), {
    description: "Opening balance, credits, less usage, corrections and refunds: the closing balance.",
  }),
};

export const invoiceOperations = {
  request_invoice: {
    tag: "Invoices",
    summary: "Request an invoice of orders that were paid",
    request: {
      schema: s.closed({
        orders: s.list(s.such(s.string, { minLength: 1 }), {
          ...{ minItems: 1, maxItems: consoleLimits.invoiceOrdersMax, uniqueItems: true },
          description: "Orders in one currency, none of them on an invoice.",
        }),
        title: s.closed(
          { kind: titleKind, name: titleName },
          {
            tax_id: maybe(
              s.such(s.string, "Of a company. In CNY it is needed: the unified social credit code."),
            ),
          },
        ),
        email,
      }),
      example: { orders: [order], title: { kind: "personal", name: "Ann" }, email: "ann@example.com" },
    },
    status: 201,
    reply: s.ref("Invoice"),
    errors: ["order_not_found", "invalid_state"],
  },
  list_invoices: {
    tag: "Invoices",
    summary: "List invoices, the newest first",
    query: [
      ...range(false),
      ...listForm({ json: consoleLimits.invoiceListMax, csv: consoleLimits.csvListMax }),
    ],
    content: { "application/json": s.ref("InvoiceList"), "text/csv": s.string },
    errors: ["invalid_request"],
  },
  list_invoiceable_orders: {
    tag: "Invoices",
    summary: "List orders that can be invoiced, the newest first",
    description: "A page reads a bounded number of orders, so it may be short.",
    query: [limit(consoleLimits.orderListMax), after],
    reply: s.ref("InvoiceableOrderList"),
    errors: ["invalid_request"],
  },
  show_invoice: {
    tag: "Invoices",
    summary: "An invoice",
    parameter: idParameter("ivc", "an invoice"),
    reply: s.ref("WholeInvoice"),
    errors: ["invoice_not_found"],
  },
  list_statements: {
    tag: "Invoices",
    summary: "What each month did to the wallet, the newest first",
    reply: whole(s.ref("MonthBalance")),
    errors: ["invalid_request"],
  },
  show_statement: {
    tag: "Invoices",
    summary: "The statement of a month",
    parameter: { description: "A month of UTC.", schema: month },
    query: [
      { name: "format", schema: s.oneOf(["json", "html", "csv"], { default: "json" }) },
      { name: "locale", schema: s.oneOf(statementLocales), description: "By default the user's." },
    ],
    content: { "application/json": s.ref("Statement"), "text/html": s.string, "text/csv": s.string },
    errors: ["invalid_request", "not_found"],
  },
  export_focus: {
    tag: "Invoices",
    summary: "The organization's books in the columns of FOCUS",
    description: "A page ends between two instants, behind some megabytes.",
    query: [
      ...range(true),
      {
        name: "after",
        schema: s.instant,
        description: "The last instant of the page before: its `last_id`. The header `link` has it too.",
      },
      {
        name: "format",
        schema: s.oneOf(["csv", "json"], { default: "csv" }),
        description: "A page of CSV that goes on with another one does not name the columns again.",
      },
      {
        name: "version",
        schema: s.oneOf([...focusVersions], { default: "1.3" }),
        description: "The version of FOCUS. 1.2 has no `ServiceProviderName` and no `HostProviderName`.",
      },
    ],
    content: { "application/json": s.ref("FocusPage"), "text/csv": s.string },
    errors: ["invalid_request"],
  },
} satisfies Readonly<Record<(typeof invoiceRoutes)[number]["operation"], ConsoleDescribed>>;
