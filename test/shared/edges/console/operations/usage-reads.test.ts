/** How much the console's routes of usage read of a busy organization: 100 keys that were used each hour of 31 days. */
import { beforeAll, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { spanOf } from "#shared/books/billing/period.ts";
import { noSums } from "#shared/books/reports/report.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createSeals } from "#shared/edges/store/ledger/seals.ts";
import { eventAt } from "#test/support/books.ts";
import { useStores } from "#test/support/stores.ts";
import { askConsole, countingReads, organizationOf, storeKey } from "#test/support/usage-console.ts";

const { db } = useStores();

const hour = 3_600_000;
const day = 24 * hour;
const midnight = Date.parse("2026-11-21T00:00:00Z");
const hoursToday = 6;
const now = midnight + hoursToday * hour - 1;
const organization = organizationOf(newId("organization", midnight - 60 * day));
const place = { organization: organization.id, project: "" };
const keys = Array.from({ length: 100 }, () => newId("key", midnight));

/** The use of every key in a day that is over. */
const daysOver = Array.from({ length: 31 }, (_, at) => spanOf(midnight - (at + 1) * day, "day"));

beforeAll(async () => {
  const { aws, tables } = db;
  for (const id of keys) await storeKey(db, organization.id, { id });
  const rollups = daysOver.toReversed().flatMap((span) =>
    keys.map((key) => {
      const sums = { ...noSums(), calls: 24, input_tokens: 240, cost_points: 24n * 10n ** 17n };
      return { span, model: "test/model-1", key, owner: "", sums };
    }),
  );
  const seals = createSeals(aws, tables);
  const seal = { day: "", month: "", late: 0 };
  expect(await seals.extend(place, seal, rollups, { day: spanOf(midnight - day, "day") })).toBe(true);
  const change = { model: "test/model-1", cost_points: "0.1" };
  const events = Array.from({ length: hoursToday }, (_, at) =>
    keys.map((key) => eventAt(organization.id, midnight + at * hour, { ...change, key })),
  );
  await createLedger(aws, tables, () => now).record(events.flat());
});

/** Asks as the owner, and gives the answer with what it read. */
async function asked(query: string) {
  const { aws, reads } = countingReads(db.aws);
  const answer = await askConsole({ ...db, aws }, `/api/v1/usage/${query}`, { organization, at: now });
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  return { told: answer.json(), reads, bytes: answer.text.length };
}

const rolls = 100 * 30 + 100 * hoursToday;

test("a month by key and day reads a rollup for each key and day, those of today by the hour, and the keys", async () => {
  const { told, reads, bytes } = await asked(
    "series?from=2026-10-22T00:00:00Z&to=2026-11-21T06:00:00Z&by=key&step=day",
  );
  expect(told.totals).toMatchObject({ calls: 100 * (30 * 24 + hoursToday), cost_points: "7260" });
  expect(told.series).toHaveLength(100);
  for (const { points } of told.series) expect(points).toHaveLength(31);
  expect(reads.items).toBe(rolls + 100);
  // The seal, the days in two pages, the hours, and the keys.
  expect(reads.requests).toBeLessThanOrEqual(6);
  expect(bytes).toBeLessThan(400_000);
});

test("a month by model and day reads the same rollups, and a month in one sum too", async () => {
  for (const query of ["by=model&step=day", "by=project&step=month"]) {
    const { told, reads } = await asked(`series?from=2026-10-22T00:00:00Z&to=2026-11-21T06:00:00Z&${query}`);
    expect(told.totals).toMatchObject({ calls: 100 * (30 * 24 + hoursToday) });
    expect(reads.items).toBe(rolls);
  }
});

test("the summary reads the days of a week, today's hours and yesterday until now", async () => {
  const { told, reads } = await asked("summary");
  expect(told.today).toMatchObject({ calls: 100 * hoursToday });
  // Yesterday has no hours here, and none of its entries.
  expect(reads.items).toBe(100 * 6 + 100 * hoursToday);
  // Twice the seal says whether hours are spread.
  expect(reads.requests).toBeLessThanOrEqual(10);
});

test.each([
  ["a busy range tries each hour", 3, 3 * 30],
  ["a quiet one asks which hours have calls", 20 * 24, 3 * 30],
])("by user, %s", async (_name, hours, calls) => {
  const quiet = organizationOf(newId("organization", midnight - 60 * day));
  const events = Array.from({ length: calls }, (_, at) =>
    eventAt(quiet.id, midnight + (at % 3) * hour + at, { user: `u-${at % 2}`, key: keys[at] ?? "" }),
  );
  await createLedger(db.aws, db.tables, () => now).record(events);
  const { aws, reads } = countingReads(db.aws);
  const from = new Date(midnight - (hours - 3) * hour).toISOString();
  const path = `/api/v1/usage/series?from=${from}&to=2026-11-21T03:00:00Z&by=user&step=hour`;
  const answer = await askConsole({ ...db, aws }, path, { organization: quiet, at: now });
  const users = answer
    .json()
    .series.map(({ name, totals }: { name: string; totals: { calls: number } }) => [name, totals.calls]);
  expect(users.sort()).toEqual([
    ["u-0", calls / 2],
    ["u-1", calls / 2],
  ]);
  // The seal, the rollups, maybe once more for the hours, and three hours with entries. The seal says whether
  // hours are spread, at most four times.
  expect(reads.requests).toBeLessThanOrEqual(11);
  expect(reads.items).toBe(hours === 3 ? 2 * calls : 3 * calls);
});
