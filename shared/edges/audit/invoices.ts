/** The audit of invoices: each is of its orders, which name it, and the numbers of a series have no hole. */

import { timeOf } from "../../base/platform/id.ts";
import type { AuditEntry } from "../../people/identity/audit.ts";
import { type Invoice, invoiceStates, issuedFacts, requestedFacts } from "../../people/invoices/invoice.ts";
import { numberIn, type SkippedNumbers, seriesAt } from "../../people/invoices/numbers.ts";
import type { Order, Refund } from "../../people/payments/order.ts";
import { keptOf } from "../../people/payments/states.ts";
import { differences, finding, found, isHashOf, type KeptBooks, type Sorted, told } from "./kept.ts";
import { ordersIn } from "./order-states.ts";
import type { Finding } from "./rollups.ts";
import { wellShaped } from "./shapes.ts";

/** The kinds of items that invoices are kept in, as `ties/accounts.ts` names them. */
export const invoiceKinds = [
  "invoice",
  "place of an invoice",
  "claim of an order by an invoice",
  "last number of a series",
] as const;

/** Each invoice amounts to what was paid for its orders, claims them while it stands, and has its number. */
export function invoicesMatchOrders({
  items,
  hashes,
}: {
  items: Sorted;
  hashes: Pick<KeptBooks, "hashOf">;
}): Finding {
  const invoices = wellShaped(items, "invoice").map(({ fields }) => fields as unknown as Invoice);
  const { orders, refunds } = ordersIn(items);
  const books = {
    orders: new Map(orders.map((order) => [order.id, order])),
    refunds: Map.groupBy(refunds, ({ order }) => order),
    claims: claimsIn(items),
  };
  const gaps = [
    ...items.of("invoice").flatMap(({ pk, sk, fields = {} }) => {
      const must = { organization: pk.slice("O#".length), id: sk.slice("I#".length) };
      return found(`${pk} ${sk}`, () => differences(fields, must));
    }),
    ...invoices.flatMap((invoice) =>
      found(invoice.id, () => [...wrongFacts(invoice), ...wrongOrders(invoice, books)]),
    ),
    ...otherLines(items, invoices),
    ...strayClaims(items, invoices),
    ...wrongPlaces(items, invoices, hashes),
    ...wrongNumbers(items, invoices),
  ];
  return finding(gaps, `${invoices.length} invoices: each of its orders, with its number`);
}

interface Books {
  orders: ReadonlyMap<string, Order>;
  refunds: ReadonlyMap<string, Refund[]>;
  /** The invoice that each order is on, or `none`, by the order. */
  claims: ReadonlyMap<string, string>;
}

function claimsIn(items: Sorted): Map<string, string> {
  const claims = items.of("claim of an order by an invoice");
  return new Map(
    claims.map(({ pk, fields }) => [
      pk.slice("R#".length),
      fields?.invoice === undefined ? "none" : String(fields.invoice),
    ]),
  );
}

function stands({ state }: Invoice): boolean {
  return state === "requested" || state === "issued";
}

function wrongFacts(invoice: Invoice): string[] {
  const { id, state, number, file, issued_at, ended_at, reason, created_at } = invoice;
  const isNumbered = state === "issued" || state === "voided";
  const isEnded = state === "rejected" || state === "voided";
  const has = (value: unknown) => value !== undefined && value !== "";
  return [
    ...differences(invoice, { created_at: timeOf(id) }),
    ...(invoiceStates.includes(state) ? [] : [`has the state ${String(state)}`]),
    ...([number, file, issued_at].every((value) => has(value) === isNumbered)
      ? []
      : [`is ${state}, with the number ${number ?? "none"}, the file and its issued_at`]),
    ...([reason, ended_at].every((value) => has(value) === isEnded)
      ? []
      : [`is ${state}, with the ended_at ${ended_at ?? "none"} and its reason`]),
    ...(issued_at !== undefined && issued_at < created_at ? [`has the issued_at ${issued_at}`] : []),
    ...(ended_at !== undefined && ended_at < (issued_at ?? created_at)
      ? [`has the ended_at ${ended_at}`]
      : []),
  ];
}

function wrongOrders(invoice: Invoice, { orders, refunds, claims }: Books): string[] {
  const { id, organization, amount, currency, created_at } = invoice;
  let [most, least] = [0, 0];
  const gaps: string[] = [];
  for (const named of invoice.orders) {
    const order = orders.get(named);
    if (!order?.paid) {
      gaps.push(`is of ${named}, which is not there or not paid`);
      continue;
    }
    const done = (refunds.get(named) ?? []).filter(({ state }) => state === "done");
    const before = done.filter(({ ended_at = 0 }) => ended_at <= created_at);
    const left = keptOf(order.paid) - before.reduce((sum, refund) => sum + refund.amount, 0);
    most += left;
    // Nothing says when the platform paid something back without us.
    least += left - (order.returned ?? 0);
    gaps.push(
      ...differences(
        { organization, currency },
        { organization: order.organization, currency: order.currency },
      ),
    );
    const claim = claims.get(named);
    if (claim === undefined) gaps.push(`has the orders ${named}, whose claim is not there`);
    else if (stands(invoice) ? claim !== id : claim === id)
      gaps.push(`is ${invoice.state}, and ${named} is on the invoice ${claim}`);
  }
  if (invoice.orders.length === 0) gaps.push("has no orders");
  const isRight =
    amount <= most && amount >= least && (amount === most || amount === least || most !== least);
  return isRight ? gaps : [...gaps, `has the amount ${amount}, and its orders ${most}`];
}

/** The lines of the audit log say when an invoice was issued and ended, with its number and the reason. */
function otherLines(items: Sorted, invoices: readonly Invoice[]): string[] {
  const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  return items.of("audit log").flatMap(({ fields }) => {
    const { kind, subject, at, after } = fields as unknown as AuditEntry;
    const invoice = byId.get(subject);
    if (!invoice) return [];
    if (kind === "invoice_issued")
      return found(invoice.id, () => differences(invoice, { issued_at: at, number: after?.number }));
    const isEnd = kind === "invoice_rejected" || kind === "invoice_voided";
    return isEnd
      ? found(invoice.id, () => differences(invoice, { ended_at: at, reason: after?.reason }))
      : [];
  });
}

/** A claim names an invoice that stands and has the order. */
function strayClaims(items: Sorted, invoices: readonly Invoice[]): string[] {
  const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  return items.of("claim of an order by an invoice").flatMap(({ pk, fields = {} }) => {
    const order = pk.slice("R#".length);
    const name = `${order}: the claim`;
    const field = fields.invoice === undefined ? "last_invoice" : "invoice";
    const id = fields[field];
    const invoice = byId.get(String(id));
    if (!invoice) return [`${name} has the ${field} ${String(id ?? "none")}, which is not there`];
    const isOf = invoice.orders.includes(order);
    const wrong = differences(fields, { organization: invoice.organization }).map(
      (each) => `${name} ${each}`,
    );
    if (fields.invoice && !stands(invoice))
      wrong.push(`${name} names ${invoice.id}, which is ${invoice.state}`);
    return isOf ? wrong : [...wrong, `${name} names ${invoice.id}, which does not have the order`];
  });
}

/** The place of an invoice leads to it, and has the hashes of what was requested and what was issued. */
function wrongPlaces(
  items: Sorted,
  invoices: readonly Invoice[],
  hashes: Pick<KeptBooks, "hashOf">,
): string[] {
  const places = new Map(
    items.of("place of an invoice").map(({ pk, fields }) => [pk.slice("I#".length), fields ?? {}]),
  );
  const known = new Set(invoices.map(({ id }) => id));
  return [
    ...invoices.flatMap((invoice) => {
      const { organization, h, i } = places.get(invoice.id) ?? {};
      const must = differences({ organization }, { organization: invoice.organization });
      return [
        ...must.map((each) => `${invoice.id}: its place ${each}`),
        ...(isHashOf(h, requestedFacts(invoice), hashes)
          ? []
          : [`${invoice.id} is not what was requested: the h of its place differs`]),
        ...(isHashOf(i, issuedFacts(invoice), hashes)
          ? []
          : [`${invoice.id} is not what was issued: the i of its place differs`]),
      ];
    }),
    ...[...places.keys()]
      .filter((id) => !known.has(id))
      .map((id) => `${id}: the invoice of this place is not there`),
  ];
}

/** The numbers of a series are those of its invoices: each once, from 1 to the last. No invoice has one that was skipped. */
function wrongNumbers(items: Sorted, invoices: readonly Invoice[]): string[] {
  const numbered = invoices.filter(({ number }) => number !== undefined);
  const bySeries = Map.groupBy(numbered, ({ issued_at = 0 }) => seriesAt(issued_at));
  const kept = new Map(
    wellShaped(items, "last number of a series").map(({ pk, fields = {} }) => [
      pk.slice("I#".length),
      // A series that no restore has raised skips nothing.
      { last: Number(fields.last ?? 0), skipped: (fields.skipped ?? []) as SkippedNumbers[] },
    ]),
  );
  return [...new Set([...bySeries.keys(), ...kept.keys()])].flatMap((series) => {
    const own = Map.groupBy(bySeries.get(series) ?? [], ({ number }) => number ?? "");
    const { last, skipped } = kept.get(series) ?? { last: 0, skipped: [] };
    const wanted = new Map(Array.from({ length: last }, (_, at) => [numberIn(series, at + 1), 1]));
    for (const { from, to } of skipped)
      for (let count = from; count <= to; count++) {
        const number = numberIn(series, count);
        wanted.set(number, (wanted.get(number) ?? 0) - 1);
      }
    return [
      ...[...wanted].flatMap(([number, must]) => {
        const count = own.get(number)?.length ?? 0;
        const why = must === 1 ? "" : ", and is in the skipped";
        return count === must
          ? []
          : [
              `${number} is the number of ${count} invoices, with the last ${last} and the skipped ${told(skipped)} of ${series}${why}`,
            ];
      }),
      ...[...own].flatMap(([number, [invoice]]) =>
        wanted.has(number)
          ? []
          : [`${invoice?.id} has the number ${number}, and the last of ${series} is ${last}`],
      ),
    ];
  });
}
