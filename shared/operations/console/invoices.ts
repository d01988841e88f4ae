/** Invoices and statements, as the console's routes show them (invoices/README.md). */
import { type ConsoleAnswers, type ConsoleCall, callerOf } from "../../console/call.ts";
import type { invoiceRoutes } from "../../console/routes/invoices.ts";
import { consoleLimits } from "../../console-limits.ts";
import { GatewayError } from "../../errors.ts";
import { type HttpReply, jsonReply } from "../../http/message.ts";
import { readQuery } from "../../http/query.ts";
import { readLimit } from "../api/report-parameters.ts";
import { paidBackOf, showInvoice, showInvoiceWhole } from "../invoices/show.ts";
import { listInvoiceableOrders } from "./invoice-orders.ts";
import { type InvoiceDeps, requestInvoice } from "./invoice-requests.ts";
import { listStatements, type StatementDeps, showStatement } from "./statements.ts";

export interface InvoiceAnswerDeps extends InvoiceDeps, StatementDeps {}

/** The operations of `console/routes/invoices.ts`. */
export function invoiceAnswers(
  deps: InvoiceAnswerDeps,
): ConsoleAnswers<(typeof invoiceRoutes)[number]["operation"]> {
  return {
    request_invoice: (call) => requestInvoice(call, deps),
    list_invoices: (call) => listInvoices(call, deps),
    list_invoiceable_orders: (call) => listInvoiceableOrders(call, deps),
    show_invoice: (call) => showOwnInvoice(call, deps),
    list_statements: (call) => listStatements(call, deps),
    show_statement: (call) => showStatement(call, deps),
  };
}

/** `GET /api/v1/invoices?limit=&after=`: the organization's invoices, the newest first. */
async function listInvoices(
  call: ConsoleCall,
  { invoices }: Pick<InvoiceDeps, "invoices">,
): Promise<HttpReply> {
  const { limit, after } = readQuery<{ limit: number; after: string | undefined }>(call.request.query, {
    limit: readLimit(consoleLimits.invoiceListMax),
    after: (given) => given,
  });
  const found = await invoices.list(callerOf(call).organization.id, { limit, ...(after && { after }) });
  return jsonReply({
    object: "list",
    data: found.invoices.map(showInvoice),
    has_more: found.more,
    last_id: found.invoices.at(-1)?.id ?? null,
  });
}

/** `GET /api/v1/invoices/{id}`. Throws `invoice_not_found`, also for an invoice of another organization. */
async function showOwnInvoice(call: ConsoleCall, deps: InvoiceDeps): Promise<HttpReply> {
  const invoice = await deps.invoices.find(callerOf(call).organization.id, call.parameters.id ?? "");
  if (!invoice) throw new GatewayError("invoice_not_found");
  return jsonReply(showInvoiceWhole(invoice, await paidBackOf(invoice, deps)));
}
