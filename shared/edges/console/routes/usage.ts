import type { ConsoleRoute } from "../route.ts";

/** What was used and what is left, as the gateway has it (books/reports/console.md). */
export const usageRoutes = [
  { method: "GET", path: "/api/v1/usage/series", operation: "show_usage_series", access: "member" },
  { method: "GET", path: "/api/v1/usage/export", operation: "export_usage_series", access: "member" },
  { method: "GET", path: "/api/v1/usage/summary", operation: "show_usage_summary", access: "member" },
  { method: "GET", path: "/api/v1/calls", operation: "list_calls", access: "member" },
  { method: "GET", path: "/api/v1/requests/{id}", operation: "retrieve_receipt", access: "member" },
  { method: "GET", path: "/api/v1/limits", operation: "show_limits", access: "member" },
  { method: "GET", path: "/api/v1/models", operation: "list_models", access: "member" },
  { method: "GET", path: "/api/v1/models/{model}/routes", operation: "list_routes", access: "member" },
] as const satisfies readonly ConsoleRoute[];
