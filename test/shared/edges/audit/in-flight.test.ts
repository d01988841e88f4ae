/**
 * What the audit takes for an explanation: dead letters that are still to be booked, and holds that are
 * still to be settled.
 */
import { beforeEach, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { quotaPeriod } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Intent } from "#shared/books/meters/intent.ts";
import { auditDeadLetters, fatesOf } from "#shared/edges/audit/dead-letters.ts";
import { findInFlight, quotasMatchLedger, walletsMatchLedger } from "#shared/edges/audit/in-flight.ts";
import { accountsOf, usesOf } from "#shared/edges/audit/uses.ts";
import { at, type Books, cleanBooks, eventOf } from "#test/support/audit-books.ts";

const period = quotaPeriod(at, at).id;

let books: Books;
let meters: Books["wallet"][];
let intents: Map<string, Intent>;
beforeEach(() => {
  books = cleanBooks();
  const other = { ...books.wallet, meter: "mtr_v", granted: 0n, avail: 0n, used: 0n, holds: new Map() };
  meters = [books.wallet, books.subscription, other];
  intents = new Map();
});

function paid(cost: string, change: Partial<UsageEvent> = {}): UsageEvent {
  return { ...eventOf(newId("request", at), "payg", cost), ...change };
}

function counted(change: Partial<UsageEvent> = {}): UsageEvent {
  return { ...eventOf(newId("request", at), "subscription", "0"), ...change };
}

function bury(body: UsageEvent | string, organization: string | undefined = "org_1"): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  books.deadLetters.push({ id: `m${books.deadLetters.length + 1}`, body: text, organization, sent_at: at });
}

function book(event: UsageEvent, kind: Entry["kind"] = "usage", points = event.cost_points): void {
  const { id, organization } = event;
  const entry = { id, kind, organization, debit: `customer:${organization}`, credit: "revenue:m/1" };
  books.entries.push({ ...entry, points, at, event });
}

/** What a wallet has spent, as its settlements left it. */
function spend(points: string, meter = "mtr_w"): void {
  for (const item of meters) if (item.meter === meter) item.used += parsePoints(points);
}

async function look(unseen = 0) {
  const { organization, entries } = books;
  const other = { ...organization, id: "org_2", wallet: { meter: "mtr_v", shards: 1 }, subscription: null };
  const organizations = [organization, other];
  const deadLetters = await auditDeadLetters(books.deadLetters, async (request) => intents.get(request));
  const inFlight = findInFlight(
    { meters, entries },
    { deadLetters, fates: fatesOf(deadLetters, entries), unseen },
  );
  const uses = usesOf(entries, accountsOf(organizations, at));
  const all = { organizations, meters, uses, inFlight, now: at };
  return { wallets: walletsMatchLedger(all), quotas: quotasMatchLedger(all) };
}

const clean = { gaps: [], open: [] };

test("two dead letters of two wallets: each explains its own, to the last digit", async () => {
  const [one, two] = [paid("0.000000000000000001"), paid("0.25", { organization: "org_2", meter: "mtr_v" })];
  for (const event of [one, two, two]) bury(event);
  spend("0.000000000000000001");
  spend("0.25", "mtr_v");
  expect((await look()).wallets).toEqual({
    ...clean,
    detail: `2 wallets: used = charged = 0.5 points; 0.250000000000000001 points to come of 2 dead letters (${one.id}, ${two.id})`,
  });
  spend("0.000000000000000001", "mtr_v");
  expect((await look(1)).wallets).toMatchObject({
    gaps: [],
    open: ["the used of mtr_v has 0.000000000000000001 points more than the ledger and what is in flight"],
  });
  spend("0.25");
  spend("-0.250000000000000001", "mtr_v");
  expect((await look()).wallets.gaps).toHaveLength(2);
});

test("a letter that is booked already explains nothing", async () => {
  const event = paid("0.25");
  book(event);
  bury(event);
  spend("0.25");
  expect((await look()).wallets).toMatchObject(clean);
  spend("0.25");
  expect((await look()).wallets.gaps).toHaveLength(1);
});

test("a letter that corrects an estimate explains nothing: its correction moves meter and ledger at once", async () => {
  const event = paid("0.25");
  const guess: UsageEvent = { ...event, source: "sweeper", cost_points: "0.1" };
  book(guess);
  bury(event);
  spend("0.1");
  expect((await look()).wallets).toMatchObject(clean);
  book(event, "adjustment", "0.15");
  spend("0.15");
  expect((await look()).wallets).toMatchObject(clean);
});

test("a letter of a call that is still held explains nothing: its meter does not have it yet", async () => {
  const event = paid("0.25");
  bury(event);
  books.wallet.holds = new Map([[event.id, { points: parsePoints("1"), tokens: 0, period: "" }]]);
  expect((await look()).wallets).toMatchObject(clean);
  // On another shard it is what an earlier attempt has left.
  bury(paid("0.5", { id: event.id, shard: 1 }));
  spend("0.5");
  expect((await look()).wallets).toMatchObject(clean);
});

test("a call that is booked and still held is ahead of its meter, seized or not", async () => {
  const event = paid("0.25");
  book(event);
  const held = new Map([[event.id, { points: parsePoints("1"), tokens: 0, period: "" }]]);
  expect((await look()).wallets.gaps).toHaveLength(1);
  for (const name of ["holds", "seized"] as const) {
    Object.assign(books.wallet, { holds: new Map(), seized: new Map(), [name]: held });
    expect((await look()).wallets).toEqual({
      ...clean,
      detail: `2 wallets: used = charged = 0.75 points; 0.25 points ahead of 1 holds (${event.id})`,
    });
  }
  books.wallet.shard = 1;
  expect((await look()).wallets.gaps).toHaveLength(1);
});

test("a subscription's letter explains one call of its month, and one given back none", async () => {
  const event = counted();
  bury(event);
  bury(counted({ calls: 0 }));
  books.subscription.periods.set(period, 2);
  expect((await look()).quotas).toEqual({
    ...clean,
    detail: `1 quota months: calls counted = calls in the ledger; 1 calls to come of 1 dead letters (${event.id})`,
  });
  books.subscription.periods.set(period, 3);
  expect((await look()).quotas.gaps).toEqual([
    `the q${period} of mtr_s, of the subscription.meter and subscription.started_at of org_1, has 1 calls more than the ledger and what is in flight`,
  ]);
});

test("a call of a month that is booked and still held is ahead of its meter", async () => {
  const event = counted();
  book(event);
  books.subscription.periods.set(period, 2);
  books.subscription.seized = new Map([[event.id, { points: 0n, tokens: 0, period }]]);
  expect((await look()).quotas).toMatchObject(clean);
  books.subscription.seized = new Map();
  books.subscription.tasks = new Map([[event.id, { points: 0n, tokens: 0, period }]]);
  // A task's hold ends with its entry: this one was taken again, and counts a call that nobody makes.
  books.subscription.periods.set(period, 3);
  expect((await look()).quotas).toMatchObject(clean);
});

test("a month whose counter is gone under a hold is still counted", async () => {
  const event = counted();
  books.entries = [];
  book(event);
  // The call ended after all, and its correction gave back what its seized hold has taken.
  book({ ...event, calls: 0 }, "adjustment");
  books.subscription.periods.delete(period);
  books.subscription.seized = new Map([[event.id, { points: 0n, tokens: 0, period }]]);
  expect((await look()).quotas).toMatchObject(clean);
  books.entries.pop();
  expect((await look()).quotas.gaps).toHaveLength(1);
});

test("poison that names its call is named with the amount that its wallet lacks, and explains no other's", async () => {
  const request = newId("request", at);
  intents.set(request, { meter: "mtr_w", shard: 0 } as Intent);
  const body = `{"version":2,"id":"${request}","cost_po`;
  books.deadLetters = [{ id: "m1", body, organization: undefined, sent_at: at }];
  spend("0.25");
  const { detail, ...found } = (await look()).wallets;
  expect(found).toEqual(clean);
  expect(detail).toContain(`0.25 points of mtr_w in letters without an amount (${request})`);
  spend("0.25", "mtr_v");
  expect((await look()).wallets.gaps).toEqual([
    expect.stringContaining("the used of mtr_v has 0.25 points more"),
  ]);
  spend("-0.25", "mtr_v");
  spend("-0.5");
  expect((await look()).wallets.gaps).toEqual([expect.stringContaining("mtr_w has -0.25 points more")]);
});

test("poison whose call is booked, or still held, explains nothing", async () => {
  const event = paid("0.25");
  intents.set(event.id, { meter: "mtr_w", shard: 0 } as Intent);
  bury(`poison ${event.id}`);
  spend("0.5");
  expect((await look()).wallets.gaps).toEqual([]);
  book(event);
  expect((await look()).wallets.gaps).toHaveLength(1);
  books.entries.pop();
  books.wallet.holds = new Map([[event.id, { points: 0n, tokens: 0, period: "" }]]);
  expect((await look()).wallets.gaps).toHaveLength(1);
});

test("poison that says nothing is of the organization it was sent for, or of anyone", async () => {
  bury("poison", "org_2");
  spend("0.25");
  expect((await look()).wallets.gaps).toHaveLength(1);
  books.deadLetters = [];
  bury("poison");
  expect((await look()).wallets).toMatchObject({ ...clean, detail: expect.stringContaining("(message m1)") });
  books.deadLetters = [{ id: "m1", body: "poison", organization: undefined, sent_at: at }];
  expect((await look()).wallets).toMatchObject(clean);
});

test("poison of a subscription is one call each and no more", async () => {
  bury("poison");
  books.subscription.periods.set(period, 2);
  expect((await look()).quotas).toMatchObject(clean);
  books.subscription.periods.set(period, 3);
  expect((await look()).quotas.gaps).toHaveLength(1);
});
