/** The operator's commands that change a key. Each acts on the key's next call. */

import { consoleLimits } from "#shared/base/console-limits.ts";
import type { Fields } from "#shared/base/json/fields.ts";
import { newApiKey } from "#shared/base/platform/api-key.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import type { KeyChange } from "#shared/books/accounts/account.ts";
import { keyCaches } from "#shared/books/accounts/key-defaults.ts";
import { rfc3339 } from "#shared/books/billing/instant.ts";
import { patched } from "#shared/edges/api/key-changes.ts";
import { rotationOf } from "#shared/edges/api/key-rotation.ts";
import { keyObject, newKeyObject } from "#shared/edges/api/keys.ts";
import { actOnKey, type KeyAct } from "#shared/edges/operator/keys.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import { byCommand } from "#shared/people/admin/by.ts";
import {
  type CommandCall,
  command,
  type Flag,
  flag,
  flagOf,
  oneOf,
  usually,
  type Values,
} from "./command.ts";
import {
  budgetPeriods,
  defaultFlags,
  givenDefaults,
  givenLimits,
  limit,
  operands,
  org,
  sampleKey,
  sampleOrganization,
} from "./key-flags.ts";
import { givenPolicy, policyFlags } from "./policy-flags.ts";
import { keyStoresOf, moment, organizationOf, type Stores, storesOf, storesWithCatalog } from "./stores.ts";

/** What takes a value away. */
const none = "none";

/** A flag whose value is what `read` makes of its text, or null for `none`. */
function orNone<Value>(
  value: string,
  what: string,
  read: (text: string, name: string) => Value,
): Flag<Value | null | undefined> {
  return flagOf(`${value}|${none}`, what, (text, name) => (text === none ? null : read(text, name)));
}

const changes = {
  name: flag("N", "what it is called"),
  project: orNone("P", "the project it belongs to", (text) => text),
  rpm: orNone("N", "requests in a minute", limit),
  tpm: orNone("N", "tokens in a minute", limit),
  tpd: orNone("N", "tokens in a day", limit),
  "max-concurrency": orNone("N", "calls at a time", limit),
  "budget-points": orNone("X", "points that it can spend in its budget's period", (text) => text),
  "budget-period": orNone(budgetPeriods.join("|"), "the period of its budget", (text, name) =>
    oneOf(text, name, budgetPeriods),
  ),
  cache: orNone(
    keyCaches.join("|"),
    "what its calls wish of the cache, where they say nothing",
    (text, name) => oneOf(text, name, keyCaches),
  ),
  "expires-at": orNone("T", "when it ends", (text, name) => rfc3339(moment(text, name))),
};

/** What the flags change, as a request gives it. */
function givenFields(flags: Values<typeof changes & typeof defaultFlags & typeof policyFlags>): Fields {
  const given = {
    name: flags.name,
    project_id: flags.project,
    limits: givenLimits(flags),
    cache: flags.cache,
    defaults: givenDefaults(flags),
    policy: givenPolicy(flags),
    expires_at: flags["expires-at"],
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Makes a change, and shows the key after it. */
async function changed(...[call, stores, wanted]: Parameters<typeof changedKey>) {
  return { value: keyObject(await changedKey(call, stores, wanted), stores.now()) };
}

/** Makes a change, and gives the key after it. Throws where the organization has no such key in use. */
async function changedKey(
  { operand: id, flags }: { operand: string; flags: { org: string } },
  stores: Stores,
  wanted: Omit<KeyChange, "at">,
) {
  const organization = await organizationOf(stores, flags.org);
  const { accounts } = keyStoresOf(stores, organization);
  const done = await accounts.changeKey(organization.id, id, { ...wanted, at: stores.now() });
  if (!done) throw new Error(`the organization ${organization.id} has no key ${id} that is in use`);
  return done.after;
}

/** Acts on the key that a command names, and shows it after that. */
export async function acted(
  act: KeyAct,
  call: Pick<CommandCall, "place" | "operand"> & { flags: { org: string } },
) {
  const stores = await storesOf(call);
  const { aws, tables } = stores.connection;
  const organization = await organizationOf(stores, call.flags.org);
  const of = { organization, id: call.operand, by: byCommand };
  const key = await actOnKey(act, of, { ...stores, auditedKeys: createAuditedKeys(aws, tables) });
  return keyObject(key, stores.now());
}

/** Reads an overlap. */
function seconds(text: string, name: string): number {
  const most = consoleLimits.secretOverlapSecondsMax;
  if (!/^\d{1,7}$/.test(text) || Number(text) > most) throw new Error(`${name} takes 0 to ${most} seconds`);
  return Number(text);
}

export const change = command({
  words: "key change",
  what: "changes a key: its name, limits, policy, defaults and end",
  more: "What is not given stays. Its next call goes by the change. Mode and permissions never change: make another key.",
  operands,
  flags: {
    org,
    ...changes,
    ...defaultFlags,
    ...policyFlags,
  },
  examples: {
    [`${sampleKey} --org ${sampleOrganization} --allow-drop tools`]:
      "its calls may lose tools that a provider cannot run",
    [`${sampleKey} --org ${sampleOrganization} --budget-points 50 --budget-period month`]:
      "at most 50 points a month",
  },
  async run(call) {
    const stores = await storesWithCatalog(call);
    const organization = await organizationOf(stores, call.flags.org);
    const fields = givenFields(call.flags);
    const of: KeyChange["of"] = (key) => patched(key, fields, { organization }, stores);
    return await changed(call, stores, { kind: "key_changed", of });
  },
});

export const rotate = command({
  words: "key rotate",
  what: "gives a key another secret, and shows it this once",
  more: "The key stays the same: its id, its limits and what it has spent. A key has one old secret at most: another rotation ends it.",
  operands,
  flags: {
    org,
    overlap: usually(0, flagOf("SECONDS", "how long the old secret stays in force; 0 if not given", seconds)),
  },
  examples: {
    [`${sampleKey} --org ${sampleOrganization} --overlap 3600`]: "the old secret works for an hour more",
  },
  async run(call) {
    const stores = await storesOf(call);
    const { aws, pepperSecretArn } = stores.connection;
    const organization = await organizationOf(stores, call.flags.org);
    const found = await stores.accounts.key(organization.id, call.operand);
    if (!found) throw new Error(`the organization ${organization.id} has no key ${call.operand}`);
    const peppers = readPeppers(await readSecret(aws, pepperSecretArn));
    const made = newApiKey(found.mode);
    const { change, of } = rotationOf(made, { overlap: call.flags.overlap }, peppers, stores.now);
    const after = await changedKey(call, stores, { ...change, of });
    return { value: newKeyObject(after, made.secret, stores.now()) };
  },
});

export const disable = command({
  words: "key disable",
  what: "refuses a key from its next call on, until key enable",
  operands,
  flags: { org },
  examples: { [`${sampleKey} --org ${sampleOrganization}`]: "its calls get 40101, which says so" },
  run: async (call) => ({ value: await acted("disable", call) }),
});

export const enable = command({
  words: "key enable",
  what: "lets a key that was disabled make calls again, whoever disabled it",
  operands,
  flags: { org },
  examples: { [`${sampleKey} --org ${sampleOrganization}`]: "its calls are admitted again" },
  run: async (call) => ({ value: await acted("enable", call) }),
});
