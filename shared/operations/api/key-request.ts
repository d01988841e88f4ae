/** The body of a new key (design §4 "Key management"): its fields and their rules. */
import {
  type BillingMode,
  type KeyCache,
  type KeyLimits,
  type KeyRecord,
  keyCaches,
  type Permission,
} from "../../accounts/account.ts";
import { GatewayError } from "../../errors.ts";
import { checkUnicode, type Fields, invalidField, isAbsent, optionalString } from "../../json/fields.ts";
import { instant } from "./instant.ts";
import { readKeyLimits } from "./key-limits.ts";
import { isName, nameRule } from "./report-parameters.ts";

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

/** A key that somebody asks for, with whom it descends from. */
export type NewKeyRecord = KeyRequest & Pick<KeyRecord, "created_by" | "parent" | "root">;

const permissionNames: readonly Permission[] = ["AVG_V2", "manage_keys"];

const keyFields = new Set([
  "name",
  "billing_mode",
  "project_id",
  "permissions",
  "limits",
  "cache",
  "expires_at",
]);

/**
 * Reads the body of a new key at `now` (Unix milliseconds). Throws `invalid_request`, which names the field.
 */
export function readKeyRequest(fields: Fields, now: number): KeyRequest {
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
