/** The body of a new key (design §4 "Key management"): its fields and their rules. */

import { GatewayError } from "../../base/errors.ts";
import {
  checkUnicode,
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalString,
} from "../../base/json/fields.ts";
import {
  type BillingMode,
  type CacheUse,
  type KeyLimits,
  type KeyRecord,
  keyCaches,
  type Permission,
} from "../../books/accounts/account.ts";
import {
  isChosen,
  type KeyDefault,
  type KeyDefaults,
  keyDefaultRows,
} from "../../books/accounts/key-defaults.ts";
import { instant } from "../../books/billing/instant.ts";
import type { GatewaySchema } from "../openapi/route-types.ts";
import { readKeyLimits } from "./key-limits.ts";
import { isName, nameRule } from "./report-parameters.ts";

export interface KeyRequest {
  name: string;
  mode: BillingMode;
  project: string;
  permissions: Permission[];
  limits: KeyLimits | null;
  cache?: CacheUse;
  defaults?: KeyDefaults;
  expires_at: number | null;
}

/** A key that somebody asks for, with whom it descends from. */
export type NewKeyRecord = KeyRequest & Pick<KeyRecord, "created_by" | "parent" | "root">;

const permissionNames: readonly Permission[] = ["AVG_V2", "manage_keys"];

const keyFields: ReadonlySet<string> = new Set<keyof GatewaySchema<"NewKey">>([
  "name",
  "billing_mode",
  "project_id",
  "permissions",
  "limits",
  "cache",
  "defaults",
  "expires_at",
]);

/**
 * Reads the body of a new key at `now` (Unix milliseconds). Throws `invalid_request`, which names the field.
 */
export function readKeyRequest(fields: Fields, now: number): KeyRequest {
  refuseOthers(fields, keyFields);
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
  const defaults = readKeyDefaults(fields.defaults);
  return {
    name: readName(fields, "name") ?? "",
    mode,
    project,
    permissions,
    limits: readKeyLimits(fields.limits),
    ...(cache && { cache }),
    ...(defaults && { defaults }),
    expires_at: readExpiry(fields, now),
  };
}

/** Reads a change of a key: its defaults, undefined for none. Throws `invalid_request`, which names the field. */
export function readKeyChange(fields: Fields): KeyDefaults | undefined {
  refuseOthers(fields, new Set<keyof GatewaySchema<"KeyChange">>(["defaults"]));
  if (!("defaults" in fields)) throw invalidField("defaults", "an object, or null for none");
  return readKeyDefaults(fields.defaults);
}

function refuseOthers(fields: Fields, known: ReadonlySet<string>): void {
  for (const name of Object.keys(fields)) {
    if (!known.has(name))
      throw new GatewayError("invalid_request", { message: `\`${name}\` is unknown.`, param: name });
  }
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

/** A new key's wish of the cache. Throws `invalid_request` for a wrong one, and for any on a pay-as-you-go key. */
export function readKeyCache(value: unknown, mode: BillingMode): CacheUse | undefined {
  if (isAbsent(value)) return undefined;
  const wish = keyCaches.find((each) => each === value);
  if (!wish) throw invalidField("cache", keyCaches.map((each) => `\`${each}\``).join(", "));
  if (mode === "payg") throw invalidField("cache", "absent on a pay-as-you-go key");
  return wish;
}

/** The defaults that a request gives; undefined where it gives none. Throws `invalid_request` with the field's name. */
export function readKeyDefaults(value: unknown): KeyDefaults | undefined {
  if (isAbsent(value)) return undefined;
  if (!isObject(value)) throw invalidField("defaults", "an object");
  const rows = new Map<string, KeyDefault>(keyDefaultRows);
  const unknown = Object.keys(value).find((name) => !rows.has(name));
  if (unknown !== undefined) throw invalidField(`defaults.${unknown}`, "absent");
  const given = [...rows].flatMap(([name, row]) => {
    const own = readDefault(value[name], `defaults.${name}`, row);
    return own === undefined ? [] : [[name, own] as const];
  });
  return given.length === 0 ? undefined : (Object.fromEntries(given) as KeyDefaults);
}

function readDefault(value: unknown, name: string, row: KeyDefault): unknown {
  if (isAbsent(value)) return undefined;
  if (!isChosen(row)) {
    const text = typeof value === "string" ? row.read(value) : undefined;
    if (text === undefined) throw invalidField(name, row.rule);
    return text;
  }
  const { values, isList } = row;
  const texts = values.map((each) => `\`${each}\``).join(" or ");
  const isValue = (each: unknown) => values.some((own) => own === each);
  if (!isList) {
    if (!isValue(value)) throw invalidField(name, texts);
    return value;
  }
  if (!Array.isArray(value) || !value.every(isValue)) throw invalidField(name, `an array of ${texts}`);
  return value.length === 0 ? undefined : [...new Set(value)];
}

function readExpiry(fields: Fields, now: number): number | null {
  const text = optionalString(fields, "expires_at");
  if (text === undefined) return null;
  const at = instant(text);
  if (at === undefined || at <= now)
    throw invalidField("expires_at", "a future instant in RFC 3339, such as 2030-01-01T00:00:00Z");
  return at;
}
