import type { ConsoleRoute } from "../route.ts";

/** Statements and invoices (people/invoices/README.md), and the export of the books (books/reports/focus.md). */
export const invoiceRoutes = [
  { method: "POST", path: "/api/v1/invoices", operation: "request_invoice", access: "manage_billing" },
  { method: "GET", path: "/api/v1/invoices", operation: "list_invoices", access: "see_billing" },
  {
    method: "GET",
    path: "/api/v1/invoices/orders",
    operation: "list_invoiceable_orders",
    access: "see_billing",
  },
  { method: "GET", path: "/api/v1/invoices/{id}", operation: "show_invoice", access: "see_billing" },
  { method: "GET", path: "/api/v1/statements", operation: "list_statements", access: "see_billing" },
  { method: "GET", path: "/api/v1/statements/{month}", operation: "show_statement", access: "see_billing" },
  { method: "GET", path: "/api/v1/focus", operation: "export_focus", access: "see_billing" },
] as const satisfies readonly ConsoleRoute[];
