/** The operator's commands: each reads its flags, calls one operation, and gives one value. */
import { readFileSync } from "node:fs";
import type { BillingMode, Organization, Permission, PlanPeriod } from "#shared/billing/account.ts";
import { parseCatalog } from "#shared/catalog/schema.ts";
import { audit } from "#shared/operations/audit.ts";
import { checkCatalog } from "#shared/operations/catalog-check.ts";
import { issueKey, keyObject } from "#shared/operations/keys.ts";
import {
  createOrganization,
  credit,
  type OrganizationDeps,
  setPermission,
  showOrganization,
} from "#shared/operations/organizations.ts";
import { sweep } from "#shared/operations/sweep.ts";
import { log } from "#shared/platform/log.ts";
import { createAccounts } from "#shared/store/accounts.ts";
import { createLedger } from "#shared/store/ledger.ts";
import { createMeters } from "#shared/store/meters.ts";
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

const periods: readonly string[] = ["monthly", "quarterly", "yearly"];
const modes: readonly string[] = ["subscription", "payg"];
const permissions: readonly string[] = ["AVG_V2"];

function text(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

function needed(flags: Flags, name: string): string {
  const value = text(flags, name);
  if (value === undefined) throw new Error(`--${name} is needed`);
  return value;
}

function oneOf(value: string, name: string, allowed: readonly string[]): string {
  if (!allowed.includes(value)) throw new Error(`${name} must be one of ${allowed.join(", ")}`);
  return value;
}

interface Stores extends OrganizationDeps {
  ledger: ReturnType<typeof createLedger>;
  meters: ReturnType<typeof createMeters>;
}

async function storesOf({ place, flags }: Call): Promise<{ stores: Stores; connection: Connection }> {
  const connection = await place();
  const { aws, tables } = connection;
  const catalogFile = text(flags, "catalog") ?? new URL("../shared/catalog/catalog.json", import.meta.url);
  return {
    connection,
    stores: {
      accounts: createAccounts(aws, tables),
      ledger: createLedger(aws, tables),
      meters: createMeters(aws, tables),
      plans: () => Object.keys(parseCatalog(JSON.parse(readFileSync(catalogFile, "utf8"))).plans),
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
    const permission = oneOf(operands[1] ?? "", "PERMISSION", permissions) as Permission;
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
      const period = text(call.flags, "period");
      const points = text(call.flags, "points");
      const organization = await createOrganization(stores, {
        name: needed(call.flags, "name"),
        ...(plan ? { plan } : {}),
        ...(period ? { period: oneOf(period, "--period", periods) as PlanPeriod } : {}),
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
  "org freeze": { synopsis: "ID", run: setStatus("frozen") },
  "org unfreeze": { synopsis: "ID", run: setStatus("active") },
  "org grant": { synopsis: "ID PERMISSION", run: permit(true) },
  "org revoke": { synopsis: "ID PERMISSION", run: permit(false) },
  "key create": {
    synopsis: "--org ID --mode subscription|payg [--name N] [--project P] [--manage-keys]",
    async run(call) {
      const { stores, connection } = await storesOf(call);
      const organization = await organizationOf(stores, text(call.flags, "org"));
      const pepper = async () =>
        (
          await connection.aws<{ SecretString: string }>("secretsmanager", "GetSecretValue", {
            SecretId: connection.pepperSecretArn,
          })
        ).SecretString;
      const { key, secret } = await issueKey({ ...stores, pepper }, organization, {
        name: text(call.flags, "name") ?? "operator",
        mode: oneOf(needed(call.flags, "mode"), "--mode", modes) as BillingMode,
        project: text(call.flags, "project") ?? "",
        permissions: call.flags["manage-keys"] ? ["manage_keys"] : [],
        limits: null,
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
