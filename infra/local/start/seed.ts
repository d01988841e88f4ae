/** The demo organizations and their keys, and the demo operator's token, made by the operations that the operator uses. */
import { existsSync, readFileSync } from "node:fs";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { Peppers } from "#shared/base/platform/pepper.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import type { KeyRequest } from "#shared/edges/api/key-request.ts";
import { issueKey } from "#shared/edges/api/keys.ts";
import { makeAdminToken } from "#shared/edges/operator/admin-tokens.ts";
import {
  createOrganization,
  type NewOrganization,
  type OrganizationDeps,
} from "#shared/edges/operator/organizations.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createAdminTokens } from "#shared/edges/store/admin/tokens.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { adminLimits } from "#shared/people/admin/bounds.ts";
import { isInForce, readAdminToken, type WantedToken } from "#shared/people/admin/token.ts";
import { type Demo, type DemoName, demoNames, type Endpoints, writePrivately } from "../stack/ready-file.ts";

interface Wish {
  organization: Omit<NewOrganization, "name">;
  key: Pick<KeyRequest, "mode" | "permissions">;
}

const wishes: Record<DemoName, Wish> = {
  payg: { organization: { points: "1000" }, key: { mode: "payg", permissions: [] } },
  subscription: { organization: { plan: "pro" }, key: { mode: "subscription", permissions: [] } },
  free: { organization: { plan: "free" }, key: { mode: "subscription", permissions: [] } },
  manager: { organization: { points: "1000" }, key: { mode: "payg", permissions: ["manage_keys"] } },
};

interface SeedOptions {
  aws: Aws;
  tables: Endpoints["tables"];
  peppers: Peppers;
  plans: Catalog["plans"];
  /** Keeps the keys beside the data they belong to. Without it they end with the process, as the data does. */
  file?: string;
}

/** The organizations and the token of an earlier run with this file, or new ones. */
export async function seedDemo(options: SeedOptions): Promise<Demo> {
  const { aws, tables, file } = options;
  const kept = file && existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Demo) : undefined;
  const tokens = createAdminTokens(aws, tables);
  const id = readAdminToken(kept?.operator_token ?? "");
  const token = id && (await tokens.read(id));
  if (kept && token && isInForce(token, Date.now())) return kept;
  const { token: operator_token } = await makeAdminToken(demoOperator, { tokens, now: Date.now });
  const demo = { ...(kept ?? (await makeOrganizations(options))), operator_token };
  if (file) writePrivately(file, demo);
  return demo;
}

const demoOperator: WantedToken = {
  ...{ name: "demo operator", person: "operator@demo.example", by: "npm start" },
  ...{ scopes: ["support", "finance"], days: adminLimits.tokenDaysMax },
};

async function makeOrganizations({
  aws,
  tables,
  peppers,
  plans,
}: SeedOptions): Promise<Omit<Demo, "operator_token">> {
  const deps: OrganizationDeps = {
    accounts: createAccounts(aws, tables),
    ledger: createLedger(aws, tables),
    meters: createMeters(aws, tables),
    plans: () => Object.keys(plans),
    plan: (name) => plans[name],
    now: Date.now,
  };
  const keyDeps = { accounts: deps.accounts, peppers: async () => peppers, now: Date.now };
  const made = await Promise.all(
    demoNames.map(async (name) => {
      const { organization: wanted, key } = wishes[name];
      const organization = await createOrganization({ name: `demo ${name}`, ...wanted }, deps);
      const request = { name: "demo", project: "", limits: null, expires_at: null, ...key };
      const { secret } = await issueKey(organization, request, keyDeps);
      return { name, id: organization.id, secret };
    }),
  );
  return {
    keys: Object.fromEntries(made.map(({ name, secret }) => [name, secret])),
    organizations: Object.fromEntries(made.map(({ name, id }) => [name, id])),
  } as unknown as Omit<Demo, "operator_token">;
}
