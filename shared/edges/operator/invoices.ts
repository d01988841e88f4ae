/** What operators do with invoices: look at them, issue, reject and void (people/invoices/README.md "An invoice"). */

import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError, invalidRequest, invalidState } from "../../base/errors.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { formatMoney } from "../../books/billing/money.ts";
import { type By, byCommand, lineBy } from "../../people/admin/by.ts";
import type { AuditEntry, AuditedChange } from "../../people/identity/audit.ts";
import { type Invoice, type InvoiceState, invoiceable, paidBack } from "../../people/invoices/invoice.ts";
import type { Invoices } from "../../people/invoices/invoices.ts";
import { ordersOf, paidBackOf, showInvoiceWhole } from "../../people/invoices/show.ts";
import type { Order } from "../../people/payments/order.ts";
import type { Orders } from "../../people/payments/orders.ts";

export interface InvoiceAdminDeps {
  /** Who acts; absent, a command. */
  by?: By;
  invoices: Invoices;
  orders: Pick<Orders, "find">;
  now: () => number;
}

/** An invoice on one line. The amount is in its currency. */
export interface InvoiceLine {
  id: string;
  organization: string;
  state: InvoiceState;
  /** Null until it is issued. */
  number: string | null;
  amount: string;
  currency: string;
  /** The tax in the amount; null where the invoice has none. `tax_rate` is in per cent. */
  net: string | null;
  tax: string | null;
  tax_rate: string | null;
  reverse_charge: string | null;
  title: string;
  tax_id: string | null;
  email: string;
  file: string | null;
  created_at: string;
  issued_at: string | null;
  ended_at: string | null;
}

/** Which invoices are listed. With neither an organization nor a state: those that wait to be issued. */
interface InvoiceChoice {
  organization?: string;
  state?: InvoiceState;
  /** The id of the invoice before the page, of an organization. */
  after?: string;
  limit: number;
}

/**
 * Those that wait, the longest first; or of an organization or state, the newest first. A state reads the whole table.
 */
export async function listInvoices(
  { organization, state, limit, after }: InvoiceChoice,
  { invoices }: Pick<InvoiceAdminDeps, "invoices">,
): Promise<{ invoices: InvoiceLine[]; more: boolean }> {
  if (organization === undefined && state === undefined) {
    const waiting = await invoices.waiting(limit + 1);
    return { invoices: waiting.slice(0, limit).map(lineOf), more: waiting.length > limit };
  }
  const found: Invoice[] = [];
  const each = organization === undefined ? invoices.every() : everyOf(organization, invoices, after);
  for await (const invoice of each) {
    if (state === undefined || invoice.state === state) found.push(invoice);
    // Those of one organization come in this order already.
    if (organization !== undefined && found.length > limit) break;
  }
  found.sort((a, b) => (a.id < b.id ? 1 : -1));
  return { invoices: found.slice(0, limit).map(lineOf), more: found.length > limit };
}

async function* everyOf(
  organization: string,
  invoices: Pick<Invoices, "list">,
  after: string | undefined,
): AsyncGenerator<Invoice> {
  const limit = consoleLimits.invoiceListMax;
  let page = await invoices.list(organization, { limit, ...(after && { after }) });
  yield* page.invoices;
  for (let last = page.invoices.at(-1); page.more && last; last = page.invoices.at(-1)) {
    page = await invoices.list(organization, { limit, after: last.id });
    yield* page.invoices;
  }
}

function lineOf(invoice: Invoice): InvoiceLine {
  const { id, organization, state, number, amount, currency, title, email, file, tax } = invoice;
  const moment = (at: number | undefined) => (at === undefined ? null : rfc3339(at));
  return {
    ...{ id, organization, state, number: number ?? null, amount: formatMoney(amount, currency), currency },
    net: tax ? formatMoney(tax.net, currency) : null,
    tax: tax ? formatMoney(tax.tax, currency) : null,
    tax_rate: tax?.rate ?? null,
    reverse_charge: tax ? String(tax.reverse_charge) : null,
    ...{ title: title.name, tax_id: title.tax_id ?? null, email, file: file ?? null },
    created_at: rfc3339(invoice.created_at),
    issued_at: moment(invoice.issued_at),
    ended_at: moment(invoice.ended_at),
  };
}

/** An invoice with its organization, who requested it, and what was paid back since. Throws `invoice_not_found`. */
export async function showInvoiceOf(id: string, deps: InvoiceAdminDeps): Promise<object> {
  return await shown(await invoiceOf(id, deps), deps);
}

/**
 * Issues an invoice under the next number of its series. The same `file` again changes nothing. Throws
 * `invoice_not_found`, and `invalid_state` where it is not requested or its amount has changed.
 */
export async function issueInvoice(id: string, file: string, deps: InvoiceAdminDeps): Promise<object> {
  const { invoice, reference, orders } = await issuable(id, file, deps);
  if (!orders) return await shown(invoice, deps);
  const at = deps.now();
  const entryOf = (issued: Invoice) =>
    entry(issued, { kind: "invoice_issued", after: { number: issued.number ?? "" } }, at, deps);
  const issued = await deps.invoices.issue(invoice, { orders, file: reference, at, entryOf });
  if (issued === "changed")
    throw invalidState("One of its orders was just changed. Look at it again with invoice show.");
  const now = issued ?? (await invoiceOf(id, deps));
  if (!issued && !isIssuedAs(now, reference))
    throw invalidState(`Somebody else has changed the invoice meanwhile: it is ${now.state}.`);
  return await shown(now, deps);
}

/** An invoice that can be issued, with its orders; without them it is issued with this file already. Throws as above. */
async function issuable(id: string, file: string, deps: InvoiceAdminDeps) {
  const reference = readNote(file, "The reference of the document");
  const invoice = await invoiceOf(id, deps);
  if (isIssuedAs(invoice, reference)) return { invoice, reference };
  if (invoice.state !== "requested")
    throw invalidState(`The invoice is ${invoice.state}, and not requested.`);
  const orders = await ordersOf(invoice, deps);
  checkAmount(invoice, orders);
  return { invoice, reference, orders };
}

/** What issuing an invoice would do. Throws as it would. */
export async function foreseeIssue(
  id: string,
  file: string,
  deps: InvoiceAdminDeps,
): Promise<"issue" | "nothing"> {
  return (await issuable(id, file, deps)).orders ? "issue" : "nothing";
}

/** What rejecting an invoice would do. Throws as it would. */
export async function foreseeRejection(
  id: string,
  given: string,
  deps: InvoiceAdminDeps,
): Promise<"reject" | "nothing"> {
  const { isDone } = await endable(id, given, { from: "requested", to: "rejected" }, deps);
  return isDone ? "nothing" : "reject";
}

/** Rejects a requested invoice, with a reason that its customer is shown. Its orders can then be invoiced again. */
export async function rejectInvoice(id: string, reason: string, deps: InvoiceAdminDeps): Promise<object> {
  return await endInvoice(id, reason, { from: "requested", to: "rejected", act: deps.invoices.reject }, deps);
}

/** Voids an issued invoice. It keeps its number in the series, and its orders can be invoiced again. */
export async function voidInvoice(id: string, reason: string, deps: InvoiceAdminDeps): Promise<object> {
  return await endInvoice(id, reason, { from: "issued", to: "voided", act: deps.invoices.void }, deps);
}

interface InvoiceEnding {
  from: "requested" | "issued";
  to: "rejected" | "voided";
  act: Invoices["reject"];
}

/** The same reason again changes nothing. Throws `invoice_not_found`, and `invalid_state` from any other state. */
async function endInvoice(
  id: string,
  given: string,
  { from, to, act }: InvoiceEnding,
  deps: InvoiceAdminDeps,
): Promise<object> {
  const { invoice, reason, isDone } = await endable(id, given, { from, to }, deps);
  if (isDone) return await shown(invoice, deps);
  const at = deps.now();
  const line = entry(invoice, { kind: `invoice_${to}`, after: { reason } }, at, deps);
  const ended = await act(invoice, { reason, at, entry: line });
  const now = ended ?? (await invoiceOf(id, deps));
  if (!ended && !isEndedAs(now, to, reason))
    throw invalidState(`Somebody else has changed the invoice meanwhile: it is ${now.state}.`);
  return await shown(now, deps);
}

/** An invoice that can be ended, or was for this reason. */
async function endable(
  id: string,
  given: string,
  { from, to }: Pick<InvoiceEnding, "from" | "to">,
  deps: InvoiceAdminDeps,
) {
  const reason = readNote(given, "The reason");
  const invoice = await invoiceOf(id, deps);
  const isDone = isEndedAs(invoice, to, reason);
  if (!isDone && invoice.state !== from)
    throw invalidState(`The invoice is ${invoice.state}, and not ${from}.`);
  return { invoice, reason, isDone };
}

const isEndedAs = ({ state, reason }: Invoice, to: InvoiceState, told: string) =>
  state === to && reason === told;

/** The line of the organization's audit log about what the operator did. */
function entry(
  { id, organization }: Invoice,
  change: Omit<AuditedChange, "subject">,
  at: number,
  { by = byCommand }: InvoiceAdminDeps,
): AuditEntry {
  return lineBy(by, organization, { ...change, subject: id }, at);
}

/** Throws where the orders have no longer left what the invoice is for, or a refund of one of them runs. */
function checkAmount(invoice: Invoice, orders: readonly Order[]): void {
  const { currency } = invoice;
  const running = orders.find((order) => order.state === "refunding");
  if (running)
    throw invalidState(
      `A refund of its order ${running.id} is running. Wait until order show tells its end.`,
    );
  const back = paidBack(invoice, orders);
  if (back === 0 && orders.every((order) => invoiceable(order) > 0)) return;
  throw invalidState(
    `${formatMoney(back, currency)} ${currency} of its orders were paid back since it was requested. Reject it; the customer can request an invoice for the rest.`,
  );
}

const isIssuedAs = ({ state, file }: Invoice, reference: string) => state === "issued" && file === reference;

/** A text of the operator that the customer is shown. Throws `invalid_request`. */
function readNote(given: string, what: string): string {
  const text = given.trim();
  const most = consoleLimits.invoiceNoteCharsMax;
  if (text !== "" && text.length <= most && text.isWellFormed() && !/\p{Cc}/u.test(text)) return text;
  throw invalidRequest(`${what} must have 1 to ${most} visible characters.`);
}

async function invoiceOf(id: string, { invoices }: Pick<InvoiceAdminDeps, "invoices">): Promise<Invoice> {
  const invoice = await invoices.locate(id);
  if (!invoice) throw new GatewayError("invoice_not_found");
  return invoice;
}

async function shown(invoice: Invoice, deps: InvoiceAdminDeps): Promise<object> {
  const { organization, user } = invoice;
  return { ...showInvoiceWhole(invoice, await paidBackOf(invoice, deps)), organization, user };
}
