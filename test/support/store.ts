/** Holds, intents and events as the gateway makes them, for tests of the real stores. */
import { expect } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId, timeOf } from "#shared/base/platform/id.ts";
import { hourOf, hourStart, nextHour } from "#shared/books/billing/period.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { Ledger, Sums } from "#shared/books/ledger/ledger.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Hold, PlanLimits, Settlement, Ticket } from "#shared/books/meters/hold.ts";
import type { Intent } from "#shared/books/meters/intent.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import { addTo, countedEvents, sumsOf } from "#shared/books/reports/report.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import type { Database } from "./dynamodb.ts";

/** An instant in the middle of a day and an hour. */
export const noon = Date.parse("2026-11-21T12:30:00Z");

export const price = pinPrice(
  { mode: "flat_tokens", input: "2.5", output: "10", cache_read: "0.25", cache_write: "3.125" },
  "1",
);

export const period = { id: "20261121", ends_at: Date.parse("2026-12-21T00:00:00Z") };

/** PlanLimits that refuse nothing, changed as given. */
export function planLimits(change: Partial<PlanLimits> = {}): PlanLimits {
  return { quota: 1000, rpm: null, tpm: null, tpd: null, period, ...change };
}

/** A hold of points on a wallet. */
export function walletHold(meter: string, points: string, at = noon, key = newId("key", noon)): Hold {
  const request = newId("request", at);
  return {
    request,
    key,
    mode: "payg",
    meter,
    shard: 0,
    at,
    points: parsePoints(points),
    tokens: 0,
    planLimits: null,
  };
}

/** A hold of a call, and of tokens, on a subscription. */
export function planHold(
  meter: string,
  limits: PlanLimits,
  tokens = 0,
  at = noon,
  key = newId("key", noon),
): Hold {
  const request = newId("request", at);
  return { request, key, mode: "subscription", meter, shard: 0, at, points: 0n, tokens, planLimits: limits };
}

/** The same hold for the one call in 32 that reads the whole item of a wallet for what goes out of use. */
export function looking(hold: Hold): Hold {
  return { ...hold, request: `${hold.request.slice(0, -1)}0` };
}

/** Admits a hold and gives its ticket. Throws where the hold is refused. */
export async function admit(meters: Pick<Meters, "admit">, hold: Hold): Promise<Ticket> {
  const admission = await meters.admit(hold);
  if (!admission.admitted) throw new Error(`refused: ${admission.error}`);
  return admission.ticket;
}

export function settlement(change: Partial<Settlement> = {}): Settlement {
  return { points: 0n, listPoints: 0n, tokens: 0, giveBack: false, at: noon + 1000, ...change };
}

export function intentOf(hold: Hold, organization = "org_1"): Intent {
  return {
    request: hold.request,
    kind: "chat",
    organization,
    project: "",
    key: hold.key,
    model: "acme/Sonic-1-5",
    mode: hold.mode,
    meter: hold.meter,
    shard: hold.shard,
    price,
    input_tokens: 100,
    hold_points: formatPoints(hold.points),
    period: hold.planLimits?.period.id ?? "",
    user: null,
  };
}

/** The usage event of a held call that cost `cost` points. */
export function eventOf(hold: Hold, cost: string, change: Partial<UsageEvent> = {}): UsageEvent {
  return {
    version: 1,
    id: hold.request,
    kind: "chat",
    organization: "org_1",
    project: "",
    key: hold.key,
    model: "acme/Sonic-1-5",
    mode: hold.mode,
    meter: hold.meter,
    shard: hold.shard,
    admitted_at: timeOf(hold.request),
    ended_at: timeOf(hold.request) + 1000,
    usage: { ...noUsage, input_tokens: 10, output_tokens: 5 },
    price,
    cost_points: cost,
    list_points: cost,
    calls: 1,
    evidence: "reported",
    source: "gateway",
    outcome: "completed",
    flags: [],
    user: null,
    provider: "acme",
    attempts: 1,
    ...change,
  };
}

/** A meter of a wallet with a balance. */
export async function openWallet(
  { aws, tables }: Database,
  points: string,
  organization = "org_1",
): Promise<string> {
  const meter = newId("meter", noon);
  await createMeters(aws, tables).open(meter, 0, "payg");
  const credit = { organization, meter, reference: meter, at: noon, points: parsePoints(points) };
  await createLedger(aws, tables).credit(credit);
  return meter;
}

/** A meter of a subscription. */
export async function openPlan({ aws, tables }: Database): Promise<string> {
  const meter = newId("meter", noon);
  await createMeters(aws, tables).open(meter, 0, "subscription");
  return meter;
}

/** Checks that granted = available + held + seized + used (billing.md §2.8). */
export async function expectBalanced({ aws, tables }: Database, meter: string): Promise<void> {
  const item = await createMeters(aws, tables).readMeter(meter, 0);
  const held = [...(item?.holds.values() ?? []), ...(item?.seized.values() ?? [])];
  const points = held.reduce((sum, each) => sum + each.points, 0n);
  expect((item?.avail ?? 0n) + points + (item?.used ?? 0n)).toBe(item?.granted);
}

/** Checks that every sum of the hour around `noon` is the sum of its entries, for an organization or a project. */
export async function expectSums(ledger: Ledger, organization: string, project = ""): Promise<void> {
  const hour = hourOf(noon);
  const entries = ledger.eachEntry(organization, hourStart(hour), hourStart(nextHour(hour)));
  const rollups = await ledger.rollups(organization, project, hour, nextHour(hour));
  const shareOf = (model: string, key: string | null, owner: string | null) => [model, key, owner].join(" ");
  const sums = new Map(rollups.map(({ model, key, owner, sums }) => [shareOf(model, key, owner), sums]));
  const expected = new Map<string, Sums>();
  for await (const event of countedEvents(entries, project)) {
    addTo(expected, shareOf(event.model, event.key, event.project), sumsOf(event));
  }
  expect(sums.size).toBeGreaterThan(0);
  expect(sums).toEqual(expected);
}

/** A client whose first answer to every call is lost, so that it says the same again. */
export function repeating(aws: Aws): Aws {
  return async (service, action, input) => {
    await aws(service, action, input);
    return aws(service, action, input);
  };
}

/** A client that adds up the write units of each action. */
export function counting(aws: Aws): { aws: Aws; units: Map<string, number> } {
  const units = new Map<string, number>();
  const counted: Aws = async (service, action, input) => {
    const answer = await aws(service, action, {
      ...(input as object),
      ReturnConsumedCapacity: "TOTAL",
    } as never);
    const { ConsumedCapacity = [] } = answer as { ConsumedCapacity?: Capacity | Capacity[] };
    const spent = [ConsumedCapacity].flat().reduce((sum, each) => sum + each.CapacityUnits, 0);
    units.set(action, (units.get(action) ?? 0) + spent);
    return answer;
  };
  return { aws: counted, units };
}

interface Capacity {
  CapacityUnits: number;
}
