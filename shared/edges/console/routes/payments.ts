import type { ConsoleRoute } from "../route.ts";

/** What is bought, and the platforms' calls about it (people/payments/README.md). */
export const paymentRoutes = [
  { method: "GET", path: "/api/v1/payment-methods", operation: "list_payment_methods", access: "public" },
  { method: "POST", path: "/api/v1/recharges", operation: "create_recharge", access: "manage_billing" },
  { method: "GET", path: "/api/v1/recharges", operation: "list_recharges", access: "see_billing" },
  { method: "GET", path: "/api/v1/recharges/{id}", operation: "show_recharge", access: "see_billing" },
  {
    method: "POST",
    path: "/api/v1/recharges/{id}/close",
    operation: "close_recharge",
    access: "manage_billing",
  },
  { method: "GET", path: "/api/v1/plans", operation: "list_plans", access: "public" },
  { method: "GET", path: "/api/v1/plans/quote", operation: "quote_plan", access: "see_billing" },
  { method: "POST", path: "/api/v1/plan-orders", operation: "create_plan_order", access: "manage_billing" },
  { method: "GET", path: "/api/v1/auto-top-up", operation: "show_auto_top_up", access: "see_billing" },
  { method: "PUT", path: "/api/v1/auto-top-up", operation: "set_auto_top_up", access: "manage_billing" },
  {
    method: "POST",
    path: "/api/v1/auto-top-up/card",
    operation: "open_card_page",
    access: "manage_billing",
  },
  {
    method: "DELETE",
    path: "/api/v1/auto-top-up/card",
    operation: "remove_card",
    access: "manage_billing",
  },
  // Who calls is proved by the signature of the body.
  {
    method: "POST",
    path: "/api/v1/payments/{channel}/notify",
    operation: "take_notice",
    access: "public",
    anyForm: true,
  },
] as const satisfies readonly ConsoleRoute[];
