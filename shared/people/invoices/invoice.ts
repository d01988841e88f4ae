/** An invoice and its states (people/invoices/README.md "An invoice"). Amounts are whole minor units. */
import type { Order, OrderMoney } from "../payments/order.ts";
import { leftOf } from "../payments/states.ts";

export const invoiceStates = ["requested", "issued", "rejected", "voided"] as const;
export type InvoiceState = (typeof invoiceStates)[number];

/** To whom an invoice is made out. */
export interface InvoiceTitle {
  kind: "personal" | "company";
  name: string;
  tax_id?: string;
}

/** The tax of an invoice, as it was when the invoice was requested. Net and tax add up to what was paid. */
export interface InvoiceTax {
  name: string;
  /** Per cent; "0" where the customer owes the tax. */
  rate: string;
  net: number;
  tax: number;
  reverse_charge: boolean;
}

export interface Invoice {
  id: string;
  organization: string;
  /** Who requested it. */
  user: string;
  state: InvoiceState;
  orders: string[];
  /** In minor units of the currency: what was paid for the orders less what was paid back. */
  amount: number;
  /** ISO 4217. */
  currency: string;
  title: InvoiceTitle;
  /** The tax in the amount. Absent: the stage had no rule for the currency, or the invoice is older than such rules. */
  tax?: InvoiceTax;
  /** Where the document goes. */
  email: string;
  /** Unix milliseconds, like all instants here. */
  created_at: number;
  /** Once it is issued: its number, and where the document is. A voided invoice keeps both. */
  number?: string;
  file?: string;
  issued_at?: number;
  /** Why it was rejected or voided, and when. */
  reason?: string;
  ended_at?: number;
}

/** What an invoice says from its request on, and never otherwise. */
export function requestedFacts(invoice: Invoice): Partial<Invoice> {
  const { id, organization, user, orders, amount, currency, title, tax, email, created_at } = invoice;
  return {
    ...{ id, organization, user, orders, amount, currency, title, email, created_at },
    ...(tax && { tax }),
  };
}

/** What its issue has added, for good. */
export function issuedFacts({ number, file, issued_at }: Invoice): Partial<Invoice> {
  return { number, file, issued_at } as Partial<Invoice>;
}

/** What an order can be invoiced for, in minor units. Points that pay a plan are on the invoice of their purchase. */
export function invoiceable(order: OrderMoney & Pick<Order, "channel" | "state">): number {
  if (order.channel === "points") return 0;
  return order.state === "credited" || order.state === "partly_refunded" ? leftOf(order) : 0;
}

/** How much of an invoice's orders was paid back since it was requested, in minor units. */
export function paidBack({ amount }: Pick<Invoice, "amount">, orders: readonly OrderMoney[]): number {
  return amount - orders.reduce((sum, order) => sum + leftOf(order), 0);
}
