/** Credential → key and organization, or a rejection (contract §5, design §4 "Credentials"). */
import type { Principal } from "../accounts/account.ts";
import { GatewayError } from "../errors.ts";
import type { HttpRequest } from "../http/message.ts";
import type { Route } from "../http/routes.ts";
import { limits } from "../limits.ts";
import { hashApiKey } from "../platform/api-key.ts";
import type { AccessDeps } from "./deps.ts";

const visibleAscii = /^[\x21-\x7e]+$/;

/**
 * The credential of a request: `x-api-key` wins over `Authorization: Bearer`. Throws `not_authenticated` where there is
 * none, and `invalid_key` where it cannot be one of ours; neither needs a read.
 */
function credentialOf(request: HttpRequest, route: Route): string {
  const bare = request.headers["x-api-key"]?.trim() || googleKey(request, route);
  const authorization = request.headers.authorization?.trim();
  if (!bare && !authorization) throw new GatewayError("not_authenticated");
  const key = bare || bearer(authorization ?? "");
  if (key.length > limits.credentialBytesMax || !visibleAscii.test(key))
    throw new GatewayError("invalid_key");
  return key;
}

/** Google's SDKs send the key in these two places only, so its paths accept them too (protocols.md §0.4). */
function googleKey(request: HttpRequest, route: Route): string | undefined {
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
 * itself.
 */
export class KeyCache {
  readonly #principals = new Map<string, { principal: Principal; read_at: number }>();

  get(hash: string, now: number): Principal | undefined {
    const hit = this.#principals.get(hash);
    return hit && now - hit.read_at < limits.keyCacheSeconds * 1000 ? hit.principal : undefined;
  }

  set(hash: string, principal: Principal, now: number): void {
    if (this.#principals.size >= limits.keyCacheMax) this.#principals.clear();
    this.#principals.set(hash, { principal, read_at: now });
  }
}

/**
 * The caller of a request. An inference route may use a cached record, because the meter refuses a key that was revoked
 * since. Every other route reads the record, strongly consistent. Throws `not_authenticated`, `invalid_key` or
 * `account_frozen`.
 */
export async function authenticate(
  request: HttpRequest,
  route: Route,
  cache: KeyCache,
  deps: Pick<AccessDeps, "accounts" | "secrets" | "now">,
): Promise<Principal> {
  const key = credentialOf(request, route);
  const hash = hashApiKey(await deps.secrets.pepper(), key);
  const now = deps.now();
  const cached = route.operation === "infer" ? cache.get(hash, now) : undefined;
  const principal = cached ?? (await deps.accounts.findPrincipal(hash));
  if (!principal) throw new GatewayError("invalid_key");
  checkState(principal, now);
  // Only a key in good standing is cached, so that an unfreeze acts at once.
  if (!cached) cache.set(hash, principal, now);
  return principal;
}

function checkState({ key, organization }: Principal, now: number): void {
  if (key.status === "revoked") throw new GatewayError("invalid_key");
  if (key.expires_at !== null && key.expires_at <= now) throw new GatewayError("invalid_key");
  if (organization.status === "frozen") throw new GatewayError("account_frozen");
}
