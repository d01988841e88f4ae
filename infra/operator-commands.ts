/** The operator's commands: each reads its flags, calls one operation, and gives one value. */
import type { Organization, Permission, PlanPeriod } from "#shared/accounts/account.ts";
import { formatPoints } from "#shared/billing/points.ts";
import { creditKinds } from "#shared/ledger/credit.ts";
import { limits } from "#shared/limits.ts";
import { listCredits, listOrganizations } from "#shared/operations/admin/account-lists.ts";
import {
  createOrganization,
  credit,
  setPermission,
  showOrganization,
} from "#shared/operations/admin/organizations.ts";
import { changePlan, setEnd } from "#shared/operations/admin/subscriptions.ts";
import { instant } from "#shared/operations/api/instant.ts";
import { tendWallet } from "#shared/operations/jobs/shards.ts";
import { creditReceipt } from "#shared/reports/receipt.ts";
import {
  type Call,
  type Command,
  type Flags,
  needed,
  oneOf,
  organizationOf,
  type Stores,
  storesOf,
  text,
} from "./operator-call.ts";
import { catalogCommands } from "./operator-catalog.ts";
import { keyCommands } from "./operator-keys.ts";
import { ledgerCommands } from "./operator-ledger.ts";
import { taskCommands } from "./operator-tasks.ts";

const periods: readonly PlanPeriod[] = ["monthly", "quarterly", "yearly"];
/** Organizations that a list shows unless it is told otherwise. */
const organizationsAtOnce = 100;
const permissions: readonly Permission[] = ["AVG_V2"];

/** An optional flag that is one of several words. */
function choice<Word extends string>(flags: Flags, name: string, allowed: readonly Word[]): Word | undefined {
  const value = text(flags, name);
  return value === undefined ? undefined : oneOf(value, `--${name}`, allowed);
}

/** A command on one organization, which shows it afterwards. */
function onOrganization(
  change: (stores: Stores, organization: Organization, call: Call) => Promise<Organization>,
): Command["run"] {
  return async (call) => {
    const { stores } = await storesOf(call);
    const changed = await change(stores, await organizationOf(stores, call.operands[0]), call);
    return { value: await showOrganization(changed, stores), ok: true };
  };
}

const permit = (granted: boolean): Command["run"] =>
  onOrganization(async (stores, organization, { operands }) => {
    const permission = oneOf(operands[1] ?? "", "PERMISSION", permissions);
    return await setPermission(organization, permission, granted, stores);
  });

const setStatus = (status: Organization["status"]): Command["run"] =>
  onOrganization(async (stores, { id }) => {
    await stores.accounts.setStatus(id, status);
    return await organizationOf(stores, id);
  });

export const commands: Record<string, Command> = {
  "org create": {
    synopsis: "--name N [--plan P --period monthly|quarterly|yearly] [--points X]",
    async run(call) {
      const { stores } = await storesOf(call);
      const plan = text(call.flags, "plan");
      const period = choice(call.flags, "period", periods);
      const points = text(call.flags, "points");
      const organization = await createOrganization(
        {
          name: needed(call.flags, "name"),
          ...(plan ? { plan } : {}),
          ...(period ? { period } : {}),
          ...(points ? { points } : {}),
        },
        stores,
      );
      return { value: await showOrganization(organization, stores), ok: true };
    },
  },
  "org list": {
    synopsis:
      "[--name N] [--limit N] [--after ID] (the oldest first; --name: those that have it in their name)",
    async run(call) {
      const { stores } = await storesOf(call);
      const limit = text(call.flags, "limit") ?? String(organizationsAtOnce);
      if (!/^[1-9]\d{0,3}$/.test(limit)) throw new Error("--limit takes 1 to 9999");
      const [name, after] = [text(call.flags, "name"), text(call.flags, "after")];
      const page = await listOrganizations({ name, after, limit: Number(limit) }, stores);
      return { value: page, ok: true };
    },
  },
  "org show": { synopsis: "ID", run: onOrganization(async (_, organization) => organization) },
  "org credit": {
    synopsis:
      "ID --points X --reference R [--kind bought|promotional|refund|adjustment]\n    (a negative amount is a refund by itself; repeating a reference books nothing)",
    async run(call) {
      const { stores } = await storesOf(call);
      const organization = await organizationOf(stores, call.operands[0]);
      const [points, reference] = [needed(call.flags, "points"), needed(call.flags, "reference")];
      const kind = choice(call.flags, "kind", creditKinds);
      const booked = await credit(organization, { points, reference, ...(kind && { kind }) }, stores);
      const entry = await stores.ledger.creditOf(organization.id, reference);
      const shown = await showOrganization(organization, stores);
      return { value: { ...shown, credit: entry && { ...creditReceipt(entry), booked } }, ok: true };
    },
  },
  "org credits": {
    synopsis:
      "ID (what was credited to the wallet and taken out of it, the oldest first, and its balance now)",
    async run(call) {
      const { stores } = await storesOf(call);
      const { id, wallet } = await organizationOf(stores, call.operands[0]);
      if (!wallet) throw new Error(`the organization ${id} has no wallet`);
      const credits = await listCredits(stores.ledger, id);
      const balance_points = formatPoints(await stores.meters.balance(wallet.meter));
      return { value: { credits, balance_points }, ok: true };
    },
  },
  "org shards": {
    synopsis: "ID --count N (items the wallet's calls are spread over; the sweep changes it as need shows)",
    run: onOrganization(async (stores, organization, { flags }) => {
      const count = needed(flags, "count");
      if (!/^[1-9]\d{0,3}$/.test(count) || Number(count) > limits.shardsMax) {
        throw new Error(`--count takes 1 to ${limits.shardsMax}`);
      }
      await tendWallet(organization.id, Number(count), stores);
      return await organizationOf(stores, organization.id);
    }),
  },
  "org freeze": { synopsis: "ID", run: setStatus("frozen") },
  "org unfreeze": { synopsis: "ID", run: setStatus("active") },
  "org grant": { synopsis: "ID PERMISSION", run: permit(true) },
  "org revoke": { synopsis: "ID PERMISSION", run: permit(false) },
  "org plan": {
    synopsis: "ID --plan P [--period …] (more calls a month at once, else with the next quota month)",
    run: onOrganization(async (stores, organization, { flags }) => {
      const period = choice(flags, "period", periods);
      const wanted = { plan: needed(flags, "plan"), ...(period ? { period } : {}) };
      return await changePlan(organization, wanted, stores);
    }),
  },
  "org lapse": {
    synopsis: "ID [--at RFC3339] (the subscription ends: now, or then)",
    run: onOrganization(async (stores, organization, { flags }) => {
      const at = text(flags, "at");
      const end = at === undefined ? stores.now() : instant(at);
      if (end === undefined) throw new Error("--at takes an instant such as 2026-11-21T00:00:00Z");
      return await setEnd(organization, end, stores);
    }),
  },
  "org renew": {
    synopsis: "ID (the subscription has no end)",
    run: onOrganization(async (stores, organization) => await setEnd(organization, null, stores)),
  },
  ...keyCommands,
  ...ledgerCommands,
  ...taskCommands,
  ...catalogCommands,
};
