/** The operator's commands on API keys. */

import { readPeppers } from "#shared/base/platform/pepper.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import {
  type BillingMode,
  type KeyLimits,
  type KeyRecord,
  keyCaches,
  type Organization,
} from "#shared/books/accounts/account.ts";
import {
  isChosen,
  type KeyDefaultName,
  type KeyDefaults,
  keyDefaultRows,
  noneOfList,
} from "#shared/books/accounts/key-defaults.ts";
import { withDefaults } from "#shared/edges/api/key-changes.ts";
import { checkKeyLimits, readKeyLimits } from "#shared/edges/api/key-limits.ts";
import { readKeyCache, readKeyDefaults } from "#shared/edges/api/key-request.ts";
import { issueKey, keyObject, newKeyObject } from "#shared/edges/api/keys.ts";
import { findKey, listAllKeys } from "#shared/edges/operator/account-lists.ts";
import { type CommandGroup, choice, command, flag, flagOf, needed, onOff } from "./command.ts";
import { keyStoresOf, organizationOf, type Stores, storesOf, storesWithCatalog } from "./stores.ts";

const modes: readonly BillingMode[] = ["subscription", "payg"];
const budgetPeriods = ["day", "month", "total"] as const;

/** Ids as the examples write them. */
const sampleOrganization = "org_01M81Z5H5K9AHWPQ118FTWPX14";
const sampleKey = "key_01M81Z5H6R6E3CQBCFXFYS02HZ";

const org = needed(flag("ID", "the organization"));
const operands = [
  { name: "KEY", what: "the key's id", missing: "give the id of the key; key list shows it" },
];

/** Reads a limit of a key. */
function limit(text: string, name: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new Error(`${name} takes a whole number from 1 on`);
  return Number(text);
}

type FlagName<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}-${FlagName<Rest>}`
  : Name;
type DefaultFlags = Record<FlagName<KeyDefaultName>, ReturnType<typeof flag>>;

/** The flags of a key's defaults, by their table. `none` takes one away. */
const defaultFlags = Object.fromEntries(
  keyDefaultRows.map(([name, row]) => [
    name.replaceAll("_", "-"),
    isChosen(row)
      ? choice(
          [...row.values, noneOfList],
          `${row.what}, where a call does not say; none leaves it to the gateway`,
        )
      : flag("TEXT", `${row.what}, as ${row.example}; ${noneOfList} takes them away`),
  ]),
) as DefaultFlags;

/** The defaults that the flags give a key that had those of `before`. What is not given stays. */
function defaultsOf(
  flags: Partial<Record<keyof DefaultFlags, string | undefined>>,
  before: KeyDefaults = {},
): KeyDefaults | undefined {
  const given = keyDefaultRows.map(([name, row]) => {
    const value = flags[name.replaceAll("_", "-") as keyof DefaultFlags];
    if (value === undefined) return [name, before[name]];
    if (value === noneOfList) return [name, undefined];
    return [name, isChosen(row) && row.isList ? [value] : value];
  });
  return readKeyDefaults(Object.fromEntries(given));
}

const create = command({
  words: "key create",
  what: "makes a key, and shows its secret this once",
  more: "The limits are the key's own. A subscription key can have any that are lower than its plan's, a pay-as-you-go key only --max-concurrency and a budget. They never change: make another key. What its calls wish by default is changed by key change.",
  flags: {
    org,
    mode: needed(choice(modes, "what pays for its calls")),
    name: flag("N", "what it is called; operator if not given"),
    project: flag("P", "the project it belongs to"),
    "manage-keys": onOff("lets it make, list and revoke keys of its organization"),
    rpm: flagOf("N", "requests in a minute", limit),
    tpm: flagOf("N", "tokens in a minute", limit),
    tpd: flagOf("N", "tokens in a day", limit),
    "max-concurrency": flagOf("N", "calls at a time", limit),
    "budget-points": flag("X", "points that it can spend in its budget's period"),
    "budget-period": choice(budgetPeriods, "the period of its budget"),
    cache: choice(
      keyCaches,
      "what its calls wish of the cache, where they say nothing; on subscriptions only",
    ),
    ...defaultFlags,
  },
  examples: {
    [`--org ${sampleOrganization} --mode payg --manage-keys`]: "a key that can make others",
    [`--org ${sampleOrganization} --mode payg --budget-points 20 --budget-period month`]:
      "at most 20 points a month",
  },
  async run(call) {
    const { flags } = call;
    const limits = limitsOf(flags);
    const cache = readKeyCache(flags.cache, flags.mode);
    const defaults = defaultsOf(flags);
    const stores = await storesWithCatalog(call);
    const organization = await organizationOf(stores, flags.org);
    checkKeyLimits({ limits, mode: flags.mode }, organization, stores.plan, stores.now());
    const { aws, pepperSecretArn } = stores.connection;
    const peppers = async () => readPeppers(await readSecret(aws, pepperSecretArn));
    const { key, secret } = await issueKey(
      organization,
      {
        name: flags.name ?? "operator",
        mode: flags.mode,
        project: flags.project ?? "",
        permissions: flags["manage-keys"] ? ["manage_keys"] : [],
        limits,
        ...(cache && { cache }),
        ...(defaults && { defaults }),
        expires_at: null,
      },
      keyStoresOf({ ...stores, peppers }, organization),
    );
    return { value: newKeyObject(key, secret, stores.now()) };
  },
});

const list = command({
  words: "key list",
  what: "lists all keys of an organization, revoked ones too, and never a secret",
  flags: { org },
  examples: { [`--org ${sampleOrganization}`]: "the keys of one organization" },
  async run(call) {
    const stores = await storesOf(call);
    return { value: await listAllKeys(await organizationOf(stores, call.flags.org), stores) };
  },
});

const change = command({
  words: "key change",
  what: "changes what a key's calls wish where their headers say nothing",
  more: "Defaults that are not given stay. Calls go by the new ones within half a minute. Limits and permissions never change: make another key.",
  operands,
  flags: { org, ...defaultFlags },
  examples: {
    [`${sampleKey} --org ${sampleOrganization} --allow-drop tools`]:
      "its calls may lose tools that a provider cannot run",
  },
  async run(call) {
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.flags.org);
    const id = call.operand;
    const before = await stores.accounts.key(organization.id, id);
    const defaults = defaultsOf(call.flags, before?.defaults);
    const changed = await keyStoresOf(stores, organization).accounts.changeKey(organization.id, id, defaults);
    if (!changed) throw new Error(`the organization ${organization.id} has no key ${id} that is in use`);
    return { value: keyObject(withDefaults(changed, defaults), stores.now()) };
  },
});

const revoke = command({
  words: "key revoke",
  what: "refuses a key from its next call on; repeating it changes nothing",
  operands,
  flags: { org },
  examples: { [`${sampleKey} --org ${sampleOrganization}`]: "its calls get 40101" },
  forGood: ({ operand }) =>
    `The key ${operand} is refused from its next call on. It can never be made valid again.`,
  async run(call) {
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.flags.org);
    const revoked = await revokeKey(stores, organization, call.operand);
    return { value: keyObject(revoked, stores.now()) };
  },
});

/** Throws where the organization has no such key. */
async function revokeKey(stores: Stores, organization: Organization, id: string): Promise<KeyRecord> {
  const { accounts } = keyStoresOf(stores, organization);
  const revoked = await accounts.revokeKey(organization.id, id, stores.now());
  const key = revoked ?? (await findKey(organization.id, id, stores));
  if (!key) throw new Error(`the organization ${organization.id} has no key ${id}`);
  return key;
}

/** The flags that are limits of a key, in the interface's order. */
const limitFlags = ["rpm", "tpm", "tpd", "max-concurrency", "budget-points", "budget-period"] as const;

/** A key's own limits. Points stay text, as in the interface. */
function limitsOf(flags: Record<(typeof limitFlags)[number], string | number | undefined>): KeyLimits | null {
  const given = limitFlags.flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [[name.replace("-", "_"), value]];
  });
  return readKeyLimits(Object.fromEntries(given));
}

export const keys: CommandGroup = { title: "Keys", commands: [create, list, change, revoke] };
