import type { ConsoleRoute } from "../route.ts";

/** Signing in by a passkey, and the passkeys of a user (people/passkeys/README.md). */
export const passkeyRoutes = [
  {
    method: "POST",
    path: "/api/v1/auth/passkey/options",
    operation: "begin_passkey_sign_in",
    access: "public",
  },
  { method: "POST", path: "/api/v1/auth/passkey", operation: "passkey_sign_in", access: "public" },
  { method: "GET", path: "/api/v1/account/passkeys", operation: "list_passkeys", access: "member" },
  { method: "POST", path: "/api/v1/account/passkeys/options", operation: "begin_passkey", access: "member" },
  { method: "POST", path: "/api/v1/account/passkeys", operation: "add_passkey", access: "member" },
  { method: "DELETE", path: "/api/v1/account/passkeys/{id}", operation: "remove_passkey", access: "member" },
] as const satisfies readonly ConsoleRoute[];
