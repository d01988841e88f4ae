/** Credential → key and organization, or a rejection (contract §5, design §4 "Credentials"). */
import { isLiving, type Principal } from "../accounts/account.ts";
import { GatewayError } from "../errors.ts";
import type { HttpRequest } from "../http/message.ts";
import type { Route } from "../http/routes.ts";
import { limits } from "../limits.ts";
import { hashApiKey, hasKeyForm } from "../platform/api-key.ts";
import { describeError } from "../platform/log.ts";
import type { Peppers } from "../platform/pepper.ts";
import type { AccessDeps } from "./deps.ts";

const visibleAscii = /^[\x21-\x7e]+$/;

/**
 * The credential of a request: `x-api-key` wins over `Authorization: Bearer`. Throws `not_authenticated` where there is
 * none, and `invalid_key` where it cannot be one of ours; neither needs a read.
 */
function credentialOf(request: HttpRequest, route: Pick<Route, "style">): string {
  const bare = request.headers["x-api-key"]?.trim() || googleKey(request, route);
  const authorization = request.headers.authorization?.trim();
  if (!bare && !authorization) throw new GatewayError("not_authenticated");
  const key = bare || bearer(authorization ?? "");
  if (key.length > limits.credentialBytesMax || !visibleAscii.test(key) || !hasKeyForm(key))
    throw new GatewayError("invalid_key");
  return key;
}

/** Google's SDKs send the key in these two places only, so its paths accept them too (protocols.md §0.4). */
function googleKey(request: HttpRequest, route: Pick<Route, "style">): string | undefined {
  if (route.style !== "gemini") return undefined;
  return request.headers["x-goog-api-key"]?.trim() || request.query.get("key")?.trim() || undefined;
}

function bearer(authorization: string): string {
  const [scheme, ...rest] = authorization.split(/\s+/);
  if (scheme?.toLowerCase() === "bearer" && rest.length === 0) throw new GatewayError("not_authenticated");
  return scheme?.toLowerCase() === "bearer" && rest.length === 1 ? (rest[0] ?? "") : "";
}

/**
 * Key records that this process has read, for routes whose admission checks revocation and freezing on the meter
 * itself. It also knows, for a shorter time, the hashes that are no good on any route (access/README.md "Wrong keys").
 */
export class KeyCache {
  readonly #principals = new Map<string, { principal: Principal; read_at: number }>();
  readonly #refused = new Map<string, { at: number; whose: Principal | undefined }>();

  get(hash: string, now: number): Principal | undefined {
    const hit = this.#principals.get(hash);
    return hit && now - hit.read_at < limits.keyCacheSeconds * 1000 ? hit.principal : undefined;
  }

  set(hash: string, principal: Principal, now: number): void {
    if (this.#principals.size >= limits.keyCacheMax) this.#principals.clear();
    this.#principals.set(hash, { principal, read_at: now });
  }

  /**
   * Whether this hash was refused a short time ago: nobody has such a key, or it is revoked or has expired. Then it says
   * whose it was.
   */
  refused(hash: string, now: number): { whose: Principal | undefined } | undefined {
    const known = this.#refused.get(hash);
    return known && now - known.at < limits.refusedKeySeconds * 1000 ? known : undefined;
  }

  refuse(hash: string, whose: Principal | undefined, now: number): void {
    if (this.#refused.size >= limits.refusedKeysMax) this.#refused.clear();
    this.#refused.set(hash, { at: now, whose });
  }
}

/** The keys that a process knows, and who wants to know whose key a request has. */
interface Known {
  keys: KeyCache;
  note?: (whose: Principal) => void;
}

type AuthenticateDeps = Pick<AccessDeps, "accounts" | "secrets" | "log" | "now">;

/**
 * The caller of a request. An inference route may use a cached record, because the meter refuses a key that was revoked
 * since. Every other route reads the record, strongly consistent. Throws `not_authenticated`, `invalid_key` or
 * `account_frozen`. `note` is told whose key it is, also where the caller is refused.
 */
export async function authenticate(
  request: HttpRequest,
  route: Pick<Route, "style" | "operation">,
  { keys: cache, note }: Known,
  deps: AuthenticateDeps,
): Promise<Principal> {
  const key = credentialOf(request, route);
  const peppers = await deps.secrets.peppers();
  const hash = hashApiKey(peppers.current.value, key);
  const now = deps.now();
  const refused = cache.refused(hash, now);
  const cached = route.operation === "infer" ? cache.get(hash, now) : undefined;
  const principal = refused ? refused.whose : (cached ?? (await findPrincipal(key, hash, peppers, deps)));
  if (principal) note?.(principal);
  if (refused) throw new GatewayError("invalid_key");
  if (!principal || !isLiving(principal.key, now)) {
    // Neither ends: a key is random, so that nobody can ask for one before it is made.
    cache.refuse(hash, principal, now);
    throw new GatewayError("invalid_key");
  }
  if (principal.organization.status === "frozen") throw new GatewayError("account_frozen");
  // Only a key in good standing is cached, so that an unfreeze acts at once.
  if (!cached) cache.set(hash, principal, now);
  return principal;
}

/**
 * The caller with a key, `hash` being its hash under the current pepper. A key that is still stored under the pepper
 * before is moved to this hash. The call goes on whether or not that succeeds, because the key is found where it is
 * (access/README.md "Peppers").
 */
async function findPrincipal(
  key: string,
  hash: string,
  { current, previous }: Peppers,
  deps: AuthenticateDeps,
): Promise<Principal | undefined> {
  const found = await deps.accounts.findPrincipal(hash);
  if (found || !previous) return found;
  const older = await deps.accounts.findPrincipal(hashApiKey(previous.value, key));
  // Another call may have moved it between the two reads.
  const now = deps.now();
  if (!older || older.key.hash === hash || !isLiving(older.key, now)) return older;
  try {
    await deps.accounts.rehashKey(older.key, { hash, hash_version: current.version }, now);
  } catch (error) {
    deps.log("warn", "key_not_rehashed", { key: older.key.id, error: describeError(error) });
  }
  return older;
}
