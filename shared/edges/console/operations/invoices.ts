/** Invoices and statements, as the console's routes show them (people/invoices/README.md). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { invoiceColumns } from "../../../people/invoices/columns.ts";
import { paidBackOf, showInvoice, showInvoiceWhole } from "../../../people/invoices/show.ts";
import { listReply, readListPart } from "../../api/list-reply.ts";
import type { AnswersTo } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import type { invoiceRoutes } from "../routes/invoices.ts";
import { exportFocus, type FocusDeps } from "./focus.ts";
import { listInvoiceableOrders } from "./invoice-orders.ts";
import { type InvoiceDeps, requestInvoice } from "./invoice-requests.ts";
import { listStatements, type StatementDeps, showStatement } from "./statements.ts";

export interface InvoiceAnswerDeps extends InvoiceDeps, Omit<StatementDeps, "catalog" | "ledger"> {
  ledger: StatementDeps["ledger"] & FocusDeps["ledger"];
  catalog: StatementDeps["catalog"] & FocusDeps["catalog"];
}

/** The operations of `edges/console/routes/invoices.ts`. */
export function invoiceAnswers(deps: InvoiceAnswerDeps): AnswersTo<typeof invoiceRoutes> {
  return {
    request_invoice: (call) => requestInvoice(call, deps),
    list_invoices: (call) => listInvoices(call, deps),
    list_invoiceable_orders: (call) => listInvoiceableOrders(call, deps),
    show_invoice: (call) => showOwnInvoice(call, deps),
    list_statements: (call) => listStatements(call, deps),
    show_statement: (call) => showStatement(call, deps),
    export_focus: (call) => exportFocus(call, consoleLimits.focusBytesMax, deps),
  };
}

/** `GET /api/v1/invoices?from=&to=&limit=&after=&format=`: the organization's invoices, the newest first. */
async function listInvoices(call: ConsoleCall, { invoices }: Pick<InvoiceDeps, "invoices">) {
  const { query } = call.request;
  const part = readListPart(query, { json: consoleLimits.invoiceListMax, csv: consoleLimits.csvListMax });
  const { invoices: rows, more } = await invoices.list(callerOf(call).organization.id, part);
  const page = { rows, more, last: rows.at(-1)?.id ?? null };
  return listReply(query, page, { name: "invoices", show: showInvoice, columns: invoiceColumns });
}

/** `GET /api/v1/invoices/{id}`. Throws `invoice_not_found`, also for an invoice of another organization. */
async function showOwnInvoice(call: ConsoleCall, deps: InvoiceDeps) {
  const invoice = await deps.invoices.find(callerOf(call).organization.id, call.parameters.id ?? "");
  if (!invoice) throw new GatewayError("invoice_not_found");
  return jsonReply(showInvoiceWhole(invoice, await paidBackOf(invoice, deps)));
}
