/** The store of invoices. Every change names what must still be so, and says whether it was. */
import type { AuditEntry } from "../identity/audit.ts";
import type { Order } from "../payments/order.ts";
import type { ListPart } from "../payments/orders.ts";
import type { Invoice } from "./invoice.ts";

/** What became of a request. `changed`: an order is no longer as it was read. */
export type Requested =
  | { outcome: "requested" }
  | { outcome: "changed" }
  | { outcome: "claimed"; order: string; invoice: string };

export interface Issue {
  /** The orders as they were read. None may have changed. */
  orders: readonly Order[];
  file: string;
  /** Unix milliseconds. Their year is that of the series. */
  at: number;
  /** The audit log's line about the invoice as it is then. */
  entryOf: (issued: Invoice) => AuditEntry;
}

/** Why an invoice ends, when, and the audit log's line about it. */
export interface InvoiceEnd {
  reason: string;
  at: number;
  entry: AuditEntry;
}

export interface Invoices {
  /** Puts an invoice and claims its orders, which are given as they were read. */
  request(invoice: Invoice, orders: readonly Order[], entry: AuditEntry): Promise<Requested>;
  find(organization: string, id: string): Promise<Invoice | undefined>;
  /** The same by its id alone, for the operator. */
  locate(id: string): Promise<Invoice | undefined>;
  list(organization: string, part: ListPart): Promise<{ invoices: Invoice[]; more: boolean }>;
  /** Requested invoices of all organizations, the longest waiting first. The newest may be missing for a moment. */
  waiting(limit: number): Promise<Invoice[]>;
  /** Every invoice of all organizations. It reads the whole table. */
  every(): AsyncIterable<Invoice>;
  /** The invoice that each of these orders is on, by the order's id. At most a hundred orders. */
  claims(orders: readonly string[]): Promise<Map<string, string>>;
  /** Issues under the next number. `changed`: an order is another by now. Undefined: it is no longer requested. */
  issue(invoice: Invoice, issue: Issue): Promise<Invoice | "changed" | undefined>;
  /** Rejects a requested invoice, and ends its claims. Undefined where it is no longer requested. */
  reject(invoice: Invoice, end: InvoiceEnd): Promise<Invoice | undefined>;
  /** Voids an issued invoice, and ends its claims. Undefined where it is no longer issued. */
  void(invoice: Invoice, end: InvoiceEnd): Promise<Invoice | undefined>;
}
