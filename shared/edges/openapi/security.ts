/** The ways in which a request says who calls, as both documents name them. */

import type { ErrorKey } from "../../base/errors.ts";
import type { LocalOperation } from "../../base/http/routes.ts";
import { sessionAccess } from "../../calls/access/sessions.ts";

const session = {
  type: "http",
  scheme: "bearer",
  bearerFormat: "JWT",
  description:
    "`Authorization: Bearer <access token>`: what signing in at the console gives, for ten minutes.",
} as const;

/** The gateway's. Where several keys are given, the first that is one of ours counts, `x-api-key` before the others. */
export const securitySchemes = {
  bearer: { type: "http", scheme: "bearer", description: "`Authorization: Bearer <key>`" },
  apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
  googleHeader: { type: "apiKey", in: "header", name: "x-goog-api-key", description: "On Gemini's paths." },
  googleQuery: { type: "apiKey", in: "query", name: "key", description: "On Gemini's paths." },
  session,
} as const;

/** The console's. */
export const consoleSchemes = {
  session,
  cookie: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-session",
    description:
      "The refresh token. Only the browser has it, and only pages of the console may have it read.",
  },
} as const;

/** The operators' API: a token, and nothing else. */
export const adminSchemes = {
  token: {
    type: "http",
    scheme: "bearer",
    description:
      "`Authorization: Bearer <token>`: what `operator token make` has shown. No cookie and no key of a customer is looked at.",
  },
} as const;

/** A key, as all paths take it. */
export const everywhere = [{ bearer: [] }, { apiKey: [] }];
/** A key, as Gemini's paths take it. */
export const onGemini = [...everywhere, { googleHeader: [] }, { googleQuery: [] }];

/** What an operation of the gateway takes in place of a key, and the errors of that; nothing where it takes no session. */
export function sessionOf(operation: LocalOperation): { security: object[]; errors: readonly ErrorKey[] } {
  const access = sessionAccess[operation];
  if (!access) return { security: [], errors: [] };
  const errors = ["session_expired", "login_frozen"] as const;
  if (access === "member") return { security: [{ session: [] }], errors };
  return { security: [{ session: [access] }], errors: [...errors, "permission_denied"] };
}
