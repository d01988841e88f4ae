/** The operator's commands on API keys. */

import { readPeppers } from "#shared/base/platform/pepper.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import type { BillingMode } from "#shared/books/accounts/account.ts";
import { keyCaches } from "#shared/books/accounts/key-defaults.ts";
import { checkKeyLimits } from "#shared/edges/api/key-limits.ts";
import { readKeyCache } from "#shared/edges/api/key-request.ts";
import { issueKey, newKeyObject } from "#shared/edges/api/keys.ts";
import { readPolicy } from "#shared/edges/api/policy-request.ts";
import { listAllKeys } from "#shared/edges/operator/account-lists.ts";
import { type CommandGroup, choice, command, flag, flagOf, needed, onOff } from "./command.ts";
import { acted, change, disable, enable, rotate } from "./key-changes.ts";
import {
  budgetPeriods,
  defaultFlags,
  defaultsOf,
  limit,
  limitsOf,
  operands,
  org,
  sampleKey,
  sampleOrganization,
} from "./key-flags.ts";
import { givenPolicy, policyFlags } from "./policy-flags.ts";
import { keyStoresOf, organizationOf, storesOf, storesWithCatalog } from "./stores.ts";

const modes: readonly BillingMode[] = ["subscription", "payg"];

const create = command({
  words: "key create",
  what: "makes a key, and shows its secret this once",
  more: "The limits are the key's own. A subscription key can have any that are lower than its plan's, a pay-as-you-go key only --max-concurrency and a budget. key change changes them.",
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
    ...policyFlags,
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
    const policy = readPolicy(givenPolicy(flags));
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
        ...(policy && { policy }),
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

const revoke = command({
  words: "key revoke",
  what: "refuses a key from its next call on; repeating it changes nothing",
  operands,
  flags: { org },
  examples: { [`${sampleKey} --org ${sampleOrganization}`]: "its calls get 40101" },
  forGood: ({ operand }) =>
    `The key ${operand} is refused from its next call on. It can never be made valid again.`,
  async run(call) {
    return { value: await acted("revoke", call) };
  },
});

export const keys: CommandGroup = {
  title: "Keys",
  commands: [create, list, change, rotate, disable, enable, revoke],
};
