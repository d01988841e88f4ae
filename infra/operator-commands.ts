/** The operator's commands: each reads its flags, calls one operation, and gives one value. */
import type {
  BillingMode,
  KeyLimits,
  Organization,
  Permission,
  PlanPeriod,
} from "#shared/billing/account.ts";
import { creditKinds } from "#shared/billing/credit.ts";
import { creditReceipt } from "#shared/billing/receipt.ts";
import { limits } from "#shared/limits.ts";
import { instant } from "#shared/operations/instant.ts";
import { checkKeyLimits, readKeyLimits } from "#shared/operations/key-limits.ts";
import { issueKey, keyObject } from "#shared/operations/keys.ts";
import {
  createOrganization,
  credit,
  setPermission,
  showOrganization,
} from "#shared/operations/organizations.ts";
import { tendWallet } from "#shared/operations/shards.ts";
import { changePlan, setEnd } from "#shared/operations/subscriptions.ts";
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
import { ledgerCommands } from "./operator-ledger.ts";
import { taskCommands } from "./operator-tasks.ts";

const periods: readonly PlanPeriod[] = ["monthly", "quarterly", "yearly"];
const modes: readonly BillingMode[] = ["subscription", "payg"];
const permissions: readonly Permission[] = ["AVG_V2"];

/** An optional flag that is one of several words. */
function choice<Word extends string>(flags: Flags, name: string, allowed: readonly Word[]): Word | undefined {
  const value = text(flags, name);
  return value === undefined ? undefined : oneOf(value, `--${name}`, allowed);
}

/** A key's own limits, from the flags of their names. Points stay text, as in the interface. */
function limitsOf(flags: Flags): KeyLimits | null {
  const counts = ["rpm", "tpm", "tpd", "max-concurrency"];
  const given = [...counts, "budget-points", "budget-period"].flatMap((name) => {
    const value = text(flags, name);
    if (value === undefined) return [];
    return [[name.replace("-", "_"), counts.includes(name) ? Number(value) : value]];
  });
  return readKeyLimits(Object.fromEntries(given));
}

/** A command on one organization, which shows it afterwards. */
function onOrganization(
  change: (stores: Stores, organization: Organization, call: Call) => Promise<Organization>,
): Command["run"] {
  return async (call) => {
    const { stores } = await storesOf(call);
    const changed = await change(stores, await organizationOf(stores, call.operands[0]), call);
    return { value: await showOrganization(stores, changed), ok: true };
  };
}

const permit = (granted: boolean): Command["run"] =>
  onOrganization(async (stores, organization, { operands }) => {
    const permission = oneOf(operands[1] ?? "", "PERMISSION", permissions);
    return await setPermission(stores, organization, permission, granted);
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
      const organization = await createOrganization(stores, {
        name: needed(call.flags, "name"),
        ...(plan ? { plan } : {}),
        ...(period ? { period } : {}),
        ...(points ? { points } : {}),
      });
      return { value: await showOrganization(stores, organization), ok: true };
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
      const booked = await credit(stores, organization, { points, reference, ...(kind && { kind }) });
      const entry = await stores.ledger.creditOf(organization.id, reference);
      const shown = await showOrganization(stores, organization);
      return { value: { ...shown, credit: entry && { ...creditReceipt(entry), booked } }, ok: true };
    },
  },
  "org shards": {
    synopsis: "ID --count N (items the wallet's calls are spread over; the sweep changes it as need shows)",
    run: onOrganization(async (stores, organization, { flags }) => {
      const count = needed(flags, "count");
      if (!/^[1-9]\d{0,3}$/.test(count) || Number(count) > limits.shardsMax) {
        throw new Error(`--count takes 1 to ${limits.shardsMax}`);
      }
      await tendWallet(stores, organization.id, Number(count));
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
      return await changePlan(stores, organization, wanted);
    }),
  },
  "org lapse": {
    synopsis: "ID [--at RFC3339] (the subscription ends: now, or then)",
    run: onOrganization(async (stores, organization, { flags }) => {
      const at = text(flags, "at");
      const end = at === undefined ? stores.now() : instant(at);
      if (end === undefined) throw new Error("--at takes an instant in RFC 3339");
      return await setEnd(stores, organization, end);
    }),
  },
  "org renew": {
    synopsis: "ID (the subscription has no end)",
    run: onOrganization(async (stores, organization) => await setEnd(stores, organization, null)),
  },
  "key create": {
    synopsis:
      "--org ID --mode subscription|payg [--name N] [--project P] [--manage-keys]\n    [--rpm N] [--tpm N] [--tpd N] [--max-concurrency N]\n    [--budget-points X --budget-period day|month|total]",
    async run(call) {
      const { stores, connection } = await storesOf(call);
      const organization = await organizationOf(stores, text(call.flags, "org"));
      const mode = oneOf(needed(call.flags, "mode"), "--mode", modes);
      const limits = limitsOf(call.flags);
      checkKeyLimits({ limits, mode }, organization, stores.plan, stores.now());
      const pepper = async () =>
        (
          await connection.aws<{ SecretString: string }>("secretsmanager", "GetSecretValue", {
            SecretId: connection.pepperSecretArn,
          })
        ).SecretString;
      const { key, secret } = await issueKey({ ...stores, pepper }, organization, {
        name: text(call.flags, "name") ?? "operator",
        mode,
        project: text(call.flags, "project") ?? "",
        permissions: call.flags["manage-keys"] ? ["manage_keys"] : [],
        limits,
        expires_at: null,
      });
      return { value: keyObject(key, stores.now(), { secret }), ok: true };
    },
  },
  ...ledgerCommands,
  ...taskCommands,
  ...catalogCommands,
};
