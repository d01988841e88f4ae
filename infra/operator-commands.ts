/** The operator's commands: each reads its flags, calls one operation, and gives one value. */
import { readFileSync } from "node:fs";
import type { BillingMode, Organization, Permission, PlanPeriod } from "#shared/billing/account.ts";
import { checkCatalog } from "#shared/operations/catalog-check.ts";
import { issueKey, keyObject } from "#shared/operations/keys.ts";
import {
  createOrganization,
  credit,
  setPermission,
  showOrganization,
} from "#shared/operations/organizations.ts";
import {
  type Call,
  type Command,
  needed,
  oneOf,
  organizationOf,
  type Stores,
  storesOf,
  text,
} from "./operator-call.ts";
import { ledgerCommands } from "./operator-ledger.ts";

const periods: readonly string[] = ["monthly", "quarterly", "yearly"];
const modes: readonly string[] = ["subscription", "payg"];
const permissions: readonly string[] = ["AVG_V2"];

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
  ...ledgerCommands,
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
