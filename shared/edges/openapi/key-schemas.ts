/** The schemas of keys (contract §4.9), by their names in the document. */

import { consoleLimits } from "../../base/console-limits.ts";
import { limits } from "../../base/limits.ts";
import {
  isChosen,
  type KeyDefault,
  type KeyDefaultName,
  type KeyDefaults,
  keyCaches,
  keyDefaultRows,
} from "../../books/accounts/key-defaults.ts";
import type { Parameter } from "./parameters.ts";
import { policyMembers, policySchema } from "./policy-schemas.ts";
import * as s from "./schema.ts";

export const billingModes = ["subscription", "payg"] as const;
const permission = s.oneOf(["AVG_V2", "manage_keys"]);

const atLeastOne = s.such(s.integer, { minimum: 1 });

const budgetPeriod = s.oneOf(["day", "month", "total"]);

export const budget = {
  period: budgetPeriod,
  spent_points: s.points,
  held_points: s.points,
  left_points: s.points,
  resets_at: s.orNull(s.instant),
};

const keyLimits = {
  rpm: s.such(atLeastOne, "Calls a minute, below the plan's."),
  tpm: s.such(atLeastOne, "Tokens a minute, below the plan's."),
  tpd: s.such(atLeastOne, "Tokens a day, below the plan's."),
  max_concurrency: s.such(atLeastOne, { maximum: limits.keyConcurrencyMax, description: "Calls in flight." }),
  budget_points: s.such(s.points, "What its calls may cost in a period. Needs `budget_period`."),
  budget_period: budgetPeriod,
};

const name = s.such(s.string, { maxLength: 128, pattern: s.plainName });
type Nullable<Of> = { [Name in keyof Of]: Of[Name] extends s.Schema<infer T> ? s.Schema<T | null> : never };
export const nullable = <Of extends Record<string, s.Schema>>(members: Of) =>
  Object.fromEntries(Object.entries(members).map(([key, schema]) => [key, s.orNull(schema)])) as Nullable<Of>;

function defaultValue(row: KeyDefault): s.Schema {
  if (!isChosen(row)) return s.such(s.string, { pattern: row.pattern, examples: [row.example] });
  return row.isList ? s.list(s.oneOf(row.values)) : s.oneOf(row.values);
}

const keyDefaultMembers = Object.fromEntries(
  keyDefaultRows.map(([each, row]) => [
    each,
    s.such(defaultValue(row), `As the header \`${row.header}\`: ${row.what}.`),
  ]),
) as { [Name in KeyDefaultName]: s.Schema<NonNullable<KeyDefaults[Name]>> };
const keyDefaultsSchema = s.closed({}, keyDefaultMembers);
/** As a request gives them: a member that is null is left out. */
const givenDefaultsSchema = s.closed({}, nullable(keyDefaultMembers));
const givenPolicySchema = s.closed({}, nullable(policyMembers));

/** The parameter for the keys of one project. */
export const keysProject: Parameter = {
  name: "project_id",
  schema: name,
  description: "The keys of one project; empty: those of none.",
};

/** A key as it is shown, without its secret. */
export const apiKey = {
  id: s.string,
  object: s.just("api_key"),
  name: s.string,
  billing_mode: s.oneOf(billingModes),
  project_id: s.such(s.string, "Empty: the key belongs to the whole organization."),
  permissions: s.list(permission),
  limits: s.orNull(s.closed({}, keyLimits)),
  budget: s.orNull(s.closed(budget)),
  cache: s.orNull(s.oneOf(keyCaches)),
  defaults: s.orNull(keyDefaultsSchema),
  policy: s.orNull(policySchema),
  status: s.oneOf(["active", "disabled", "revoked"]),
  last_four: s.string,
  program: s.orNull(
    s.such(s.string, "The program that somebody has signed in with it. Null: it is any other key."),
  ),
  old_secret_expires_at: s.orNull(
    s.such(s.instant, "When the secret before the last rotation ends. Null: it has."),
  ),
  created_at: s.instant,
  expires_at: s.orNull(s.instant),
};

const somebody = (description: string) =>
  s.orNull(s.such(s.closed({ id: s.string, name: s.string }), description));

/** Who made a key, as members are shown it. */
export const makers = {
  created_by: somebody("Null: no member made it."),
  created_by_key: s.orNull(
    s.such(s.string, "The key that made it. Null: none did, or it is from before 2026-11-28."),
  ),
  descends_from: somebody("Who made it, or the first key of the chain that made it. Null: nobody is known."),
};
export const secret = s.such(s.string, "The secret. It is shown once.");

export const keySchemas = {
  NewKey: s.closed(
    { billing_mode: s.oneOf(billingModes) },
    {
      ...nullable({ name, project_id: name, permissions: s.list(permission) }),
      limits: s.orNull(s.closed({}, nullable(keyLimits))),
      cache: s.orNull(
        s.such(s.oneOf(keyCaches), "What its calls wish of the cache. Only for subscription keys."),
      ),
      defaults: s.orNull(s.such(givenDefaultsSchema, "What its calls wish where their headers say nothing.")),
      policy: s.orNull(s.such(givenPolicySchema, "What its calls may do, beside what its levels allow.")),
      expires_at: s.orNull(s.such(s.instant, "In the future.")),
    },
  ),
  KeyChange: s.closed(
    {},
    {
      ...nullable({ name, project_id: name }),
      limits: s.orNull(s.closed({}, nullable(keyLimits))),
      cache: s.orNull(s.oneOf(keyCaches)),
      defaults: s.orNull(givenDefaultsSchema),
      policy: s.orNull(s.such(givenPolicySchema, "The rules that change. A key can only tighten them.")),
      expires_at: s.orNull(s.such(s.instant, "In the future, of a key that has not expired.")),
    },
  ),
  KeyRotation: s.closed(
    {},
    {
      overlap_seconds: s.orNull(
        s.such(s.integer, {
          minimum: 0,
          maximum: consoleLimits.secretOverlapSecondsMax,
          description: "How long the old secret stays in force.",
        }),
      ),
    },
  ),
  ApiKey: s.closed(apiKey, makers),
  CreatedKey: s.closed({ ...apiKey, key: secret }, makers),
  KeyList: s.page(s.ref("ApiKey")),
  RevokedKey: s.closed({ id: s.string, object: s.just("api_key"), deleted: s.just(true) }),
};
