import type { ConsoleRoute } from "../route.ts";

/**
 * Programs that people sign in (people/identity/programs.md). The three that the program asks take forms, as OAuth has it.
 */
export const deviceRoutes = [
  {
    method: "GET",
    path: "/.well-known/oauth-authorization-server",
    operation: "show_authorization_server",
    access: "public",
  },
  {
    method: "POST",
    path: "/api/v1/auth/device/code",
    operation: "start_device",
    access: "public",
    anyForm: true,
  },
  {
    method: "POST",
    path: "/api/v1/auth/device/token",
    operation: "get_device_token",
    access: "public",
    anyForm: true,
  },
  {
    method: "POST",
    path: "/api/v1/auth/device/revoke",
    operation: "revoke_device_token",
    access: "public",
    anyForm: true,
  },
  {
    method: "POST",
    path: "/api/v1/auth/device/look",
    operation: "look_at_device",
    access: "manage_own_keys",
  },
  {
    method: "POST",
    path: "/api/v1/auth/device/decide",
    operation: "decide_device",
    access: "manage_own_keys",
  },
  { method: "GET", path: "/api/v1/auth/programs", operation: "list_programs", access: "member" },
] as const satisfies readonly ConsoleRoute[];
