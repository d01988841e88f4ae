/**
 * Books of any number of entries for measuring the audit. Entries, hashes, rollups and charges are made by the product's own
 * functions; what is written in large numbers goes to the tables in batches. The same seed makes the same calls.
 */
import { ulid } from "ulid";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { quotaPeriod, spanOf } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { endCall } from "#shared/books/ledger/end-call.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { addSums } from "#shared/books/reports/report.ts";
import { postPlanFees } from "#shared/edges/jobs/plan-fees.ts";
import { seal } from "#shared/edges/jobs/seal.ts";
import { createOrganization } from "#shared/edges/operator/organizations.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { type Item, toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { entryKey, meterKey, rollupKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { updateItem } from "#shared/edges/store/dynamodb/items.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import {
  columns,
  entryItem,
  placesOf,
  posting,
  type RollupAddition,
  shareOf,
  usageEntry,
} from "#shared/edges/store/ledger/postings.ts";
import { createPriceHistory } from "#shared/edges/store/ledger/price-history.ts";
import { createSeals } from "#shared/edges/store/ledger/seals.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import type { Database } from "#test/support/dynamodb.ts";
import { catalog } from "#test/support/orders.ts";
import { Random } from "../simulation/random.ts";

/** The calls of one organization lie in every hour of a month. */
const from = Date.parse("2026-10-28T00:00:00Z");
const hours = 30 * 24;
const hourMs = 3_600_000;
/** A call in this many milliseconds, by which an organization makes 100,000 in the month. */
const entriesOfOne = 100_000;
/** What DynamoDB takes at once, and how many such writes are on their way. */
const [batchMax, batchesAtOnce] = [25, 4];

const models = [
  ["acme/Sonic-1-5", "2.5", "10"],
  ["acme/Sonic-1-5-mini", "0.15", "0.6"],
  ["other/Large-2", "3", "15"],
].map(([model = "", input = "", output = ""]) => ({
  model,
  price: pinPrice({ mode: "flat_tokens", input, output, cache_read: "0.25", cache_write: "3.125" }, "1"),
}));

/** Where the last call was made: the audit's clock stands a little later. */
export const until = from + hours * hourMs;

/** Fills empty tables with so many entries, and tells how many there are now and then. */
export async function fillBooks(
  database: Database,
  entries: number,
  seed: number,
  tell: (written: number) => void,
): Promise<void> {
  const random = new Random(seed);
  const organizations = Math.max(1, Math.round(entries / entriesOfOne));
  let written = 0;
  for (let left = organizations; left > 0; left--) {
    const own = Math.floor((entries - written) / left);
    await fillOne(database, own, random, (count) => tell(written + count));
    written += own;
  }
  await useSchedules(database);
}

/** An organization with a wallet, a plan and four keys, and its calls. */
async function fillOne(
  database: Database,
  entries: number,
  random: Random,
  tell: (written: number) => void,
): Promise<void> {
  const { aws, tables } = database;
  const [accounts, ledger, meters] = [
    createAccounts(aws, tables),
    createLedger(aws, tables),
    createMeters(aws, tables),
  ];
  const deps = { accounts, ledger, meters, plans: () => ["pro"], plan: catalog.plan, now: () => from };
  const organization = await createOrganization({ name: "Acme", plan: "pro", points: "1000000" }, deps);
  const keys = await Promise.all(
    (["payg", "payg", "payg", "subscription"] as const).map(async (mode, at) => {
      const key = newKey(organization, mode, at % 2 === 0 ? "" : "p");
      await accounts.createKey(key);
      return key;
    }),
  );
  const totals = { used: 0n, periods: new Map<string, number>() };
  const history = createPriceHistory(aws, tables);
  for (let hour = 0, written = 0; hour < hours; hour++) {
    const count = Math.floor((entries - written) / (hours - hour));
    const start = from + hour * hourMs;
    const events = Array.from({ length: count }, () =>
      callOf(organization, random.pick(keys), start, random),
    );
    await history.remember(events);
    await writeAll(database, hourItems(events));
    for (const event of events) addTo(totals, organization, event);
    written += count;
    tell(written);
  }
  await charge(database, organization, totals);
}

function newKey({ id: organization }: Organization, mode: KeyRecord["mode"], project: string): KeyRecord {
  return {
    ...{ id: newId("key", from), organization, project, name: "bench", mode, hash: newId("request", from) },
    ...{
      permissions: [],
      limits: null,
      status: "active",
      last_four: "abcd",
      created_at: from,
      expires_at: null,
    },
  };
}

function callOf(organization: Organization, key: KeyRecord, start: number, random: Random): UsageEvent {
  const { model, price } = random.pick(models);
  const at = start + random.between(0, hourMs - 1);
  const meter = (key.mode === "payg" ? organization.wallet : organization.subscription)?.meter ?? "";
  const call: Parameters<typeof endCall>[0] = {
    ...{
      id: `req_${ulid(at, () => random.next())}`,
      kind: "chat",
      organization: organization.id,
      model,
      price,
    },
    ...{ project: key.project, key: key.id, mode: key.mode, meter, shard: 0, user: null },
  };
  const usage = {
    ...noUsage,
    ...{ input_tokens: random.between(20, 8_000), output_tokens: random.between(1, 2_000) },
  };
  return endCall(call, {
    ...{ at: at + random.between(200, 20_000), free: false, flags: [], usage, evidence: "reported" },
    ...{ source: "gateway", outcome: "completed", provider: "acme", attempts: 1 },
  });
}

/** The entries of some calls of one hour, and the rollups of that hour. */
function hourItems(events: readonly UsageEvent[]): Item[] {
  const rollups = new Map<string, RollupAddition>();
  const entries = events.map((event) => {
    const { item, hash } = entryItem(
      entryKey(event.organization, event.id),
      usageEntry(event, event.ended_at),
    );
    for (const place of placesOf(event)) {
      const key = rollupKey(place, spanOf(event.admitted_at, "hour"), shareOf(event));
      const { sums } = posting(event, hash);
      const known = rollups.get(JSON.stringify(key));
      rollups.set(JSON.stringify(key), {
        key,
        sums: known ? addSums(known.sums, sums) : sums,
        hash: (known?.hash ?? 0n) + (place.project === "" ? hash : 0n),
      });
    }
    return item;
  });
  const sums = [...rollups.values()].map(({ key, sums, hash }) => ({
    ...key,
    ...toItem({ ...columns(sums), ...(hash > 0n && { h: hash }) }),
  }));
  return [...entries, ...sums];
}

async function writeAll({ aws, tables }: Database, items: Item[]): Promise<void> {
  const batches: Item[][] = [];
  for (let at = 0; at < items.length; at += batchMax) batches.push(items.slice(at, at + batchMax));
  const work = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const RequestItems = { [tables.ledger]: batch.map((Item) => ({ PutRequest: { Item } })) };
      const { UnprocessedItems = {} } = await aws("dynamodb", "BatchWriteItem", { RequestItems });
      if (Object.keys(UnprocessedItems).length > 0) throw new Error("a batch was not written whole");
    }
  };
  await Promise.all(Array.from({ length: batchesAtOnce }, work));
}

/** What calls come to on a wallet, 10⁻¹⁸ points, and in each quota month. */
interface Totals {
  used: bigint;
  periods: Map<string, number>;
}

function addTo(totals: Totals, { subscription }: Organization, event: UsageEvent): void {
  totals.used += parsePoints(event.cost_points);
  if (event.mode === "payg" || !subscription) return;
  const { id } = quotaPeriod(subscription.started_at, event.admitted_at);
  totals.periods.set(id, (totals.periods.get(id) ?? 0) + event.calls);
}

/** Charges the meters of an organization, as its calls would have done one by one. */
async function charge(
  { aws, tables }: Database,
  { wallet, subscription }: Organization,
  { used, periods }: Totals,
): Promise<void> {
  const table = tables.counters;
  const own = (meter = "") => ({ table, key: meterKey(meter, 0), when: [] });
  await updateItem(aws, { ...own(wallet?.meter), add: { used, avail: -used } });
  const counts = Object.fromEntries([...periods].map(([id, calls]) => [`q${id}`, calls]));
  await updateItem(aws, { ...own(subscription?.meter), add: counts });
}

/** What the schedules do once the last hour is over: fees, and the seals of days and of the month. */
async function useSchedules({ aws, tables }: Database): Promise<void> {
  const now = () => until + 3 * hourMs;
  const ledger = createLedger(aws, tables, now);
  const log = () => {};
  await postPlanFees({ accounts: createAccounts(aws, tables), ledger, plan: catalog.plan, log, now });
  await seal({ ledger, seals: createSeals(aws, tables), log, now });
}
