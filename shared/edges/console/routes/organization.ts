import type { ConsoleRoute } from "../route.ts";

/** Everybody may leave, so removing a member asks for its right in the operation (people/identity/members.md). */
export const organizationRoutes = [
  {
    method: "PATCH",
    path: "/api/v1/organization",
    operation: "change_organization",
    access: "manage_members",
  },
  { method: "GET", path: "/api/v1/budgets", operation: "list_budgets", access: "see_all_usage" },
  { method: "PATCH", path: "/api/v1/budgets", operation: "change_budget", access: "manage_members" },
  { method: "GET", path: "/api/v1/policies", operation: "list_policies", access: "see_all_usage" },
  { method: "PATCH", path: "/api/v1/policies", operation: "change_policy", access: "manage_members" },
  { method: "GET", path: "/api/v1/members", operation: "list_members", access: "manage_members" },
  { method: "PATCH", path: "/api/v1/members/{id}", operation: "change_member", access: "manage_members" },
  { method: "DELETE", path: "/api/v1/members/{id}", operation: "remove_member", access: "member" },
  { method: "GET", path: "/api/v1/members/{id}/keys", operation: "list_member_keys", access: "member" },
  { method: "POST", path: "/api/v1/invitations", operation: "create_invitation", access: "manage_members" },
  { method: "GET", path: "/api/v1/invitations", operation: "list_invitations", access: "manage_members" },
  { method: "POST", path: "/api/v1/invitations/accept", operation: "accept_invitation", access: "member" },
  {
    method: "DELETE",
    path: "/api/v1/invitations/{id}",
    operation: "withdraw_invitation",
    access: "manage_members",
  },
  { method: "GET", path: "/api/v1/audit-log", operation: "list_audit_log", access: "see_audit_log" },
  { method: "POST", path: "/api/v1/keys", operation: "create_key", access: "manage_own_keys" },
  { method: "GET", path: "/api/v1/keys", operation: "list_keys", access: "manage_own_keys" },
  { method: "PATCH", path: "/api/v1/keys/{id}", operation: "change_key", access: "manage_own_keys" },
  { method: "DELETE", path: "/api/v1/keys/{id}", operation: "revoke_key", access: "manage_own_keys" },
  { method: "POST", path: "/api/v1/keys/{id}/rotate", operation: "rotate_key", access: "manage_own_keys" },
  { method: "POST", path: "/api/v1/keys/{id}/disable", operation: "disable_key", access: "manage_own_keys" },
  { method: "POST", path: "/api/v1/keys/{id}/enable", operation: "enable_key", access: "manage_own_keys" },
] as const satisfies readonly ConsoleRoute[];
