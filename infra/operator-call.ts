/** What every command of the operator is given, and how it reads its flags and reaches the stores. */
import { readFileSync } from "node:fs";
import type { Organization } from "#shared/accounts/account.ts";
import type { Catalog } from "#shared/catalog/catalog.ts";
import { parseCatalog } from "#shared/catalog/schema.ts";
import type { OrganizationDeps } from "#shared/operations/admin/organizations.ts";
import type { SubscriptionDeps } from "#shared/operations/admin/subscriptions.ts";
import type { Log } from "#shared/platform/log.ts";
import type { ExportTerms } from "#shared/reports/export-line.ts";
import { createAccounts } from "#shared/store/accounts.ts";
import { createLedger } from "#shared/store/ledger/ledger.ts";
import { createMeters } from "#shared/store/meters/meters.ts";
import type { Connection } from "./connection.ts";

export type Flags = Partial<Record<string, string | boolean>>;

export interface Call {
  flags: Flags;
  operands: string[];
  /** Connects when a command needs the stores; `catalog check` does not. */
  place: () => Promise<Connection>;
}

/** What a command gives: one value, or text that is printed piece by piece as it comes. */
export type Outcome = { value: unknown; ok: boolean } | { text: AsyncIterable<string>; ok: boolean };

export interface Command {
  synopsis: string;
  run(call: Call): Promise<Outcome>;
}

/** A flag that takes a text; undefined when it is not given. */
export function text(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

/** A flag that must be given. Throws without it. */
export function needed(flags: Flags, name: string): string {
  const value = text(flags, name);
  if (!value) throw new Error(`--${name} is needed`);
  return value;
}

/** One of the allowed words. Throws on any other. */
export function oneOf<Word extends string>(value: string, name: string, allowed: readonly Word[]): Word {
  const word = allowed.find((each) => each === value);
  if (word === undefined) throw new Error(`${name} must be one of ${allowed.join(", ")}`);
  return word;
}

export interface Stores extends OrganizationDeps, Omit<SubscriptionDeps, "accounts" | "ledger"> {
  ledger: ReturnType<typeof createLedger>;
  meters: ReturnType<typeof createMeters>;
  /** What the catalog says of exports. */
  terms: () => ExportTerms;
}

/** An export's terms; without a name in the catalog, the seller is the product itself. */
function termsOf({ issuer, currency }: Catalog): ExportTerms {
  return { issuer: issuer ?? "Model Gateway", currency };
}

/** Connects, and gives the stores of that place. */
export async function storesOf({ place, flags }: Call): Promise<{ stores: Stores; connection: Connection }> {
  const connection = await place();
  const { aws, tables } = connection;
  const shipped = new URL("../shared/catalog/catalog.json", import.meta.url);
  const catalogFile = text(flags, "catalog") ?? connection.catalogFile ?? shipped;
  const catalog = () => parseCatalog(JSON.parse(readFileSync(catalogFile, "utf8")));
  const plans = () => catalog().plans;
  return {
    connection,
    stores: {
      accounts: createAccounts(aws, tables),
      ledger: createLedger(aws, tables),
      meters: createMeters(aws, tables),
      plans: () => Object.keys(plans()),
      plan: (name) => new Map(Object.entries(plans())).get(name),
      terms: () => termsOf(catalog()),
      now: Date.now,
    },
  };
}

/** The organization of an id. Throws when there is none. */
export async function organizationOf(stores: Stores, id: string | undefined): Promise<Organization> {
  const organization = id ? await stores.accounts.organization(id) : undefined;
  if (!organization) throw new Error(`there is no organization ${id ?? "(give its id)"}`);
  return organization;
}

/** A flag of whole seconds; undefined when it is not given. */
export function seconds(flags: Flags, name: string): number | undefined {
  const value = text(flags, name);
  if (value !== undefined && !/^\d{1,9}$/.test(value)) throw new Error(`--${name} takes seconds`);
  return value === undefined ? undefined : Number(value);
}

/** Standard output is the command's own: `--json` promises one value there. */
export const logAside: Log = (level, event, fields) =>
  console.error(JSON.stringify({ level, event, ...fields }));
