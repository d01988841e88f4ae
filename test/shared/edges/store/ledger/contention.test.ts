/** Recorders that meet others on one rollup, or load: the sums go to a part, each event counts once, and readers see all. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Aws, AwsError, isOverload } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { hourOf, hourStart } from "#shared/books/billing/period.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { settleBatch } from "#shared/edges/jobs/settle.ts";
import { createBoards } from "#shared/edges/store/board.ts";
import { createCacheStatistics } from "#shared/edges/store/cache-statistics.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { partsOfHours } from "#shared/edges/store/ledger/spread.ts";
import { eventOf, expectSums, noon, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, ledger } = useStores();
const hour = hourOf(noon);
const newOrganization = () => newId("organization", noon);
const key = newId("key", noon);
const eventsOf = (organization: string, count: number, at = noon): UsageEvent[] =>
  Array.from({ length: count }, () => eventOf(walletHold("mtr_1", "1", at, key), "0.5", { organization }));

beforeEach(() => {
  // Nobody waits.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface Action {
  Put?: { Item: { pk: { S: string } } };
  Update?: { Key: { pk: { S: string } } };
}

/** A client that refuses the transactions in which actions of these partitions take part, and how often it did. */
function refusing(isBusy: (partition: string) => boolean, Code = "TransactionConflict") {
  const met = { transactions: 0, refused: 0 };
  const aws: Aws = async (service, action, input) => {
    if (action !== "TransactWriteItems") return await db.aws(service, action, input);
    met.transactions += 1;
    const actions = (input as { TransactItems: Action[] }).TransactItems;
    const busy = actions.map(({ Put, Update }) => isBusy(Put?.Item.pk.S ?? Update?.Key.pk.S ?? ""));
    if (!busy.includes(true)) return await db.aws(service, action, input);
    met.refused += 1;
    const CancellationReasons = busy.map((each) => ({ Code: each ? Code : "None" }));
    throw new AwsError("TransactionCanceledException", 400, { CancellationReasons });
  };
  return { met, ledger: createLedger(aws, db.tables, () => noon) };
}

/** In how many partitions readers look for what an organization has in this hour. */
async function partsOf(organization: string): Promise<number> {
  return (await partsOfHours(db.aws, db.tables.ledger, organization))(hour).length;
}

test.each(["TransactionConflict", "ThrottlingError"])(
  "sums that meet %s four times go to a part of the hour, and to parts at once from then on",
  async (code) => {
    const organization = newOrganization();
    const busy = refusing((partition) => partition === `R#${organization}#`, code);
    expect(await busy.ledger.record(eventsOf(organization, 3))).toEqual(Array(3).fill("recorded"));
    expect(busy.met).toEqual({ transactions: 5, refused: 4 });
    expect(await busy.ledger.record(eventsOf(organization, 3))).toEqual(Array(3).fill("recorded"));
    expect(busy.met.refused).toBe(4);
    await expectSums(ledger, organization);
    expect(await Array.fromAsync(ledger.eachEntry(organization, hourStart(hour), noon + 1_000))).toHaveLength(
      6,
    );
  },
);

test("an event that comes again, to a process that knows of the parts or not, is booked once", async () => {
  const organization = newOrganization();
  const busy = refusing((partition) => partition === `R#${organization}#`);
  const events = eventsOf(organization, 2);
  await ledger.record(events.slice(0, 1));
  expect(await busy.ledger.record(events)).toEqual(["duplicate", "recorded"]);
  expect(await ledger.record(events)).toEqual(["duplicate", "duplicate"]);
  await expectSums(ledger, organization);
});

test("only the organization that is in the way is spread", async () => {
  const [calm, rushed] = [newOrganization(), newOrganization()];
  const busy = refusing((partition) => partition === `R#${rushed}#`);
  await busy.ledger.record([...eventsOf(calm, 2), ...eventsOf(rushed, 2)]);
  expect([await partsOf(calm), await partsOf(rushed)]).toEqual([1, 33]);
  for (const organization of [calm, rushed]) await expectSums(ledger, organization);
});

test("an hour before those that are spread stays whole, however long others are in the way", async () => {
  const organization = newOrganization();
  const busy = refusing((partition) => partition === `R#${organization}#`);
  const earlier = noon - 3 * 3_600_000;
  const events = eventsOf(organization, 1, earlier);
  await expect(busy.ledger.record(events)).rejects.toSatisfy(isOverload);
  expect(busy.met.transactions).toBe(40);
  expect(await partsOf(organization)).toBe(33);
  expect(await ledger.record(events)).toEqual(["recorded"]);
  expect(await ledger.rollups(organization, "", hourOf(earlier), hour)).toHaveLength(1);
});

test("entries under load are tried again, and are no reason to spread sums", async () => {
  const organization = newOrganization();
  const busy = refusing((partition) => partition.startsWith(`L#${organization}#`), "ThrottlingError");
  const events = eventsOf(organization, 2);
  await expect(busy.ledger.record(events)).rejects.toSatisfy(isOverload);
  expect(await partsOf(organization)).toBe(1);
  expect(await ledger.record(events)).toEqual(["recorded", "recorded"]);
});

test("of a batch only those come again that others were in the way of, and none is tried alone", async () => {
  const [free, barred] = [newOrganization(), newOrganization()];
  const busy = refusing((partition) => partition.startsWith(`L#${barred}#`));
  // They do not fit into one transaction.
  const events = [...eventsOf(free, 98), ...eventsOf(barred, 98)];
  const messages = events.map((event, id) => ({ id: String(id), body: JSON.stringify(event) }));
  const logged: string[] = [];
  const deps = {
    ledger: busy.ledger,
    boards: createBoards(db.aws, db.tables),
    statistics: createCacheStatistics(db.aws, db.tables),
    log: (_level: string, event: string) => logged.push(event),
    now: () => noon,
  };
  const failed = await settleBatch(messages, deps);
  expect(failed).toEqual(messages.slice(98).map(({ id }) => id));
  expect(busy.met).toEqual({ transactions: 41, refused: 40 });
  expect([logged[0], logged.at(-1)]).toEqual(["batch_failed", "settled"]);
  expect(await settleBatch(messages, { ...deps, ledger })).toEqual([]);
  for (const organization of [free, barred]) await expectSums(ledger, organization);
});
