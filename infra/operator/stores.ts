/** The stores of the place a command works on. What only some commands need is loaded when one asks for it. */

import type { Log } from "#shared/base/platform/log.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { instant } from "#shared/books/billing/instant.ts";
import { isDay } from "#shared/books/billing/period.ts";
import { type Catalog, type Plan, type Seller, sellerOf } from "#shared/books/catalog/catalog.ts";
import { entriesBy, withLines } from "#shared/edges/api/audited-keys.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { byOperator } from "#shared/people/orders/deps.ts";
import { defaultCatalog } from "../catalog/default-catalog.ts";
import type { CommandCall } from "./command.ts";
import type { StackConnection } from "./connection.ts";

export interface Stores {
  connection: StackConnection;
  accounts: ReturnType<typeof createAccounts>;
  ledger: ReturnType<typeof createLedger>;
  meters: ReturnType<typeof createMeters>;
  now: () => number;
}

/** The stores with what the catalog of the place says. */
interface StoresWithCatalog extends Stores {
  plans: () => string[];
  plan: (name: string) => Plan | undefined;
  seller: Seller;
}

/** Connects, and gives the stores of that place. */
export async function storesOf({ place }: Pick<CommandCall, "place">): Promise<Stores> {
  const connection = await place();
  const { aws, tables } = connection;
  return {
    connection,
    accounts: createAccounts(aws, tables),
    ledger: createLedger(aws, tables),
    meters: createMeters(aws, tables),
    now: Date.now,
  };
}

/** Does the same, and reads the catalog that is in force there. Throws where that cannot be read. */
export async function storesWithCatalog(
  call: Pick<CommandCall, "place" | "catalogFile">,
): Promise<StoresWithCatalog> {
  const stores = await storesOf(call);
  const catalog = await catalogOf(call, stores.connection);
  const plans = new Map(Object.entries(catalog.plans));
  return {
    ...stores,
    plans: () => [...plans.keys()],
    plan: (name) => plans.get(name),
    seller: sellerOf(catalog),
  };
}

/** The catalog that is in force at a place. Throws where it cannot be read. */
export async function catalogOf(
  { catalogFile }: Pick<CommandCall, "catalogFile">,
  connection: Pick<StackConnection, "catalogFile">,
): Promise<Catalog> {
  return await readCatalog(catalogFile ?? connection.catalogFile ?? defaultCatalog);
}

/** A checked catalog. The check takes as long to load as all the rest of a command. */
export async function readCatalog(path: string): Promise<Catalog> {
  const files = await import("../catalog/catalog-files.ts");
  return files.readCatalog(path);
}

/** The organization of an id. Throws when there is none. */
export async function organizationOf(
  { accounts }: Pick<Stores, "accounts">,
  id: string | undefined,
): Promise<Organization> {
  const organization = id ? await accounts.organization(id) : undefined;
  if (!organization) throw new Error(`there is no organization ${id ?? ""}`.trimEnd());
  return organization;
}

/** The stores of keys, whose changes leave the operator's lines in the audit log of this organization. */
export function keyStoresOf<With extends Stores>(stores: With, organization: Organization): With {
  const { aws, tables } = stores.connection;
  const entryOf = entriesBy({ user: byOperator, organization }, undefined, stores.now);
  return withLines({ auditedKeys: createAuditedKeys(aws, tables), entryOf }, stores);
}

/** Reads an instant as Unix milliseconds. */
export function moment(text: string, name: string): number {
  const at = instant(text);
  if (at === undefined) throw new Error(`${name} takes an instant such as 2026-11-21T00:00:00Z`);
  return at;
}

/** Reads a day of UTC as its first instant, or an instant: both as Unix milliseconds. */
export function dayOrMoment(text: string, name: string): number {
  const at = instant(isDay(text) ? `${text}T00:00:00Z` : text);
  if (at === undefined) throw new Error(`${name} takes a day such as 2026-11-21, or an instant`);
  return at;
}

/** Standard output is the command's own: `--json` promises one value there. */
export const logAside: Log = (level, event, fields) =>
  console.error(JSON.stringify({ level, event, ...fields }));
