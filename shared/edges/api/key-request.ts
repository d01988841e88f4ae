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
import type { BillingMode, KeyLimits, KeyRecord, Permission } from "../../books/accounts/account.ts";
import {
  type CacheUse,
  isChosen,
  type KeyDefault,
  type KeyDefaults,
  keyCaches,
  keyDefaultRows,
} from "../../books/accounts/key-defaults.ts";
import type { Policy } from "../../books/accounts/policy.ts";
import { instant } from "../../books/billing/instant.ts";
import type { GatewaySchema } from "../openapi/route-types.ts";
import { readKeyLimits } from "./key-limits.ts";
import { readPolicy } from "./policy-request.ts";
import { isName, nameRule } from "./report-parameters.ts";

export interface KeyRequest {
  name: string;
  mode: BillingMode;
  project: string;
  permissions: Permission[];
  limits: KeyLimits | null;
  cache?: CacheUse;
  defaults?: KeyDefaults;
  policy?: Policy;
  expires_at: number | null;
}

/** A key that somebody asks for, with whom it descends from. */
export type NewKeyRecord = KeyRequest & Pick<KeyRecord, "created_by" | "parent" | "root" | "program">;

const permissionNames: readonly Permission[] = ["AVG_V2", "manage_keys"];

const keyFields: ReadonlySet<string> = new Set<keyof GatewaySchema<"NewKey">>([
  "name",
  "billing_mode",
  "project_id",
  "permissions",
  "limits",
  "cache",
  "defaults",
  "policy",
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
  const policy = readPolicy(fields.policy);
  return {
    name: readName(fields, "name") ?? "",
    mode,
    project,
    permissions,
    limits: readKeyLimits(fields.limits),
    ...(cache && { cache }),
    ...(defaults && { defaults }),
    ...(policy && { policy }),
    expires_at: readExpiry(fields, now),
  };
}

/** The fields of a key that a change may give, with what each is called in the key's record. */
const changeable = {
  name: "name",
  project_id: "project",
  limits: "limits",
  cache: "cache",
  defaults: "defaults",
  policy: "policy",
  expires_at: "expires_at",
} as const satisfies Record<keyof GatewaySchema<"KeyChange">, keyof KeyRequest>;
type Changeable = keyof typeof changeable;

/**
 * The key that a change leads to at `now` (Unix milliseconds), by RFC 7396. What is absent stays, null takes away, and an
 * object changes the members that it names. What comes of it is read as a new key's body is. Throws `invalid_request`,
 * which names the field.
 */
export function readKeyChange(fields: Fields, key: KeyRecord, now: number): KeyRecord {
  const given = changedFields(fields);
  if (given.includes("expires_at") && key.program)
    throw invalidField("expires_at", "absent: the program that is signed in renews its key");
  // A call may have been refused for the end of the key, and a process remembers that it can never be in force again.
  if (given.includes("expires_at") && key.expires_at !== null && key.expires_at <= now)
    throw invalidField("expires_at", "absent: the key has expired for good");
  const values = given.map((name) => [name, merged(key[changeable[name]], fields[name])]);
  const { mode: billing_mode, permissions } = key;
  const read = readKeyRequest({ ...Object.fromEntries(values), billing_mode, permissions }, now);
  const changed = given.map((name) => [changeable[name], read[changeable[name]]]);
  const after: KeyRecord = { ...key, ...Object.fromEntries(changed) };
  const taken = Object.entries(after).filter(([, value]) => value === undefined);
  for (const [name] of taken) delete after[name as "cache" | "defaults" | "policy"];
  return after;
}

/** The fields that a change of a key has. Throws `invalid_request` for none, and for one that is not known. */
export function changedFields(fields: Fields): Changeable[] {
  refuseOthers(fields, new Set(Object.keys(changeable)));
  const given = (Object.keys(changeable) as Changeable[]).filter((name) => name in fields);
  if (given.length > 0) return given;
  const names = Object.keys(changeable).map((name) => `\`${name}\``);
  throw new GatewayError("invalid_request", { message: `Give at least one of ${names.join(", ")}.` });
}

/** A value as a change leaves it. The members of limits, defaults and policies have no members of their own. */
export function merged(before: unknown, given: unknown): unknown {
  if (!isObject(given) || !isObject(before)) return given;
  const members = Object.entries({ ...before, ...given }).filter(([, value]) => value !== null);
  return Object.fromEntries(members);
}

/** Throws `invalid_request` for a field that is not known, which it names. */
export function refuseOthers(fields: Fields, known: ReadonlySet<string>): void {
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
