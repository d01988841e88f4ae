/** Hours that are spread over partitions: each event once, and every reader finds what it finds of any other hour. */
import { expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { hourOf, hourStart, nextHour } from "#shared/books/billing/period.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { hourParts } from "#shared/books/ledger/spread-hours.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { seal } from "#shared/edges/jobs/seal.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { readEntryPartition } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createSeals } from "#shared/edges/store/ledger/seals.ts";
import { KnownParts } from "#shared/edges/store/ledger/spread.ts";
import { eventOf, expectSums, noon, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const hourMs = 3_600_000;
const ledgerAt = (now: number) => createLedger(db.aws, db.tables, () => now);
const ledger = ledgerAt(noon);
const keys = Array.from({ length: 3 }, () => newId("key", noon));

/** Events of three hours, of two models, three keys and two projects: the first ones whole, those of `spread` in parts. */
function eventsOf(organization: string, isSpread: (at: number) => boolean): UsageEvent[] {
  return Array.from({ length: 60 }, (_, at) => {
    const hold = walletHold("mtr_1", "0.5", noon + Math.floor(at / 20) * hourMs + at, keys[at % 3]);
    return eventOf(hold, `0.${at + 1}`, {
      organization,
      version: isSpread(at) ? 2 : 1,
      model: at % 4 === 0 ? "acme/Other" : "acme/Sonic-1-5",
      project: at % 5 === 0 ? "alpha" : "",
      usage: { ...noUsage, input_tokens: at },
    });
  });
}

/** What every reader says of an organization, without its name. */
async function told(organization: string): Promise<unknown> {
  const [from, to] = [noon - hourMs, noon + 4 * hourMs];
  const [first, end] = [hourOf(from), nextHour(hourOf(to))];
  const hours = await Array.fromAsync(ledger.hoursWithEntries({ organization, project: "" }, first, end));
  const of = async (project: string) => ({
    newest: await Array.fromAsync(
      ledger.newestEntries({ organization, project }, from, to),
      ({ event }) => event?.cost_points,
    ),
    hours: await Array.fromAsync(ledger.hoursWithEntries({ organization, project }, first, end)),
  });
  const entries = await Promise.all(
    hours.map((hour) =>
      Array.fromAsync(
        ledger.eachEntry(organization, hourStart(hour), hourStart(nextHour(hour))),
        ({ points }) => points,
      ),
    ),
  );
  const eachUse = await ledger.usesOf(organization);
  const used = await Promise.all(
    hours.map((hour) =>
      Array.fromAsync(eachUse(hourStart(hour), hourStart(nextHour(hour))), ({ event }) => event?.usage),
    ),
  );
  return { hours, whole: await of(""), alpha: await of("alpha"), entries, used };
}

test("every reader says the same of hours that are spread, or in part, as of hours that are not", async () => {
  const [whole, spread] = [newId("organization", noon), newId("organization", noon)];
  const plain = eventsOf(whole, () => false);
  await ledgerAt(noon + hourMs).spreadHours(spread);
  // From the second hour on, two events in three come from processes that know of it.
  const parted = eventsOf(spread, (at) => at >= 20 && at % 3 !== 0);
  await ledger.record(plain);
  await ledger.record(parted.slice(0, 30));
  await ledger.record(parted.slice(30));
  expect(await told(spread)).toEqual(await told(whole));
  for (const project of ["", "alpha"]) await expectSums(ledger, spread, project);
  for (const event of parted) {
    expect((await ledger.entry(spread, event.id))?.event).toEqual(event);
    expect(await ledger.entriesOf(spread, event.id)).toHaveLength(1);
  }
});

test("an event lies in the part that its id ends in, and a batch writes its sums to one part", async () => {
  const organization = newId("organization", noon);
  await ledger.spreadHours(organization);
  const events = eventsOf(organization, () => true).slice(0, 20);
  const written: string[] = [];
  const recorder = createLedger(
    async (service, action, input) => {
      const { TransactItems = [] } = input as {
        TransactItems?: Record<string, { Key?: { pk?: { S: string } } }>[];
      };
      for (const { Update } of TransactItems) if (Update?.Key?.pk) written.push(Update.Key.pk.S);
      return await db.aws(service, action, input);
    },
    db.tables,
    () => noon,
  );
  await recorder.record(events);
  const parts = new Set(written.map((pk) => pk.split("#")[3]));
  expect([parts.size, hourParts.includes([...parts][0] ?? "")]).toEqual([1, true]);
  const kept = createKeptBooks(db.aws, db.tables, () => noon).entriesOf(organization, hourOf(noon));
  for await (const { entry, part } of kept) expect(part).toBe(entry?.id.slice(-1));
  expect(readEntryPartition(`L#${organization}#${hourOf(noon)}`).part).toBe("");
});

test("an event that comes again is booked once, and one of the gateway corrects an estimate of the sweep", async () => {
  const organization = newId("organization", noon);
  await ledger.spreadHours(organization);
  const [first, second] = eventsOf(organization, () => true);
  if (!first || !second) throw new Error("there are sixty");
  const estimate: UsageEvent = { ...second, source: "sweeper", cost_points: "0.3", list_points: "0.3" };
  expect(await ledger.record([first, estimate, first])).toEqual(["recorded", "recorded", "duplicate"]);
  expect(await ledger.record([first, { ...second, mode: "subscription" }])).toEqual([
    "duplicate",
    "corrected",
  ]);
  expect(await ledger.record([second])).toEqual(["duplicate"]);
  expect(await ledger.entriesOf(organization, second.id)).toHaveLength(2);
  await expectSums(ledger, organization, "");
});

test("a day is sealed with all its parts, and an event that comes later adds to all three sums", async () => {
  const organization = newId("organization", noon);
  const day = "2026-11-21";
  await db.aws("dynamodb", "PutItem", {
    TableName: db.tables.keys,
    Item: { pk: { S: `O#${organization}` }, sk: { S: "-" } },
  });
  await ledger.spreadHours(organization);
  const events = eventsOf(organization, () => true);
  await ledger.record(events.slice(1));
  const later = ledgerAt(noon + 48 * hourMs);
  const sealing = { seals: createSeals(db.aws, db.tables), log: () => {}, now: () => noon + 24 * hourMs };
  await seal({ ledger, ...sealing });
  expect(await later.record(events.slice(0, 1))).toEqual(["recorded"]);
  const days = await ledger.rollups(organization, "", day, "2026-11-22");
  expect(days.reduce((sum, { sums }) => sum + sums.calls, 0)).toBe(60);
  await expectSums(ledger, organization, "");
});

test("the first hour that is spread stays, whoever says it again", async () => {
  const organization = newId("organization", noon);
  await ledger.spreadHours(organization);
  const [event] = eventsOf(organization, () => true);
  await ledger.record(event ? [event] : []);
  await ledgerAt(noon + 90 * hourMs).spreadHours(organization);
  const hours = ledger.hoursWithEntries({ organization, project: "" }, hourOf(noon), hourOf(noon + hourMs));
  expect(await Array.fromAsync(hours)).toEqual([hourOf(noon)]);
});

test("a reader of many hours reads a seal once, and misses no hour that is spread meanwhile", async () => {
  const organization = newId("organization", noon);
  let reads = 0;
  const counting: typeof db.aws = (service, action, ...rest) => {
    if (action === "GetItem") reads += 1;
    return db.aws(service, action, ...rest);
  };
  const parts = new KnownParts(counting, db.tables.ledger, () => noon);
  const hourAt = (hours: number) => hourOf(noon + hours * hourMs);
  const all = ["", ...hourParts];
  for (let hours = -100; hours < -4; hours++)
    expect(await parts.of(organization, hourAt(hours))).toEqual([""]);
  expect(reads).toBe(1);
  // A clock that is two hours slow has the hours of the last four spread.
  await ledgerAt(noon - 2 * hourMs).spreadHours(organization);
  expect(await parts.of(organization, hourAt(-5))).toEqual([""]);
  expect(await parts.of(organization, hourAt(-4))).toEqual(all);
  expect(await parts.of(organization, hourAt(0))).toEqual(all);
  expect(await parts.of(organization, hourAt(-5))).toEqual([""]);
  expect(reads).toBe(2);
});
