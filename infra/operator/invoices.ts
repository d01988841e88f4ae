/** The operator's commands on invoices, which are made in the tax authority's own system and noted here. */

import {
  type InvoiceAdminDeps,
  type InvoiceLine,
  issueInvoice,
  listInvoices,
  rejectInvoice,
  showInvoiceOf,
  voidInvoice,
} from "#shared/edges/operator/invoices.ts";
import { createInvoices } from "#shared/edges/store/invoices.ts";
import { createOrders } from "#shared/edges/store/orders/orders.ts";
import { invoiceStates } from "#shared/people/invoices/invoice.ts";
import { type CommandCall, type CommandGroup, choice, command, flag, needed } from "./command.ts";
import { listed, listFormat, listLimit } from "./lists.ts";
import { organizationOf, storesOf } from "./stores.ts";

const id = {
  name: "ID",
  what: "the invoice's id, ivc_…",
  missing: "give the id of the invoice; invoice list shows it",
};
/** An id as the examples write it. */
const sample = "ivc_01M83T77JCBBMVDA0MM61SRH7B";

async function depsOf(call: Pick<CommandCall, "place">): Promise<InvoiceAdminDeps> {
  const { connection, now } = await storesOf(call);
  const { aws, tables } = connection;
  return { invoices: createInvoices(aws, tables), orders: createOrders(aws, tables), now };
}

const columns: readonly (keyof InvoiceLine)[] = [
  ...(["id", "organization", "state", "number", "amount", "currency"] as const),
  ...(["net", "tax", "tax_rate", "reverse_charge"] as const),
  ...(["title", "tax_id", "email", "file", "created_at", "issued_at", "ended_at"] as const),
];

const list = command({
  words: "invoice list",
  what: "lists requested invoices, the longest waiting first; or those of an organization or in a state, the newest first",
  more: "A request is in the list a moment after it was made. CSV and --json have more columns: net amount and tax, tax id, email, document, and when it was issued.",
  flags: {
    org: flag("ID", "invoices of this organization, in any state unless --state says one"),
    state: choice(invoiceStates, "only invoices in this state"),
    limit: listLimit,
    format: listFormat,
  },
  examples: {
    "": "what is to be issued or rejected",
    "--state issued --format csv": "all that are issued, for a spreadsheet",
  },
  async run(call) {
    const { org, state, limit, format } = call.flags;
    if (org !== undefined) await organizationOf(await storesOf(call), org);
    const asked = { limit, ...(org && { organization: org }), ...(state && { state }) };
    const value = await listInvoices(asked, await depsOf(call));
    const shown = {
      invoices: value.invoices.map(
        ({ id, organization, state, number, amount, currency, title, created_at }) => ({
          ...{ id, organization, state, number, amount, currency, title, created_at },
        }),
      ),
      more: value.more,
    };
    return listed({ value, shown, columns, rows: value.invoices.map((line) => ({ ...line })) }, format);
  },
});

const show = command({
  words: "invoice show",
  what: "shows an invoice: to whom it is made out, its orders, and what of them was paid back since",
  operands: [id],
  examples: { [sample]: "one invoice" },
  run: async (call) => ({ value: await showInvoiceOf(call.operand, await depsOf(call)) }),
});

const issue = command({
  words: "invoice issue",
  what: "notes that a requested invoice is issued, under the next number of its series",
  more: "Make the document in the tax authority's system first, and send it to the invoice's email. Repeating it with the same file changes nothing. It is refused where orders of the invoice were paid back since it was requested.",
  operands: [id],
  flags: {
    file: needed(flag("TEXT", "where the document is: its number or address, which the customer is shown")),
  },
  examples: { [`${sample} --file 26952000000012345678`]: "it takes the next number" },
  forGood: ({ operand, flags: { file } }) =>
    `${operand} is issued with the document ${file}, and takes a number that no other invoice ever gets. It can only be voided then.`,
  run: async (call) => ({ value: await issueInvoice(call.operand, call.flags.file, await depsOf(call)) }),
});

const reject = command({
  words: "invoice reject",
  what: "rejects a requested invoice; the customer can request its orders again",
  operands: [id],
  flags: { reason: needed(flag("TEXT", "why; the customer is shown it")) },
  examples: { [`${sample} --reason 'the tax id is not of this company'`]: "its orders are free again" },
  forGood: ({ operand, flags: { reason } }) =>
    `${operand} is rejected, and the customer is told: ${reason}. It can never be issued.`,
  run: async (call) => ({ value: await rejectInvoice(call.operand, call.flags.reason, await depsOf(call)) }),
});

const voiding = command({
  words: "invoice void",
  what: "voids an issued invoice, which keeps its number; the customer can request its orders again",
  more: "Make the credit note in the tax authority's system first. A document that was issued for orders paid back since is voided so, and the customer requests the rest.",
  operands: [id],
  flags: { reason: needed(flag("TEXT", "why; the customer is shown it")) },
  examples: { [`${sample} --reason 'credit note 26952000000012345679'`]: "its number stays taken" },
  forGood: ({ operand, flags: { reason } }) =>
    `${operand} is void, and the customer is told: ${reason}. Its number stays in the series.`,
  run: async (call) => ({ value: await voidInvoice(call.operand, call.flags.reason, await depsOf(call)) }),
});

export const invoices: CommandGroup = { title: "Invoices", commands: [list, show, issue, reject, voiding] };
