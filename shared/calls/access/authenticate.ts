/** Credential → key and organization, or a rejection (contract §5, design §4 "Credentials"). */

import { GatewayError } from "../../base/errors.ts";
import type { HttpRequest } from "../../base/http/message.ts";
import type { Route } from "../../base/http/routes.ts";
import { limits } from "../../base/limits.ts";
import { hashApiKey, hasKeyForm } from "../../base/platform/api-key.ts";
import { describeError } from "../../base/platform/log.ts";
import type { Peppers } from "../../base/platform/pepper.ts";
import type {
  KeyEnabler,
  KeyRecord,
  KnownOwner,
  Organization,
  Principal,
} from "../../books/accounts/account.ts";
import { isKept, isLiving } from "../../books/accounts/key-state.ts";
import type { LevelRules } from "../../books/accounts/policy.ts";
import { checkAddress, compiled, hasPolicy } from "../../books/accounts/policy-in-force.ts";
import { isArchived } from "../../books/accounts/project.ts";
import type { AccessDeps } from "./deps.ts";

const visibleAscii = /^[\x21-\x7e]+$/;

/**
 * The credentials of a request that may be keys of ours, `x-api-key` before `Authorization: Bearer`. A program may send
 * the key of another vendor beside ours. Throws `not_authenticated` where there is none, and `invalid_key` where none can
 * be one of ours; neither needs a read.
 */
function credentialsOf(request: HttpRequest, route: Pick<Route, "style">): string[] {
  const bare = request.headers["x-api-key"]?.trim() || googleKey(request, route);
  const authorization = request.headers.authorization?.trim();
  if (!bare && !authorization) throw new GatewayError("not_authenticated");
  const given = bare ? [bare, ...bearer(authorization)] : bearer(authorization);
  if (given.length === 0 && /^bearer$/i.test(authorization ?? ""))
    throw new GatewayError("not_authenticated");
  const keys = given.filter(isOurs);
  if (keys.length === 0) throw new GatewayError("invalid_key");
  return [...new Set(keys)];
}

function isOurs(key: string): boolean {
  return key.length <= limits.credentialBytesMax && visibleAscii.test(key) && hasKeyForm(key);
}

/** Google's SDKs send the key in these two places only, so its paths accept them too (protocols.md §0.4). */
function googleKey(request: HttpRequest, route: Pick<Route, "style">): string | undefined {
  if (route.style !== "gemini") return undefined;
  return request.headers["x-goog-api-key"]?.trim() || request.query.get("key")?.trim() || undefined;
}

/** The one token of `Authorization: Bearer`, or none. */
function bearer(authorization = ""): string[] {
  const [scheme, ...rest] = authorization.split(/\s+/);
  return scheme?.toLowerCase() === "bearer" && rest.length === 1 ? rest : [];
}

/** What a process has read, and when (Unix milliseconds). */
interface RecordRead<Value> {
  value: Value;
  read_at: number;
}

/** A key that was read, with its rules as they were compiled with the record of its organization that was known then. */
interface KeyRead extends RecordRead<KeyRecord> {
  rules?: { of: Organization; own: readonly LevelRules[] };
}

/**
 * Records of keys and organizations that this process has read, for routes whose admission checks revocation and
 * freezing on the meter itself. It also knows, for a shorter time, the hashes that are no good on any route
 * (calls/access/README.md "Wrong keys").
 */
export class PrincipalCache {
  readonly #keys = new Map<string, KeyRead>();
  readonly #organizations = new Map<string, RecordRead<Organization>>();
  readonly #refused = new Map<string, { at: number; whose: Principal | undefined }>();

  get(hash: string, now: number): Principal | undefined {
    const read = knownOf(this.#keys, hash, now);
    const organization = read && knownOf(this.#organizations, read.value.organization, now)?.value;
    if (!organization) return undefined;
    const principal = { key: read.value, organization };
    if (!hasPolicy(principal)) return principal;
    if (read.rules?.of !== organization) read.rules = { of: organization, own: compiled(principal) };
    return { ...principal, rules: read.rules.own };
  }

  /** The organization of a key that was just read, where it need not be read too. What a key needs is there before it. */
  ownerOf({ organization, created_at }: KeyRecord, now: number): Organization | undefined {
    const known = knownOf(this.#organizations, organization, now);
    return known && known.read_at > created_at ? known.value : undefined;
  }

  set(hash: string, { key, organization }: Principal, now: number): void {
    note(this.#keys, hash, key, now);
    // One that was known is as old as before.
    if (this.#organizations.get(organization.id)?.value !== organization)
      note(this.#organizations, organization.id, organization, now);
  }

  /** Forgets an organization: the next call of each of its keys reads the records anew. */
  forget(organization: string): void {
    this.#organizations.delete(organization);
  }

  /** The same of the organization of a key. */
  forgetOwner(id: string): void {
    for (const { value } of this.#keys.values()) if (value.id === id) this.forget(value.organization);
  }

  /** Forgets what it has read of a key: its next call reads the record anew. */
  forgetKey(id: string): void {
    for (const [hash, { value }] of this.#keys) if (value.id === id) this.#keys.delete(hash);
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

function knownOf<Read extends RecordRead<unknown>>(
  all: Map<string, Read>,
  name: string,
  now: number,
): Read | undefined {
  const known = all.get(name);
  return known && now - known.read_at < limits.keyCacheSeconds * 1000 ? known : undefined;
}

function note<Value>(all: Map<string, RecordRead<Value>>, name: string, value: Value, read_at: number): void {
  if (all.size >= limits.keyCacheMax) all.clear();
  all.set(name, { value, read_at });
}

/** The keys that a process knows, and who wants to know whose key a request has. */
interface Known {
  keys: PrincipalCache;
  note?: (whose: Principal) => void;
}

type AuthenticateDeps = Pick<AccessDeps, "accounts" | "secrets" | "log" | "now">;

/**
 * The caller of a request. An inference route may use a cached record, because the meter refuses a key that was revoked
 * since. Every other route reads the record, strongly consistent. Throws `not_authenticated`, `invalid_key` or
 * `account_frozen`, and `permission_denied` for an address that a policy does not allow. `note` is told whose key it is,
 * also where the caller is refused.
 */
export async function authenticate(
  request: HttpRequest,
  route: Pick<Route, "style" | "operation">,
  { keys: cache, note }: Known,
  deps: AuthenticateDeps,
): Promise<Principal> {
  const keys = credentialsOf(request, route);
  const peppers = await deps.secrets.peppers();
  let whose: Principal | undefined;
  for (const key of keys) {
    const { principal, isGood } = await foundBy(key, peppers, route.operation === "infer", cache, deps);
    if (!principal || !isGood) {
      whose ??= principal;
      continue;
    }
    note?.(principal);
    if (principal.organization.status === "frozen") throw new GatewayError("account_frozen");
    checkAddress(principal, request.ip);
    if (isArchived(principal.organization, principal.key.project)) throw archivedProject(principal.key);
    return principal;
  }
  if (whose) note?.(whose);
  throw whose?.key.status === "disabled" ? disabledKey(whose.key) : new GatewayError("invalid_key");
}

/** The error of a key that is disabled. Only who has the key is told so. */
function disabledKey({ disabled_by: by = "maker" }: KeyRecord): GatewayError {
  return new GatewayError("invalid_key", { message: `The API key is disabled. ${enabling[by]}` });
}

const enabling: Record<KeyEnabler, string> = {
  maker: "Who made it, or who manages the organization's keys, can enable it again.",
  manager: "Who manages the organization's keys can enable it again.",
  operator: "The operator of this gateway can enable it again.",
};

/** The error of a key whose project is archived (people/identity/projects.md "Archived"). */
function archivedProject({ project }: KeyRecord): GatewayError {
  const message = `The project \`${project}\` of this API key is archived. Who manages the organization's keys can bring it back.`;
  return new GatewayError("invalid_key", { message });
}

/** Whose a key is or was, and whether it is in force. `mayKnow`: a record that this process has read will do. */
async function foundBy(
  key: string,
  peppers: Peppers,
  mayKnow: boolean,
  cache: PrincipalCache,
  deps: AuthenticateDeps,
): Promise<{ principal: Principal | undefined; isGood: boolean }> {
  const hash = hashApiKey(peppers.current.value, key);
  const now = deps.now();
  const refused = cache.refused(hash, now);
  if (refused) return { principal: refused.whose, isGood: false };
  const known = mayKnow ? cache.get(hash, now) : undefined;
  // Its end may have been put off since.
  const cached = known && isLiving(known.key, now) ? known : undefined;
  const ownerOf = mayKnow ? (read: KeyRecord) => cache.ownerOf(read, now) : undefined;
  const principal = cached ?? (await findPrincipal(key, { hash, ownerOf }, peppers, deps));
  if (!principal || !isLiving(principal.key, now)) {
    // These never change: a key is random, so that nobody can ask for one before it is made. A disabled one may.
    if (!principal || !isKept(principal.key, now)) cache.refuse(hash, principal, now);
    return { principal, isGood: false };
  }
  // Only a key in good standing is cached, so that an unfreeze acts at once.
  if (!cached && principal.organization.status !== "frozen") cache.set(hash, principal, now);
  return { principal, isGood: true };
}

/**
 * The caller with a key, `hash` being its hash under the current pepper. A key that is still stored under the pepper
 * before is moved to this hash. The call goes on whether or not that succeeds, because the key is found where it is
 * (calls/access/README.md "Peppers").
 */
async function findPrincipal(
  key: string,
  { hash, ownerOf }: { hash: string; ownerOf: KnownOwner | undefined },
  { current, previous }: Peppers,
  deps: AuthenticateDeps,
): Promise<Principal | undefined> {
  const found = await deps.accounts.findPrincipal(hash, ownerOf);
  if (found || !previous) return found;
  const left = hashApiKey(previous.value, key);
  const older = await deps.accounts.findPrincipal(left, ownerOf);
  // Another call may have moved it between the two reads. The hash of an old secret stays where it is.
  const now = deps.now();
  if (older?.key.hash !== left || !isLiving(older.key, now)) return older;
  try {
    await deps.accounts.rehashKey(older.key, { hash, hash_version: current.version }, now);
  } catch (error) {
    deps.log("warn", "key_not_rehashed", { key: older.key.id, error: describeError(error) });
  }
  return older;
}
