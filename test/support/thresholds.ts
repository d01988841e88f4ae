/** Looks at the thresholds of an organization's meters, as the sweep's pass makes them, and what the log then tells. */
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord, LevelBudget, Organization, Subscription } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { boundsOf } from "#shared/books/meters/levels.ts";
import type { Meter } from "#shared/books/meters/meter.ts";
import { type ThresholdDeps, ThresholdLooks } from "#shared/edges/jobs/tell-thresholds.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { createThresholds } from "#shared/edges/store/thresholds.ts";
import type { AuditEntry } from "#shared/people/identity/audit.ts";
import type { Database } from "./dynamodb.ts";
import { admit, noon, settlement, walletHold } from "./store.ts";
import { keyOf, newWallet, storesOn } from "./wallets.ts";

export interface Look {
  aws?: Aws;
  now?: number;
  /** Also at what no call moves. */
  isWhole?: boolean;
  plan?: ThresholdDeps["plan"];
  thresholds?: ThresholdDeps["thresholds"];
  log?: ThresholdDeps["log"];
}

/** Each look comes later than the one before, unless the test says when. */
let looks = 0;

/** A look at all meters of an organization. */
export async function lookAt(db: Database, { id }: Organization, look: Look = {}): Promise<void> {
  const { aws = db.aws, now = noon + ++looks, isWhole = true, plan = () => undefined, log = failing } = look;
  const { wallet, subscription } = (await storesOn(db.aws, db).accounts.organization(id)) ?? {};
  const page: Meter[] = [];
  for (const own of [wallet, subscription])
    if (own) page.push(...(await storesOn(db.aws, db).meters.shardsOf(own.meter)));
  const thresholds = look.thresholds ?? createThresholds(aws, db.tables);
  const deps = { ...storesOn(aws, db), thresholds, plan, topUp: async () => {}, log, now: () => now };
  await new ThresholdLooks(deps).lookAt(page, isWhole);
}

/** A look of a test does not fail, unless the test says so. */
const failing: ThresholdDeps["log"] = (level, event, more) => {
  if (level === "error") throw new Error(`${event}: ${JSON.stringify(more)}`);
};

/** The log of an organization, the oldest line first. */
export async function linesOf({ aws, tables }: Database, { id }: Organization): Promise<AuditEntry[]> {
  const { entries } = await createAuditLog(aws, tables).entries(id, { limit: 1_000 });
  return entries.toReversed();
}

/** What its lines say of thresholds, in short: the percent of a budget or quota, and the kind of any other. */
export async function toldTo(db: Database, organization: Organization): Promise<unknown[]> {
  return (await linesOf(db, organization)).map(({ kind, after }) => after?.percent ?? after?.days ?? kind);
}

/** Gives an organization budgets, and it with them. */
export async function withBudgets(
  db: Database,
  { id }: Organization,
  budgets: LevelBudget[],
): Promise<Organization> {
  const { accounts } = storesOn(db.aws, db);
  const before = (await accounts.organization(id))?.budgets;
  if (!(await accounts.changeBudgets(id, { before, after: budgets, at: noon }))) throw new Error("not set");
  return (await accounts.organization(id)) as Organization;
}

/** A monthly budget of the whole organization. */
export const monthly = (points: string): LevelBudget => ({
  level: "organization",
  id: "",
  points,
  period: "month",
});

/** An organization with a wallet over so many shards, and a budget of 100 points a month. */
export async function budgetedWallet(db: Database, shards = 1): Promise<Organization> {
  return await withBudgets(db, await newWallet(db, "1000", shards), [monthly("100")]);
}

/** A call of a wallet that was charged so many points, on a shard, with the budgets of its organization. */
export async function spend(
  db: Database,
  { id, wallet }: Organization,
  points: string,
  { at = noon, shard = 0, key }: { at?: number; shard?: number; key?: KeyRecord } = {},
): Promise<void> {
  const { accounts, meters } = storesOn(db.aws, db);
  const organization = (await accounts.organization(id)) as Organization;
  const by = key ?? keyOf(organization);
  const bounds = boundsOf(organization, { key: by, user: null });
  const hold = {
    ...{ ...walletHold(wallet?.meter ?? "", points, at, by.id), shard },
    ...(by.limits && { limits: by.limits }),
    ...(bounds.length > 0 && { bounds }),
  };
  await meters.settle(await admit(meters, hold), settlement({ points: parsePoints(points), at: at + 1 }));
}

/** Takes points off a counter of the first shard, as a correction does. */
export async function takeBack(
  { aws, tables }: Database,
  { wallet }: Organization,
  counter: string,
  points: string,
): Promise<void> {
  await aws("dynamodb", "UpdateItem", {
    TableName: tables.counters,
    Key: meterKey(wallet?.meter ?? "", 0),
    UpdateExpression: "ADD #counter :less",
    ExpressionAttributeNames: { "#counter": counter },
    ExpressionAttributeValues: { ":less": { N: String(-parsePoints(points)) } },
  });
}

/** A subscription that began at noon. */
export function subscriptionOf(plan: string): Subscription {
  return { plan, period: "monthly", meter: newId("meter", noon), started_at: noon, ends_at: null };
}
