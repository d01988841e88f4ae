/**
 * The routes of the operators' API and the scope that each wants. A row with GET reads. Every other one writes: it takes a
 * reason, an `Idempotency-Key` and `dry_run`.
 */
import type { AdminRoute } from "./route.ts";

export const adminRoutes = [
  { method: "GET", path: "/api/admin/v1/token", operation: "show_own_token", scope: "read" },
  {
    method: "GET",
    path: "/api/admin/v1/organizations",
    operation: "list_organizations",
    scope: "read",
    scans: true,
  },
  { method: "GET", path: "/api/admin/v1/organizations/{id}", operation: "show_organization", scope: "read" },
  { method: "GET", path: "/api/admin/v1/organizations/{id}/keys", operation: "list_keys", scope: "read" },
  {
    method: "GET",
    path: "/api/admin/v1/organizations/{id}/projects",
    operation: "list_projects",
    scope: "read",
  },
  { method: "GET", path: "/api/admin/v1/organizations/{id}/orders", operation: "list_orders", scope: "read" },
  {
    method: "GET",
    path: "/api/admin/v1/organizations/{id}/invoices",
    operation: "list_invoices",
    scope: "read",
  },
  {
    method: "GET",
    path: "/api/admin/v1/organizations/{id}/credits",
    operation: "list_credits",
    scope: "read",
  },
  {
    method: "GET",
    path: "/api/admin/v1/organizations/{id}/audit-log",
    operation: "list_audit_log",
    scope: "read",
  },
  {
    method: "GET",
    path: "/api/admin/v1/orders/in-review",
    operation: "list_reviews",
    scope: "read",
    scans: true,
  },
  { method: "GET", path: "/api/admin/v1/orders/{id}", operation: "show_order", scope: "read" },
  {
    method: "GET",
    path: "/api/admin/v1/invoices/waiting",
    operation: "list_waiting_invoices",
    scope: "read",
  },
  { method: "GET", path: "/api/admin/v1/invoices/{id}", operation: "show_invoice", scope: "read" },
  { method: "GET", path: "/api/admin/v1/channels", operation: "list_channels", scope: "read" },
  { method: "GET", path: "/api/admin/v1/channels/{id}", operation: "show_channel", scope: "read" },
  { method: "GET", path: "/api/admin/v1/models", operation: "list_models", scope: "read" },
  { method: "GET", path: "/api/admin/v1/models/{id}", operation: "show_model", scope: "read" },
  { method: "GET", path: "/api/admin/v1/months", operation: "list_months", scope: "read" },
  { method: "GET", path: "/api/admin/v1/months/{month}", operation: "show_month", scope: "read" },
  { method: "GET", path: "/api/admin/v1/proposals", operation: "list_proposals", scope: "read" },
  { method: "GET", path: "/api/admin/v1/proposals/{id}", operation: "show_proposal", scope: "read" },
  {
    method: "POST",
    path: "/api/admin/v1/organizations/{id}/keys/{key}/disable",
    operation: "disable_key",
    scope: "support",
  },
  {
    method: "POST",
    path: "/api/admin/v1/organizations/{id}/keys/{key}/enable",
    operation: "enable_key",
    scope: "support",
  },
  {
    method: "POST",
    path: "/api/admin/v1/organizations/{id}/keys/{key}/revoke",
    operation: "revoke_key",
    scope: "support",
  },
  { method: "POST", path: "/api/admin/v1/invoices/{id}/issue", operation: "issue_invoice", scope: "finance" },
  {
    method: "POST",
    path: "/api/admin/v1/invoices/{id}/reject",
    operation: "reject_invoice",
    scope: "finance",
  },
  { method: "POST", path: "/api/admin/v1/orders/{id}/review", operation: "review_order", scope: "finance" },
  {
    method: "POST",
    path: "/api/admin/v1/organizations/{id}/credits",
    operation: "credit_organization",
    scope: "finance",
  },
  {
    method: "POST",
    path: "/api/admin/v1/proposals/{id}/confirm",
    operation: "confirm_proposal",
    scope: "finance",
  },
  {
    method: "POST",
    path: "/api/admin/v1/proposals/{id}/refuse",
    operation: "refuse_proposal",
    scope: "finance",
  },
] as const satisfies readonly AdminRoute[];

export type AdminOperation = (typeof adminRoutes)[number]["operation"];
