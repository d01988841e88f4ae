/** The operator's commands: each reads its flags, calls one operation, and gives one value. */
import { readFileSync } from "node:fs";
import type {
  BillingMode,
  KeyLimits,
  Organization,
  Permission,
  PlanPeriod,
} from "#shared/billing/account.ts";
import { parseCatalog } from "#shared/catalog/schema.ts";
import { limits } from "#shared/limits.ts";
import { audit } from "#shared/operations/audit.ts";
import { checkCatalog } from "#shared/operations/catalog-check.ts";
import { instant } from "#shared/operations/instant.ts";
import { checkKeyLimits, readKeyLimits } from "#shared/operations/key-limits.ts";
import { issueKey, keyObject } from "#shared/operations/keys.ts";
import {
  createOrganization,
  credit,
  type OrganizationDeps,
  setPermission,
  showOrganization,
} from "#shared/operations/organizations.ts";
import { seal } from "#shared/operations/seal.ts";
import { tendWallet } from "#shared/operations/shards.ts";
import { changePlan, type SubscriptionDeps, setEnd } from "#shared/operations/subscriptions.ts";
import { sweep } from "#shared/operations/sweep.ts";
import { log } from "#shared/platform/log.ts";
import { createAccounts } from "#shared/store/accounts.ts";
import { createLedger } from "#shared/store/ledger.ts";
import { createMeters } from "#shared/store/meters.ts";
import { createSeals } from "#shared/store/seals.ts";
import { queueDepth } from "#shared/store/usage-queue.ts";
import type { Connection } from "./connection.ts";
import { taskCommands } from "./task-commands.ts";

export type Flags = Partial<Record<string, string | boolean>>;

export interface Call {
  flags: Flags;
  operands: string[];
  /** Connects when a command needs the stores; `catalog check` does not. */
  place: () => Promise<Connection>;
}

export interface Command {
  synopsis: string;
  run(call: Call): Promise<{ value: unknown; ok: boolean }>;
}

const periods: readonly PlanPeriod[] = ["monthly", "quarterly", "yearly"];
const modes: readonly BillingMode[] = ["subscription", "payg"];
const permissions: readonly Permission[] = ["AVG_V2"];

function text(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

function needed(flags: Flags, name: string): string {
  const value = text(flags, name);
  if (value === undefined) throw new Error(`--${name} is needed`);
  return value;
}

function oneOf<Word extends string>(value: string, name: string, allowed: readonly Word[]): Word {
  const word = allowed.find((each) => each === value);
  if (word === undefined) throw new Error(`${name} must be one of ${allowed.join(", ")}`);
  return word;
}

/** An optional flag that is one of several words. */
function choice<Word extends string>(flags: Flags, name: string, allowed: readonly Word[]): Word | undefined {
  const value = text(flags, name);
  return value === undefined ? undefined : oneOf(value, `--${name}`, allowed);
}

interface Stores extends OrganizationDeps, Omit<SubscriptionDeps, "accounts"> {
  ledger: ReturnType<typeof createLedger>;
  meters: ReturnType<typeof createMeters>;
}

/** A key's own limits, from the flags of their names. */
function limitsOf(flags: Flags): KeyLimits | null {
  const given = ["rpm", "tpm", "tpd", "max-concurrency"].flatMap((name) => {
    const value = text(flags, name);
    return value === undefined ? [] : [[name.replace("-", "_"), Number(value)]];
  });
  return readKeyLimits(Object.fromEntries(given));
}

async function storesOf({ place, flags }: Call): Promise<{ stores: Stores; connection: Connection }> {
  const connection = await place();
  const { aws, tables } = connection;
  const catalogFile = text(flags, "catalog") ?? new URL("../shared/catalog/catalog.json", import.meta.url);
  const plans = () => parseCatalog(JSON.parse(readFileSync(catalogFile, "utf8"))).plans;
  return {
    connection,
    stores: {
      accounts: createAccounts(aws, tables),
      ledger: createLedger(aws, tables),
      meters: createMeters(aws, tables),
      plans: () => Object.keys(plans()),
      plan: (name) => new Map(Object.entries(plans())).get(name),
      now: Date.now,
    },
  };
}

async function organizationOf(stores: Stores, id: string | undefined): Promise<Organization> {
  const organization = id ? await stores.accounts.organization(id) : undefined;
  if (!organization) throw new Error(`there is no organization ${id ?? "(give its id)"}`);
  return organization;
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
    synopsis: "ID --points X --reference R (repeating a reference books nothing)",
    run: onOrganization(async (stores, organization, { flags }) => {
      await credit(stores, organization, needed(flags, "points"), needed(flags, "reference"));
      return organization;
    }),
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
      "--org ID --mode subscription|payg [--name N] [--project P] [--manage-keys]\n    [--rpm N] [--tpm N] [--tpd N] [--max-concurrency N]",
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
      return { value: keyObject(key, secret), ok: true };
    },
  },
  sweep: {
    synopsis: "[--older-than SECONDS] (closes the holds of calls that died)",
    async run(call) {
      const { stores } = await storesOf(call);
      const seconds = text(call.flags, "older-than");
      if (seconds !== undefined && !/^\d{1,7}$/.test(seconds)) throw new Error("--older-than takes seconds");
      const result = await sweep(
        { ...stores, log },
        seconds === undefined ? {} : { older_than_seconds: Number(seconds) },
      );
      return { value: result, ok: true };
    },
  },
  seal: {
    synopsis: "(seals the days and months that are over for two hours; exits 1 when one fails)",
    async run(call) {
      const { stores, connection } = await storesOf(call);
      const seals = createSeals(connection.aws, connection.tables);
      const result = await seal({ ...stores, seals, log });
      return { value: result, ok: result.failed === 0 };
    },
  },
  ...taskCommands,
  audit: {
    synopsis: "(the ledger's invariants; exits 1 when one fails)",
    async run(call) {
      const { stores, connection } = await storesOf(call);
      const { aws, usageQueueUrl, deadLetterQueueUrl } = connection;
      const pending = async () =>
        (await queueDepth(aws, usageQueueUrl)) + (await queueDepth(aws, deadLetterQueueUrl));
      const report = await audit({ ...stores, pending });
      return { value: report, ok: report.ok };
    },
  },
  "catalog check": {
    synopsis: "FILE",
    async run({ operands }) {
      const [file] = operands;
      if (!file) throw new Error("give the catalog's file");
      const report = checkCatalog(readFileSync(file, "utf8"));
      return { value: report, ok: report.ok };
    },
  },
};
