/** The operator's commands on organizations: their wallets, and what they are allowed. */

import { limits } from "#shared/base/limits.ts";
import type { Organization, Permission } from "#shared/books/accounts/account.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import { operatorKinds } from "#shared/books/ledger/credit.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { listCredits, listOrganizations } from "#shared/edges/operator/account-lists.ts";
import { bookCredit } from "#shared/edges/operator/credits.ts";
import { createOrganization, setPermission, showOrganization } from "#shared/edges/operator/organizations.ts";
import { createAuditedCredits } from "#shared/edges/store/admin/credits.ts";
import { byCommand } from "#shared/people/admin/by.ts";
import { permissionsLine, statusLine } from "./audit-lines.ts";
import { autoTopUp } from "./auto-top-up.ts";
import { operatorBounds } from "./bounds.ts";
import { budget, budgets } from "./budgets.ts";
import {
  type Command,
  type CommandGroup,
  choice,
  command,
  count,
  flag,
  flagOf,
  needed,
  oneOf,
} from "./command.ts";
import { listLimit } from "./lists.ts";
import { news } from "./news.ts";
import { showWithRefundable } from "./orders.ts";
import { change, id, periods, sample } from "./organization-change.ts";
import { providerKeys, removeProviderKey } from "./own-keys.ts";
import { policies, policy } from "./policies.ts";
import { provisioning } from "./provisioning.ts";
import { signOn } from "./sign-on.ts";
import { organizationOf, storesOf, storesWithCatalog } from "./stores.ts";
import { lapse, plan, renew } from "./subscriptions.ts";
import { walletThresholds } from "./wallet-thresholds.ts";
import { webhooks } from "./webhooks.ts";

const permissions: readonly Permission[] = ["AVG_V2", "manage_keys"];

const permission = {
  name: "PERMISSION",
  what: permissions.join(", "),
  missing: `give the permission: ${permissions.join(", ")}`,
};
function permitting(granted: boolean): Command["run"] {
  return async (call) => {
    const stores = await storesOf(call);
    const wanted = oneOf(call.operands[1] ?? "", "PERMISSION", permissions);
    return await change({ ...call, lineOf: permissionsLine }, stores, (organization) =>
      setPermission(organization, wanted, granted, stores),
    );
  };
}

function settingStatus(status: Organization["status"]): Command["run"] {
  return async (call) => {
    const stores = await storesOf(call);
    return await change({ ...call, lineOf: statusLine }, stores, async (organization) => {
      await stores.accounts.setStatus(organization.id, status);
      return await organizationOf(stores, organization.id);
    });
  };
}

const create = command({
  words: "org create",
  what: "makes an organization with a subscription, a wallet, or both",
  more: "Without --plan it has a wallet, empty unless --points fills it. A plan's first fee is posted at once.",
  flags: {
    name: needed(flag("N", "what the organization is called")),
    plan: flag("P", "the plan it subscribes to, such as pro"),
    period: choice(periods, "how long it pays for at a time; monthly if not given"),
    points: flag("X", "opens the wallet with so many points"),
  },
  examples: {
    "--name Acme --points 100": "a wallet with 100 points",
    "--name Acme --plan pro --period yearly": "a yearly subscription",
  },
  async run(call) {
    const stores = await storesWithCatalog(call);
    const { name, plan, period, points } = call.flags;
    const organization = await createOrganization(
      { name, ...(plan ? { plan } : {}), ...(period ? { period } : {}), ...(points ? { points } : {}) },
      stores,
    );
    return { value: await showOrganization(organization, stores) };
  },
});

const list = command({
  words: "org list",
  what: "lists organizations with plan and balance, in the order they were made",
  flags: {
    name: flag("N", "only organizations that have this in their name, in capitals or not"),
    limit: listLimit,
    after: flag("ID", "those that were made after this one: the next page"),
  },
  examples: {
    "": `the first ${operatorBounds.listUsual}`,
    "--name acme": "those with acme in their name",
  },
  async run(call) {
    const { name, limit, after } = call.flags;
    return { value: await listOrganizations({ name, after, limit }, await storesOf(call)) };
  },
});

const show = command({
  words: "org show",
  what: "shows an organization: status, subscription, balance, permissions, and what of its newest orders can be paid back",
  operands: [id],
  examples: { [sample]: "one organization" },
  run: showWithRefundable,
});

const book = command({
  words: "org credit",
  what: "puts points into the wallet or, of a negative amount, takes them out",
  more: "A reference is booked once: repeating the command books nothing. A negative amount is a refund unless --kind says otherwise.",
  operands: [id],
  flags: {
    points: needed(flag("X", "how many points; negative takes them out")),
    reference: needed(flag("R", "what it is booked under, once: an order's or an invoice's number")),
    kind: choice(operatorKinds, "what the points are"),
  },
  examples: {
    [`${sample} --points 50 --reference order-1042`]: "50 points that were bought",
    [`${sample} --points -5 --reference refund-7`]: "takes 5 points back out",
  },
  forGood: ({ operand, flags: { points, reference } }) =>
    `${points} points are booked to the wallet of ${operand} under ${reference}. An entry stays; only another one can set it off.`,
  async run(call) {
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.operand);
    const { points, reference, kind } = call.flags;
    const wanted = { points, reference, ...(kind && { kind }) };
    const { aws, tables } = stores.connection;
    const value = await bookCredit(organization, wanted, byCommand, {
      ...stores,
      credits: createAuditedCredits(aws, tables),
    });
    return { value };
  },
});

const credits = command({
  words: "org credits",
  what: "lists what was credited to the wallet and taken out of it, the oldest first, and its balance now",
  operands: [id],
  examples: { [sample]: "the history of one wallet" },
  async run(call) {
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.operand);
    if (!organization.wallet) throw new Error(`the organization ${organization.id} has no wallet`);
    const rows = await listCredits(stores.ledger, organization.id);
    const balance_points = formatPoints(await stores.meters.balance(organization.wallet.meter));
    return { value: { credits: rows, balance_points } };
  },
});

const shards = command({
  words: "org shards",
  what: "sets how many items the wallet's calls are spread over",
  more: "The sweep sets the number by need. This is for a rush that is known before.",
  operands: [id],
  flags: { count: needed(flagOf("N", `1 to ${limits.shardsMax}`, count(limits.shardsMax))) },
  examples: { [`${sample} --count 4`]: "four items" },
  async run(call) {
    const stores = await storesOf(call);
    return await change(call, stores, async (organization) => {
      await tendWallet(organization.id, call.flags.count, stores);
      return await organizationOf(stores, organization.id);
    });
  },
});

const freeze = command({
  words: "org freeze",
  what: "refuses every call of the organization from the next one on, until org unfreeze",
  operands: [id],
  examples: { [sample]: "its calls get 40102" },
  run: settingStatus("frozen"),
});

const unfreeze = command({
  words: "org unfreeze",
  what: "takes calls of a frozen organization again",
  operands: [id],
  examples: { [sample]: "its calls are served again" },
  run: settingStatus("active"),
});

const grant = command({
  words: "org grant",
  what: "gives the organization a permission",
  operands: [id, permission],
  examples: { [`${sample} AVG_V2`]: "video models that need AVG_V2" },
  run: permitting(true),
});

const revoke = command({
  words: "org revoke",
  what: "takes a permission back",
  operands: [id, permission],
  examples: { [`${sample} AVG_V2`]: "no more of those video models" },
  run: permitting(false),
});

export const organizations: CommandGroup = {
  title: "Organizations",
  commands: [
    ...[create, list, show, book, credits, budgets, budget, walletThresholds, policies, policy],
    ...[providerKeys, removeProviderKey, webhooks, news, autoTopUp, shards],
    ...[freeze, unfreeze, grant, revoke, plan, lapse, renew, signOn, provisioning],
  ],
};
