/** Invoices on DynamoDB. Each change is one transaction with what follows from it. */
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { consoleLimits } from "../../base/console-limits.ts";
import { invalidRequest } from "../../base/errors.ts";
import type { Aws } from "../../base/platform/aws.ts";
import { isId } from "../../base/platform/id.ts";
import { pause } from "../../base/platform/pause.ts";
import { type Invoice, issuedFacts, requestedFacts } from "../../people/invoices/invoice.ts";
import type { InvoiceEnd, Invoices, Issue, Requested } from "../../people/invoices/invoices.ts";
import { numberIn, seriesAt } from "../../people/invoices/numbers.ts";
import type { Order } from "../../people/payments/order.ts";
import {
  accountPrefixes,
  accountSorts,
  dueKinds,
  invoicedKey,
  invoiceKey,
  invoicePlaceKey,
  invoiceRange,
  orderKey,
  organizationAccountKey,
  seriesKey,
} from "./dynamodb/account-keys.ts";
import { type Item, readBigint, readText, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { dueItems, dueText } from "./dynamodb/due.ts";
import { absent, begins, type Condition, equals } from "./dynamodb/expressions.ts";
import { hashOf } from "./dynamodb/item-hash.ts";
import { readRecord, type TableNames } from "./dynamodb/item-keys.ts";
import { eachWhere, getItem, getItems, lastBetween } from "./dynamodb/items.ts";
import { put, transact, unlessContended, update } from "./dynamodb/transaction.ts";
import { auditWrite } from "./identity/audit.ts";

type InvoiceTables = Pick<TableNames, "accounts">;

/** The invoices of a table of accounts. */
export function createInvoices(aws: Aws, tables: InvoiceTables): Invoices {
  const table = tables.accounts;
  const find = async (organization: string, id: string): Promise<Invoice | undefined> => {
    // What is no id of an invoice, as anybody may give it, need not be looked for.
    const item = isId(id, "invoice") ? await getItem(aws, table, invoiceKey(organization, id)) : undefined;
    return item && readInvoice(item);
  };

  return {
    find,

    request: (invoice, orders, entry) =>
      requestInvoice(aws, table, { invoice, orders, written: auditWrite(tables, entry) }),

    async locate(id) {
      const place = isId(id, "invoice") ? await getItem(aws, table, invoicePlaceKey(id)) : undefined;
      return place && (await find(readText(place.organization), id));
    },

    async list(organization, { limit, ...part }) {
      const { after } = part;
      if (after !== undefined && !isId(after, "invoice"))
        throw invalidRequest("`after` must be the id of an invoice.");
      // Both ends of a range belong to it, so the invoice before the page is asked for too, and left out.
      const range = invoiceRange(part);
      const partition = readText(organizationAccountKey(organization).pk);
      const items = await lastBetween(aws, table, partition, range, limit + 2);
      const found = items.map(readInvoice).filter(({ id }) => id !== after);
      return { invoices: found.slice(0, limit), more: found.length > limit };
    },

    async waiting(limit) {
      const due = await dueItems(aws, table, { kind: dueKinds.invoice, limit });
      const keys = due.flatMap(({ pk, sk }) => (pk && sk ? [{ pk, sk }] : []));
      const items = await Promise.all(keys.map((key) => getItem(aws, table, key)));
      const invoices = items.flatMap((item) => (item ? [readInvoice(item)] : []));
      return invoices.filter(({ state }) => state === "requested");
    },

    async *every() {
      const when = [begins("pk", accountPrefixes.organization), begins("sk", accountSorts.invoice)];
      for await (const item of eachWhere(aws, table, when)) yield readInvoice(item);
    },

    async claims(orders) {
      const items = await getItems(
        aws,
        orders.map((order) => ({ table, key: invoicedKey(order) })),
      );
      const claimed = orders.map((order, at): [string, string] => [order, claimantOf(items[at])]);
      return new Map(claimed.filter(([, invoice]) => invoice !== ""));
    },

    issue: (invoice, issue) => issueInvoice(aws, tables, invoice, issue),

    reject: (invoice, end) => endInvoice(aws, tables, invoice, { ...end, from: "requested", to: "rejected" }),

    void: (invoice, end) => endInvoice(aws, tables, invoice, { ...end, from: "issued", to: "voided" }),
  };
}

/** Reads an invoice without the attributes of the index. */
function readInvoice(item: Item): Invoice {
  const { due_kind: _kind, due_at: _at, ...record } = item;
  return readRecord<Invoice>(record);
}

/** The invoice that a claim names; "" where there is none. */
function claimantOf(claim: Item | undefined): string {
  return claim?.invoice ? readText(claim.invoice) : "";
}

/** The condition that an order is still as it was read: a write that changes nothing. */
function unchanged(table: string, { id, state, refunded }: Order): TransactWriteItem {
  const same: Condition =
    refunded === undefined ? absent("refunded") : equals("refunded", toAttribute(refunded));
  const when = [equals("state", toAttribute(state)), same];
  return update({ table, key: orderKey(id), set: toItem({ state }), when });
}

async function requestInvoice(
  aws: Aws,
  table: string,
  { invoice, orders, written }: { invoice: Invoice; orders: readonly Order[]; written: TransactWriteItem },
): Promise<Requested> {
  const { id, organization, created_at } = invoice;
  const due = { due_kind: { S: dueKinds.invoice }, due_at: { S: dueText(created_at) } };
  const claims = orders.map((order) =>
    update({
      table,
      key: invoicedKey(order.id),
      set: toItem({ invoice: id, organization }),
      when: [absent("invoice")],
    }),
  );
  const outcomes = await unlessContended(aws, [
    ...claims,
    ...orders.map((order) => unchanged(table, order)),
    put(table, { ...invoiceKey(organization, id), ...toItem(invoice), ...due }, [absent("pk")]),
    put(table, { ...invoicePlaceKey(id), ...toItem({ organization, h: hashOf(requestedFacts(invoice)) }) }, [
      absent("pk"),
    ]),
    written,
  ]);
  if (!outcomes) return { outcome: "requested" };
  if (outcomes === "contended") return { outcome: "changed" };
  const at = outcomes.slice(0, orders.length).findIndex(({ failed }) => failed);
  const order = orders[at];
  if (order) return { outcome: "claimed", order: order.id, invoice: claimantOf(outcomes[at]?.item) };
  if (outcomes.slice(0, 2 * orders.length).some(({ failed }) => failed)) return { outcome: "changed" };
  throw new Error(`the invoice ${id} is there already`);
}

/** Issues an invoice. Another one may take the number in between; then it takes the next. */
async function issueInvoice(
  aws: Aws,
  tables: InvoiceTables,
  invoice: Invoice,
  { orders, file, at, entryOf }: Issue,
): Promise<Invoice | "changed" | undefined> {
  const table = tables.accounts;
  const series = seriesAt(at);
  const key = invoiceKey(invoice.organization, invoice.id);
  for (let round = 1; round <= consoleLimits.issueRoundsMax; round++) {
    const last = Number(readBigint((await getItem(aws, table, seriesKey(series)))?.last));
    const number = numberIn(series, last + 1);
    const facts = { state: "issued" as const, number, file, issued_at: at };
    const issued: Invoice = { ...invoice, ...facts };
    const outcomes = await unlessContended(aws, [
      update({
        table,
        key: seriesKey(series),
        set: toItem({ last: last + 1 }),
        when: [last === 0 ? absent("last") : equals("last", toAttribute(last))],
      }),
      update({ table, key, set: toItem(facts), remove: dueNames, when: [inState("requested")] }),
      auditWrite(tables, entryOf(issued)),
      update({ table, key: invoicePlaceKey(invoice.id), set: toItem({ i: hashOf(issuedFacts(issued)) }) }),
      ...orders.map((order) => unchanged(table, order)),
    ]);
    if (!outcomes) return issued;
    if (outcomes !== "contended") {
      const [, moved, , , ...changed] = outcomes;
      if (moved?.failed) return undefined;
      if (changed.some(({ failed }) => failed)) return "changed";
    }
    await pause(Math.random() * 20 * Math.min(round, 10));
  }
  throw new Error(`the series ${series} is too busy to issue ${invoice.id}`);
}

async function endInvoice(
  aws: Aws,
  tables: InvoiceTables,
  invoice: Invoice,
  { reason, at, entry, from, to }: InvoiceEnd & { from: Invoice["state"]; to: Invoice["state"] },
): Promise<Invoice | undefined> {
  const table = tables.accounts;
  const { id, organization, orders } = invoice;
  const facts = { state: to, reason, ended_at: at };
  const claims = orders.map((order) =>
    update({
      table,
      key: invoicedKey(order),
      rename: { from: "invoice", to: "last_invoice" },
      when: [equals("invoice", toAttribute(id))],
    }),
  );
  const outcomes = await transact(aws, [
    update({
      table,
      key: invoiceKey(organization, id),
      set: toItem(facts),
      remove: dueNames,
      when: [inState(from)],
    }),
    ...claims,
    auditWrite(tables, entry),
  ]);
  if (!outcomes) return { ...invoice, ...facts };
  if (outcomes[0]?.failed) return undefined;
  throw new Error(`the invoice ${id} does not have the claims of its orders`);
}

const dueNames = ["due_kind", "due_at"];

function inState(state: Invoice["state"]): Condition {
  return equals("state", toAttribute(state));
}
