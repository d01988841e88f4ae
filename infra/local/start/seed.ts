/** The demo organizations and their keys, made by the operations that the operator uses. */
import { existsSync, readFileSync } from "node:fs";
import type { Aws } from "#shared/base/platform/aws.ts";
import type { Peppers } from "#shared/base/platform/pepper.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import type { KeyRequest } from "#shared/edges/api/key-request.ts";
import { issueKey } from "#shared/edges/api/keys.ts";
import {
  createOrganization,
  type NewOrganization,
  type OrganizationDeps,
} from "#shared/edges/operator/organizations.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
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

/** The organizations of an earlier run with this file, or new ones. */
export async function seedDemo({ aws, tables, peppers, plans, file }: SeedOptions): Promise<Demo> {
  if (file && existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Demo;
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
  const demo = {
    keys: Object.fromEntries(made.map(({ name, secret }) => [name, secret])),
    organizations: Object.fromEntries(made.map(({ name, id }) => [name, id])),
  } as unknown as Demo;
  if (file) writePrivately(file, demo);
  return demo;
}
