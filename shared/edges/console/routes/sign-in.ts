import type { ConsoleRoute } from "../route.ts";

/** Signing up, in and out, and what belongs to the user alone (people/identity/README.md). */
export const signInRoutes = [
  { method: "POST", path: "/api/v1/auth/code", operation: "send_code", access: "public" },
  { method: "POST", path: "/api/v1/auth/sign-up", operation: "sign_up", access: "public" },
  { method: "POST", path: "/api/v1/auth/sign-in", operation: "sign_in", access: "public" },
  { method: "POST", path: "/api/v1/auth/refresh", operation: "refresh_session", access: "cookie" },
  { method: "POST", path: "/api/v1/auth/sign-out", operation: "sign_out", access: "cookie" },
  { method: "GET", path: "/api/v1/auth/sessions", operation: "list_sessions", access: "member" },
  { method: "DELETE", path: "/api/v1/auth/sessions/{id}", operation: "end_session", access: "member" },
  { method: "GET", path: "/api/v1/account", operation: "show_account", access: "member" },
  { method: "PATCH", path: "/api/v1/account", operation: "change_account", access: "member" },
  { method: "POST", path: "/api/v1/account/contacts", operation: "add_contact", access: "member" },
  {
    method: "DELETE",
    path: "/api/v1/account/contacts/{kind}",
    operation: "remove_contact",
    access: "member",
  },
] as const satisfies readonly ConsoleRoute[];
