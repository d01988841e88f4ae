/** The form of an invoice: what is chosen first, what is wrong with it, and what is sent. */
import type { ConsoleBody } from "../shared/edges/openapi/route-types.ts";
import { total } from "./amount.ts";
import type { Invoice, InvoiceableOrder } from "./api-types.ts";

/** So many orders fit on one invoice. The server refuses more. */
export const invoiceOrdersMax = 20;

export const emptyInvoiceForm = {
  kind: "company" as Invoice["title"]["kind"],
  name: "",
  taxId: "",
  email: "",
};
export type InvoiceForm = typeof emptyInvoiceForm;

/** Most want all on one invoice: as many as fit, of the first one's currency. */
export function firstChosen(orders: InvoiceableOrder[]): Set<string> {
  const same = orders.filter(({ currency }) => currency === orders[0]?.currency);
  return new Set(same.slice(0, invoiceOrdersMax).map(({ order }) => order));
}

/** Whether an order can be put on an invoice beside those that are chosen. */
export function mayJoin({ currency }: InvoiceableOrder, chosen: InvoiceableOrder[]): boolean {
  return chosen.length < invoiceOrdersMax && currency === (chosen[0]?.currency ?? currency);
}

/** Only an invoice in China's currency must name a company's tax id. */
export const needsTaxId = (kind: InvoiceForm["kind"], currency: string | undefined) =>
  kind === "company" && currency === "CNY";

/** The fields that cannot be sent as they are. The server checks the tax id whole. */
export function wrongOf(
  { kind, name, taxId, email }: InvoiceForm,
  currency: string | undefined,
): Set<keyof InvoiceForm> {
  return new Set([
    ...(name.trim() ? [] : ["name" as const]),
    ...(taxId.trim() || !needsTaxId(kind, currency) ? [] : ["taxId" as const]),
    ...(/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim()) ? [] : ["email" as const]),
  ]);
}

/** The body of the request. */
export function invoiceBody(
  { kind, name, taxId, email }: InvoiceForm,
  chosen: InvoiceableOrder[],
): ConsoleBody<"request_invoice"> {
  const tax_id = kind === "company" ? taxId.trim() : "";
  return {
    orders: chosen.map(({ order }) => order),
    title: { kind, name: name.trim(), ...(tax_id && { tax_id }) },
    email: email.trim(),
  };
}

/** The sum of what is chosen, which is all in one currency. */
export function sumOf(chosen: InvoiceableOrder[]): string {
  return chosen.map(({ amount }) => amount).reduce((sum, amount) => total(sum, amount));
}
