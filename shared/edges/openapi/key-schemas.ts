/** The schemas of keys (contract §4.9), by their names in the document. */

import { limits } from "../../base/limits.ts";
import { keyCaches } from "../../books/accounts/account.ts";
import { type KeyDefaultName, type KeyDefaults, keyDefaultRows } from "../../books/accounts/key-defaults.ts";
import {
  closed,
  instant,
  integer,
  just,
  list,
  oneOf,
  orNull,
  page,
  plainName,
  points,
  ref,
  type Schema,
  string,
  such,
} from "./schema.ts";

export const billingModes = ["subscription", "payg"] as const;
const permission = oneOf(["AVG_V2", "manage_keys"]);

const atLeastOne = such(integer, { minimum: 1 });

const budgetPeriod = oneOf(["day", "month", "total"]);

/** What is used of a budget. */
export const budget = {
  period: budgetPeriod,
  spent_points: points,
  held_points: points,
  left_points: points,
  resets_at: orNull(instant),
};

const keyLimits = {
  rpm: such(atLeastOne, "Calls a minute, below the plan's."),
  tpm: such(atLeastOne, "Tokens a minute, below the plan's."),
  tpd: such(atLeastOne, "Tokens a day, below the plan's."),
  max_concurrency: such(atLeastOne, { maximum: limits.keyConcurrencyMax, description: "Calls in flight." }),
  budget_points: such(points, "What its calls may cost in a period. Needs `budget_period`."),
  budget_period: budgetPeriod,
};

const name = such(string, { maxLength: 128, pattern: plainName });
type Nullable<Of> = { [Name in keyof Of]: Of[Name] extends Schema<infer T> ? Schema<T | null> : never };
const nullable = <Of extends Record<string, Schema>>(members: Of) =>
  Object.fromEntries(Object.entries(members).map(([key, schema]) => [key, orNull(schema)])) as Nullable<Of>;

/** The defaults of a key, by their table. */
const keyDefaultMembers = Object.fromEntries(
  keyDefaultRows.map(([each, { header, values, isList, what }]) => {
    const value: Schema = isList ? list(oneOf(values)) : oneOf(values);
    return [each, such(value, `As the header \`${header}\`: ${what}.`)];
  }),
) as { [Name in KeyDefaultName]: Schema<NonNullable<KeyDefaults[Name]>> };
const keyDefaultsSchema = closed({}, keyDefaultMembers);
/** As a request gives them: a member that is null is left out. */
const givenDefaultsSchema = closed({}, nullable(keyDefaultMembers));

/** A key as it is shown, without its secret. */
export const apiKey = {
  id: string,
  object: just("api_key"),
  name: string,
  billing_mode: oneOf(billingModes),
  project_id: such(string, "Empty: the key belongs to the whole organization."),
  permissions: list(permission),
  limits: orNull(closed({}, keyLimits)),
  budget: orNull(closed(budget)),
  cache: orNull(oneOf(keyCaches)),
  defaults: orNull(keyDefaultsSchema),
  status: oneOf(["active", "revoked"]),
  last_four: string,
  created_at: instant,
  expires_at: orNull(instant),
};

const somebody = (description: string) => orNull(such(closed({ id: string, name: string }), description));

/** Who made a key, as members are shown it. */
export const makers = {
  created_by: somebody("Null: no member made it."),
  created_by_key: orNull(
    such(string, "The key that made it. Null: none did, or it is from before 2026-11-28."),
  ),
  descends_from: somebody("Who made it, or the first key of the chain that made it. Null: nobody is known."),
};
export const secret = such(string, "The secret. It is shown once.");

/** The schemas by their names. */
export const keySchemas = {
  NewKey: closed(
    { billing_mode: oneOf(billingModes) },
    {
      ...nullable({ name, project_id: name, permissions: list(permission) }),
      limits: orNull(closed({}, nullable(keyLimits))),
      cache: orNull(such(oneOf(keyCaches), "What its calls wish of the cache. Only for subscription keys.")),
      defaults: orNull(such(givenDefaultsSchema, "What its calls wish where their headers say nothing.")),
      expires_at: orNull(such(instant, "In the future.")),
    },
  ),
  KeyChange: closed({ defaults: orNull(givenDefaultsSchema) }),
  ApiKey: closed(apiKey, makers),
  CreatedKey: closed({ ...apiKey, key: secret }, makers),
  KeyList: page(ref("ApiKey")),
  RevokedKey: closed({ id: string, object: just("api_key"), deleted: just(true) }),
};
