import type { ConsoleRoute } from "../route.ts";

/** Where the organization is told its news (people/news/README.md). */
export const webhookRoutes = [
  { method: "GET", path: "/api/v1/account/mails", operation: "show_mails", access: "member" },
  { method: "PATCH", path: "/api/v1/account/mails", operation: "change_mails", access: "member" },
  // The token of the link is the right. A mailbox posts a form.
  {
    method: "GET",
    path: "/api/v1/mails/unsubscribe/{token}",
    operation: "show_unsubscribe",
    access: "public",
  },
  {
    method: "POST",
    path: "/api/v1/mails/unsubscribe/{token}",
    operation: "unsubscribe",
    access: "public",
    anyForm: true,
  },
  { method: "GET", path: "/api/v1/webhooks", operation: "list_webhooks", access: "manage_members" },
  { method: "POST", path: "/api/v1/webhooks", operation: "create_webhook", access: "manage_members" },
  { method: "PATCH", path: "/api/v1/webhooks/{id}", operation: "change_webhook", access: "manage_members" },
  { method: "DELETE", path: "/api/v1/webhooks/{id}", operation: "delete_webhook", access: "manage_members" },
  {
    method: "POST",
    path: "/api/v1/webhooks/{id}/rotate",
    operation: "rotate_webhook_secret",
    access: "manage_members",
  },
  { method: "POST", path: "/api/v1/webhooks/{id}/test", operation: "test_webhook", access: "manage_members" },
  {
    method: "GET",
    path: "/api/v1/webhooks/{id}/deliveries",
    operation: "list_deliveries",
    access: "manage_members",
  },
  {
    method: "POST",
    path: "/api/v1/webhooks/{id}/replay",
    operation: "replay_delivery",
    access: "manage_members",
  },
] as const satisfies readonly ConsoleRoute[];
