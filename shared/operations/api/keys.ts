/** Key management: create, list, revoke (contract §4.9; bodies in design §4 "Key management"). */
import {
  type Accounts,
  type BillingMode,
  type KeyCache,
  type KeyLimits,
  type KeyRecord,
  keyCaches,
  type Organization,
  type Permission,
} from "../../accounts/account.ts";
import type { Plan } from "../../catalog/catalog.ts";
import { GatewayError } from "../../errors.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../../http/message.ts";
import { readQuery } from "../../http/query.ts";
import { readJsonObject, refuseDuplicates } from "../../json/body.ts";
import { checkUnicode, type Fields, invalidField, isAbsent, optionalString } from "../../json/fields.ts";
import { limits } from "../../limits.ts";
import { type BudgetUse, budgetCounter, budgetOf, showBudget } from "../../meters/budget.ts";
import { budgetName } from "../../meters/hold.ts";
import type { Meters } from "../../meters/meter.ts";
import { hashApiKey, newApiKey } from "../../platform/api-key.ts";
import { newId } from "../../platform/id.ts";
import type { Log } from "../../platform/log.ts";
import type { Peppers } from "../../platform/pepper.ts";
import { instant, rfc3339 } from "./instant.ts";
import { checkKeyLimits, readKeyLimits } from "./key-limits.ts";
import { isName, nameRule, readLimit } from "./report-parameters.ts";

interface KeyDeps {
  accounts: Pick<Accounts, "createKey" | "keys" | "revokeKey">;
  peppers: () => Promise<Peppers>;
  now: () => number;
}

/** The key that a request asks for. */
export interface KeyRequest {
  name: string;
  mode: BillingMode;
  project: string;
  permissions: Permission[];
  limits: KeyLimits | null;
  cache?: KeyCache;
  expires_at: number | null;
}

const permissionNames: readonly Permission[] = ["AVG_V2", "manage_keys"];

/**
 * A key as the interface shows it at `now`: without its hash, and with its secret only where `secret` is given. `used`
 * is the spent part of its budget, by default nothing.
 */
export function keyObject(
  key: KeyRecord,
  now: number,
  { secret, used = { spent: 0n, held: 0n } }: { secret?: string; used?: BudgetUse } = {},
): object {
  const budget = budgetOf(key.limits);
  return {
    id: key.id,
    object: "api_key",
    ...(secret === undefined ? {} : { key: secret }),
    name: key.name,
    billing_mode: key.mode,
    project_id: key.project,
    permissions: key.permissions,
    limits: key.limits,
    cache: key.cache ?? null,
    budget: budget ? showBudget(budget, used, now) : null,
    status: key.status,
    last_four: key.last_four,
    created_at: rfc3339(key.created_at),
    expires_at: key.expires_at === null ? null : rfc3339(key.expires_at),
  };
}

/**
 * Makes a key of an organization and stores it. The caller has checked its limits (`checkKeyLimits`). Throws
 * `invalid_request` where the organization lacks the wallet or the subscription that the key needs.
 */
export async function issueKey(
  organization: Organization,
  wanted: KeyRequest,
  deps: KeyDeps,
): Promise<{ key: KeyRecord; secret: string }> {
  if (wanted.mode === "payg" && !organization.wallet) {
    throw new GatewayError("invalid_request", {
      message: "The organization has no wallet.",
      param: "billing_mode",
    });
  }
  if (wanted.mode === "subscription" && !organization.subscription) {
    const message = "The organization has no subscription.";
    throw new GatewayError("invalid_request", { message, param: "billing_mode" });
  }
  const at = deps.now();
  const { secret, last_four } = newApiKey(wanted.mode);
  const { current, previous } = await deps.peppers();
  const key: KeyRecord = {
    id: newId("key", at),
    hash: hashApiKey(current.value, secret),
    ...(current.version > 1 && { hash_version: current.version }),
    organization: organization.id,
    ...wanted,
    status: "active",
    last_four,
    created_at: at,
  };
  await deps.accounts.createKey(key, previous && hashApiKey(previous.value, secret));
  return { key, secret };
}

/** `POST /api/v1/keys`. The caller's key must manage keys. It can grant only permissions that its organization has. */
export async function createKey(
  request: HttpRequest,
  caller: { key: KeyRecord; organization: Organization },
  deps: KeyDeps & { plan: (name: string) => Plan | undefined; log: Log },
): Promise<HttpReply> {
  requireManager(caller.key);
  const body = readJsonObject(request.body);
  refuseDuplicates(body.members, new Set(Object.keys(body.value)));
  const wanted = readKeyRequest(body.value, deps.now());
  checkKeyLimits(wanted, caller.organization, deps.plan, deps.now());
  for (const permission of wanted.permissions) {
    const held = permission === "manage_keys" || caller.organization.permissions.includes(permission);
    if (!held) {
      const message = `The organization does not have the permission ${permission}.`;
      throw new GatewayError("permission_denied", { message });
    }
  }
  const { key, secret } = await issueKey(caller.organization, wanted, deps);
  deps.log("info", "key_created", { organization: key.organization, key: key.id });
  return jsonReply(keyObject(key, deps.now(), { secret }));
}

/** `GET /api/v1/keys?limit=&after=`. */
export async function listKeys(
  request: HttpRequest,
  caller: { key: KeyRecord; organization: Organization },
  deps: KeyDeps & { meters: Pick<Meters, "budgets"> },
): Promise<HttpReply> {
  requireManager(caller.key);
  const { limit, after } = readQuery<{ limit: number; after: string | undefined }>(request.query, {
    limit: readLimit(limits.keyListMax),
    after: (given) => given,
  });
  const page = { limit, ...(after ? { after } : {}) };
  const { keys, more } = await deps.accounts.keys(caller.organization.id, page);
  return jsonReply({
    object: "list",
    data: await showKeys(caller.organization, keys, deps),
    has_more: more,
    last_id: keys.at(-1)?.id ?? null,
  });
}

/** Keys of an organization as the interface shows them, each with the spent part of its budget. */
export async function showKeys(
  organization: Organization,
  keys: KeyRecord[],
  deps: Pick<KeyDeps, "now"> & { meters: Pick<Meters, "budgets"> },
): Promise<object[]> {
  const uses = await readUses(keys, organization, deps.meters);
  const now = deps.now();
  return keys.map((key) => {
    const period = key.limits?.budget_period;
    const used = period && uses.get(budgetName(key.id, budgetCounter(period, now)));
    return keyObject(key, now, used && { used });
  });
}

/** The spent parts of these keys' budgets. It reads each meter that counts for any of them once. */
async function readUses(
  keys: KeyRecord[],
  { wallet, subscription }: Organization,
  meters: Pick<Meters, "budgets">,
): Promise<Map<string, BudgetUse>> {
  const modes = new Set(keys.filter(({ limits: own }) => budgetOf(own)).map(({ mode }) => mode));
  const read = [...modes].flatMap((mode) => (mode === "payg" ? wallet : subscription)?.meter ?? []);
  const uses = await Promise.all(read.map((meter) => meters.budgets(meter)));
  return new Map(uses.flatMap((each) => [...each]));
}

/** `DELETE /api/v1/keys/:id`. It acts on the very next request. Unknown, foreign and revoked keys are 40401. */
export async function revokeKey(
  id: string,
  caller: KeyRecord,
  deps: KeyDeps & { log: Log },
): Promise<HttpReply> {
  requireManager(caller);
  const revoked = await deps.accounts.revokeKey(caller.organization, id, deps.now());
  if (!revoked) throw new GatewayError("key_not_found");
  // Tables that are restored to an earlier instant have the key as valid. This line tells it (infra/restore.md).
  deps.log("info", "key_revoked", { organization: caller.organization, key: id });
  return jsonReply({ id, object: "api_key", deleted: true });
}

function requireManager(key: KeyRecord): void {
  if (!key.permissions.includes("manage_keys")) {
    throw new GatewayError("permission_denied", { message: "The API key lacks the permission manage_keys." });
  }
}

const keyFields = new Set([
  "name",
  "billing_mode",
  "project_id",
  "permissions",
  "limits",
  "cache",
  "expires_at",
]);

function readKeyRequest(fields: Fields, now: number): KeyRequest {
  for (const name of Object.keys(fields)) {
    if (!keyFields.has(name))
      throw new GatewayError("invalid_request", { message: `\`${name}\` is unknown.`, param: name });
  }
  const mode = fields.billing_mode;
  if (mode !== "subscription" && mode !== "payg")
    throw invalidField("billing_mode", "`subscription` or `payg`");
  const project = readName(fields, "project_id") ?? "";
  const permissions = readPermissions(fields.permissions);
  // A key that manages keys can make keys for the whole organization, so it cannot belong to one project.
  if (project !== "" && permissions.includes("manage_keys")) {
    throw invalidField("permissions", "without manage_keys on a project's key");
  }
  const cache = readKeyCache(fields.cache, mode);
  return {
    name: readName(fields, "name") ?? "",
    mode,
    project,
    permissions,
    limits: readKeyLimits(fields.limits),
    ...(cache && { cache }),
    expires_at: readExpiry(fields, now),
  };
}

function readName(fields: Fields, name: string): string | undefined {
  const value = optionalString(fields, name);
  if (value === undefined) return undefined;
  if (!isName(value)) throw invalidField(name, nameRule);
  checkUnicode(value, name);
  return value;
}

function readPermissions(value: unknown): Permission[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value) || value.some((name) => !permissionNames.includes(name as Permission))) {
    throw invalidField("permissions", `an array of ${permissionNames.join(", ")}`);
  }
  return [...new Set(value as Permission[])];
}

/**
 * What a new key's calls wish of the cache; undefined where nothing is said. Throws `invalid_request` for another wish,
 * and for any on a pay-as-you-go key, whose calls have no cache.
 */
export function readKeyCache(value: unknown, mode: BillingMode): KeyCache | undefined {
  if (isAbsent(value)) return undefined;
  const wish = keyCaches.find((each) => each === value);
  if (!wish) throw invalidField("cache", keyCaches.map((each) => `\`${each}\``).join(", "));
  if (mode === "payg") throw invalidField("cache", "absent on a pay-as-you-go key");
  return wish;
}

function readExpiry(fields: Fields, now: number): number | null {
  const text = optionalString(fields, "expires_at");
  if (text === undefined) return null;
  const at = instant(text);
  if (at === undefined || at <= now)
    throw invalidField("expires_at", "a future instant in RFC 3339, such as 2030-01-01T00:00:00Z");
  return at;
}
