/** Who asks the operators' API: a token that is in force, as bearer, and nothing else (README.md "Tokens"). */
import { GatewayError } from "../../base/errors.ts";
import { adminLimits } from "../../people/admin/bounds.ts";
import {
  type AdminToken,
  type AdminTokens,
  hasScope,
  opens,
  readAdminToken,
} from "../../people/admin/token.ts";
import type { IdentifyDeps } from "../../people/identity/identify.ts";
import type { ConsoleRequest } from "../console/call.ts";
import type { AdminRoute } from "./route.ts";

export interface OperatorDeps {
  tokens: Pick<AdminTokens, "read">;
  pace: NonNullable<IdentifyDeps["pace"]>;
  now: () => number;
}

/**
 * The token of a request, read for this request, so that a revocation acts on the next one. Throws `not_authenticated` for
 * everything that is no token in force, `rate_limited`, and `permission_denied` where the token lacks the scope.
 */
export async function identifyOperator(
  request: Pick<ConsoleRequest, "headers">,
  { scope, scans }: Pick<AdminRoute, "scope" | "scans">,
  deps: OperatorDeps,
): Promise<AdminToken> {
  const text = bearerOf(request);
  const id = readAdminToken(text);
  const token = id === undefined ? undefined : await deps.tokens.read(id);
  if (!token || !opens(token, text, deps.now())) {
    const message =
      "No token in force was given. `operator token make` makes one; send it as `Authorization: Bearer <token>`.";
    throw new GatewayError("not_authenticated", { message });
  }
  const { callsAMinuteMax, scansAMinuteMax } = adminLimits;
  await count(token.id, callsAMinuteMax, `A token makes at most ${callsAMinuteMax} calls a minute.`, deps);
  if (!hasScope(token, scope)) {
    const message = `The token has ${token.scopes.join(", ")}. This takes ${scope}.`;
    throw new GatewayError("permission_denied", { message });
  }
  const refusal = `A token asks at most ${scansAMinuteMax} times a minute for lists that read a whole table.`;
  if (scans) await count(`${token.id}:scans`, scansAMinuteMax, refusal, deps);
  return token;
}

/** The text that a request gives as bearer; "" where it gives none. */
export function bearerOf({ headers }: Pick<ConsoleRequest, "headers">): string {
  const [, text = ""] = /^bearer +(\S+)\s*$/i.exec(headers.authorization ?? "") ?? [];
  return text;
}

/** Counts a call. Throws `rate_limited` with the wait, in the words of a token. */
async function count(what: string, most: number, message: string, { pace }: OperatorDeps): Promise<void> {
  await pace(what, most).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.key !== "rate_limited") throw error;
    throw new GatewayError("rate_limited", { ...error.detail, message });
  });
}
