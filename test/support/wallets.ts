/** Wallets of several shards on the embedded DynamoDB, and calls on them as the gateway makes them. */
import { expect } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { Admission } from "#shared/books/meters/admission.ts";
import type { Hold } from "#shared/books/meters/hold.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import type { Rushes } from "#shared/calls/access/rushes.ts";
import { take } from "#shared/calls/access/take.ts";
import { audit } from "#shared/edges/audit/audit.ts";
import { tendWallet } from "#shared/edges/jobs/shards.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { emptyQueue } from "./audit-books.ts";
import type { Database } from "./dynamodb.ts";
import { intentOf, noon, walletHold } from "./store.ts";

/** The stores over a client, as the operations take them. */
export function storesOn(aws: Aws, { tables }: Database) {
  return {
    accounts: createAccounts(aws, tables),
    meters: createMeters(aws, tables),
    ledger: createLedger(aws, tables),
    replays: createReplays(aws, tables),
    log: () => {},
    now: () => noon,
  };
}

/** An organization with a wallet of `points` over so many shards. */
export async function newWallet(db: Database, points: string, shards = 1): Promise<Organization> {
  const { accounts, meters, ledger } = storesOn(db.aws, db);
  const meter = newId("meter", noon);
  const organization: Organization = {
    id: newId("organization", noon),
    name: "Acme",
    status: "active",
    subscription: null,
    wallet: { meter, shards: 1 },
    permissions: [],
    created_at: noon,
  };
  await meters.open(meter, 0, "payg");
  await accounts.createOrganization(organization);
  const credit = { organization: organization.id, meter, reference: "opening", at: noon };
  await ledger.credit({ ...credit, points: parsePoints(points) });
  if (shards > 1) await tendWallet(organization.id, shards, { accounts, meters, ledger });
  return (await accounts.organization(organization.id)) ?? organization;
}

/** A key of the organization, which is not stored yet. */
export function keyOf({ id: organization }: Organization): KeyRecord {
  const id = newId("key", noon);
  return {
    id,
    hash: `hash of ${id}`,
    organization,
    project: "",
    name: "test",
    mode: "payg",
    permissions: [],
    limits: null,
    status: "active",
    last_four: "abcd",
    created_at: noon,
    expires_at: null,
  };
}

/** A client that lets something else happen before the first call that `isIt`. */
export function after(
  aws: Aws,
  isIt: (action: string, input: object) => boolean,
  happening: () => Promise<unknown>,
): Aws {
  let happened = false;
  return async (service, action, input) => {
    if (!happened && isIt(action, input as object)) {
      happened = true;
      await happening();
    }
    return await aws(service, action, input);
  };
}

/** A call of so many points, taken as the gateway takes it. */
export async function call(
  aws: Aws,
  db: Database,
  { id, wallet }: Organization,
  points: string,
  place: { shards?: number; home?: string; note?: Rushes["note"] } = {},
): Promise<{ hold: Hold; admission: Admission }> {
  const hold = walletHold(wallet?.meter ?? "", points, noon, place.home);
  const { note = () => {} } = place;
  const choice = { shards: place.shards ?? wallet?.shards ?? 1, home: place.home ?? null };
  return await take(hold, intentOf(hold, id), { choice }, { ...storesOn(aws, db), rushes: { note } });
}

/** Every shard that was ever opened. */
export async function shardsOf(db: Database, { wallet }: Organization): Promise<Meter[]> {
  return await storesOn(db.aws, db).meters.shardsOf(wallet?.meter ?? "");
}

/** Checks each item's own sum, and that together they were granted what was credited. */
export async function expectConserved(db: Database, organization: Organization, credited: bigint) {
  const items = await shardsOf(db, organization);
  for (const { granted, avail, used, holds, seized } of items) {
    const held = [...holds.values(), ...seized.values()].reduce((sum, { points }) => sum + points, 0n);
    expect(avail + held + used).toBe(granted);
  }
  expect(items.reduce((sum, { granted }) => sum + granted, 0n)).toBe(credited);
  return items;
}

/** Closes every hold there is, and checks every invariant of the ledger. */
export async function expectCleanBooks(db: Database): Promise<void> {
  const stores = storesOn(db.aws, db);
  await sweep({ older_than_seconds: 0 }, stores);
  const report = await audit({
    ...stores,
    kept: createKeptBooks(db.aws, db.tables),
    tasks: createTasks(db.aws, db.tables),
    queue: emptyQueue,
    now: Date.now,
  });
  // What these calls are charged is made up, and not the price of a usage.
  const wrong = report.invariants.filter(({ holds, name }) => !holds && name !== "charges_follow_prices");
  expect(wrong).toEqual([]);
}
