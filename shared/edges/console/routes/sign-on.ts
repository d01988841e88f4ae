import type { ConsoleRoute } from "../route.ts";

/** Signing in by an organization's own provider, and what its owners set for that (people/sign-on/README.md). */
export const signOnRoutes = [
  { method: "POST", path: "/api/v1/auth/sign-on", operation: "begin_sign_on", access: "public" },
  { method: "POST", path: "/api/v1/auth/sign-on/link", operation: "begin_link", access: "member" },
  { method: "POST", path: "/api/v1/auth/sign-on/finish", operation: "finish_sign_on", access: "public" },
  { method: "GET", path: "/api/v1/sign-on", operation: "show_sign_on", access: "manage_sign_on" },
  { method: "PATCH", path: "/api/v1/sign-on", operation: "change_sign_on", access: "manage_sign_on" },
  { method: "DELETE", path: "/api/v1/sign-on", operation: "remove_sign_on", access: "manage_sign_on" },
  { method: "POST", path: "/api/v1/domains", operation: "claim_domain", access: "manage_sign_on" },
  {
    method: "POST",
    path: "/api/v1/domains/{domain}/check",
    operation: "check_domain",
    access: "manage_sign_on",
  },
  { method: "DELETE", path: "/api/v1/domains/{domain}", operation: "drop_domain", access: "manage_sign_on" },
  { method: "GET", path: "/api/v1/provisioning", operation: "show_provisioning", access: "manage_sign_on" },
  {
    method: "PATCH",
    path: "/api/v1/provisioning",
    operation: "change_provisioning",
    access: "manage_sign_on",
  },
  {
    method: "POST",
    path: "/api/v1/provisioning/token",
    operation: "make_provisioning_token",
    access: "manage_sign_on",
  },
  {
    method: "DELETE",
    path: "/api/v1/provisioning/token",
    operation: "remove_provisioning_token",
    access: "manage_sign_on",
  },
  {
    method: "DELETE",
    path: "/api/v1/members/{id}/sign-on",
    operation: "release_sign_on",
    access: "manage_sign_on",
  },
] as const satisfies readonly ConsoleRoute[];
