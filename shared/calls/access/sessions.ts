/**
 * Sessions in place of an API key, on the routes by which members manage keys and read usage
 * (people/identity/members.md "Sessions on the gateway"). The code behind the port is loaded with the first such call.
 */
import { GatewayError } from "../../base/errors.ts";
import type { HttpRequest } from "../../base/http/message.ts";
import type { LocalOperation, LocalRoute } from "../../base/http/routes.ts";
import type { AuditPort } from "../../people/identity/audit.ts";
import type { AuditedKeys } from "../../people/identity/audited-keys.ts";
import type { Caller } from "../../people/identity/caller.ts";
import type { Members } from "../../people/identity/members.ts";
import { mayDo, type Right } from "../../people/identity/roles.ts";

/** What a call with a session needs, and what writes the audit log for API keys too. */
export interface SessionPorts {
  /** Who sends this request. Throws `session_expired` or `login_frozen`. */
  identify(request: HttpRequest): Promise<Caller>;
  members: Pick<Members, "users">;
  auditedKeys: AuditedKeys;
  auditLog: AuditPort;
}

/** Who may use a route with a session: everybody who is a member, or the roles that have a right. */
type SessionAccess = "member" | Right;

/** The operations that take a session. All others know API keys only. */
export const sessionAccess: Partial<Record<LocalOperation, SessionAccess>> = {
  create_key: "manage_own_keys",
  list_keys: "manage_own_keys",
  change_key: "manage_own_keys",
  revoke_key: "manage_own_keys",
  rotate_key: "manage_own_keys",
  disable_key: "manage_own_keys",
  enable_key: "manage_own_keys",
  report_period: "see_all_usage",
  list_calls: "member",
  retrieve_receipt: "member",
};

/**
 * The member who calls, where a request has a session and its route takes one. Undefined for everything else, which is
 * then asked for an API key. Throws what `identify` throws, and `permission_denied` for a role without the right.
 */
export async function memberOf(
  request: HttpRequest,
  { operation }: LocalRoute,
  { sessions }: { sessions?: (() => Promise<SessionPorts>) | undefined },
): Promise<Caller | undefined> {
  const access = sessionAccess[operation];
  if (!access || !sessions || !hasToken(request)) return undefined;
  const { identify } = await sessions();
  const caller = await identify(request);
  if (access !== "member" && !mayDo(caller.role, access)) {
    const where = access === "see_all_usage" ? " The console shows the usage of your own keys." : "";
    const message = `The role ${caller.role} may not do this.${where}`;
    throw new GatewayError("permission_denied", { message });
  }
  return caller;
}

/** Whether a request has an access token (JWT). No API key of ours looks like one, and `x-api-key` wins. */
function hasToken({ headers }: HttpRequest): boolean {
  if (headers["x-api-key"]?.trim()) return false;
  return /^bearer\s+ey[^.\s]*\.[^.\s]*\.[^.\s]*$/i.test(headers.authorization?.trim() ?? "");
}
