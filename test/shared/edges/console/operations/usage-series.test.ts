/**
 * Series of usage through the console's routes and the real store, against the events added up one by one. Events are
 * random, some of them late or corrected; so are the seals, the ranges, the filters and who asks.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId, timeOf } from "#shared/base/platform/id.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { Sums } from "#shared/books/ledger/ledger.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { addSums, isEmpty, noSums, renderSums, sumsOf } from "#shared/books/reports/report.ts";
import { seriesColumns } from "#shared/books/reports/series.ts";
import { type Books, eventAt, openBooks } from "#test/support/books.ts";
import { useStores } from "#test/support/stores.ts";
import { type Asker, askConsole, organizationOf, storeKey } from "#test/support/usage-console.ts";

const { db } = useStores();

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse("2026-02-20T00:00:00Z");
const days = 45;
const now = start + (days + 2) * day + 90 * 60_000;
const seed = 20261123;

/** Two keys of `usr_2`, one of `usr_3`, two of nobody. A key never leaves its project. */
const makers = ["usr_2", undefined, "usr_2", "usr_3", undefined];
const keys = ["", "", "alpha", "alpha", "beta"].map((project, at) => ({
  project,
  id: newId("key", start),
  name: `key ${at}`,
  ...(makers[at] && { created_by: makers[at] }),
}));

const calls = fc.record({
  at: fc.integer({ min: start, max: start + days * day }),
  delay: fc.oneof(
    { weight: 4, arbitrary: fc.constant(1000) },
    { weight: 1, arbitrary: fc.integer({ min: 1000, max: 5 * day }) },
  ),
  guessed: fc.boolean(),
  model: fc.constantFrom("test/model-1", "test/embedding-1"),
  owner: fc.constantFrom(...keys),
  user: fc.constantFrom(null, "u-1", "=1+1"),
  cost: fc.integer({ min: 0, max: 999 }),
});

async function postedBooks(): Promise<Books> {
  const books = await openBooks(db, [], start);
  for (const key of keys) await storeKey(db, books.organization, key);
  const postings = fc.sample(calls, { numRuns: 300, seed }).flatMap(({ at, delay, guessed, ...call }) => {
    const event = eventAt(books.organization, at, {
      model: call.model,
      user: call.user,
      key: call.owner.id,
      project: call.owner.project,
      usage: { ...noUsage, input_tokens: 3, output_tokens: 5, cache_read_tokens: 7, cache_write_tokens: 11 },
      cost_points: `0.${String(call.cost).padStart(3, "0")}`,
      calls: call.cost % 7 === 0 ? 0 : 1,
    });
    const guess: UsageEvent = { ...event, usage: noUsage, cost_points: "0.5", calls: 1, source: "sweeper" };
    const late = { event, at: at + delay };
    return guessed && delay > hour ? [{ event: guess, at: at + hour }, late] : [late];
  });
  postings.sort((a, b) => a.at - b.at);
  let sealed = start;
  for (const { event, at } of postings) {
    for (; sealed + 9 * day < at; sealed += 9 * day) await books.seal(sealed + 9 * day);
    await books.post([event], at);
  }
  return books;
}

const asked = fc.record({
  from: fc.integer({ min: start - day, max: start + days * day }),
  length: fc.oneof(fc.integer({ min: 0, max: 3 * day }), fc.integer({ min: 0, max: 31 * day })),
  by: fc.constantFrom("model", "project", "key", "user"),
  step: fc.constantFrom("hour", "day", "month"),
  model: fc.option(fc.constantFrom("test/model-1", "test/model-one"), { freq: 3 }),
  project: fc.option(fc.constantFrom("", "alpha", "beta"), { freq: 3 }),
  key: fc.option(fc.constantFrom(...keys.map(({ id }) => id)), { freq: 4 }),
  role: fc.constantFrom("owner", "finance", "member"),
});
type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never;

const floor = (at: number) => Math.floor(at / hour) * hour;
const ceil = (at: number) => Math.ceil(at / hour) * hour;

/** What the events say, one by one: sums by name and by the start of each step. */
function expectedOf({ posted }: Books, { from, length, by, step, ...filter }: Asked) {
  const points = new Map<string, Sums>();
  const own = keys.filter(({ created_by }) => created_by === "usr_2").map(({ id }) => id);
  for (const event of posted.values()) {
    const at = timeOf(event.id);
    const isAsked =
      at >= floor(from) &&
      at < ceil(from + length) &&
      (filter.model === null || event.model === "test/model-1") &&
      (filter.project === null || event.project === filter.project) &&
      (filter.key === null || event.key === filter.key) &&
      (filter.role !== "member" || own.includes(event.key));
    if (!isAsked) continue;
    const name = { model: event.model, project: event.project, key: event.key, user: event.user }[by];
    const text = new Date(at).toISOString().slice(0, { hour: 13, day: 10, month: 7 }[step]);
    const begins = new Date(step === "hour" ? `${text}:00:00Z` : text).toISOString();
    const place = JSON.stringify([name, begins]);
    points.set(place, addSums(points.get(place) ?? noSums(), sumsOf(event)));
  }
  return new Map([...points].filter(([, sums]) => !isEmpty(sums)));
}

function queryOf({ from, length, role: _role, ...rest }: Asked): string {
  const given = {
    from: new Date(from).toISOString(),
    to: new Date(from + length).toISOString(),
    ...rest,
  };
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  return new URLSearchParams(Object.fromEntries(entries) as Record<string, string>).toString();
}

type Point = [string, string, ...(number | string)[]];
interface Line {
  name: string | null;
  label: string | null;
  last_four?: string;
  totals: { cost_points: string };
  points: Point[];
}

const row = (at: string, sums: Sums) => [
  at,
  formatPoints(sums.cost_points),
  sums.calls,
  sums.input_tokens,
  sums.output_tokens,
  sums.cache_read_tokens,
  sums.cache_write_tokens,
  sums.generated_images,
  sums.video_seconds,
  formatPoints(sums.list_points),
];

test("every point is the sum of its entries, whoever asks, and the CSV says the same", async () => {
  const books = await postedBooks();
  const organization = organizationOf(books.organization);
  let shown = 0;
  for (const wanted of fc.sample(asked, { numRuns: 150, seed })) {
    const asker = { organization, role: wanted.role as "owner", user: "usr_2", at: now };
    const query = queryOf(wanted);
    const answer = await askConsole(db, `/api/v1/usage/series?${query}`, asker);
    expect(answer.status, answer.text).toBe(200);
    const told = answer.json();
    const expected = expectedOf(books, wanted);
    const lines = told.series as Line[];
    const found = lines.flatMap(({ name, points }) =>
      points.map((point) => [JSON.stringify([name, point[0]]), point] as const),
    );
    const rows = [...expected].map(([place, sums]) => [place, row(JSON.parse(place)[1], sums)] as const);
    expect(new Map(found), query).toEqual(new Map(rows));
    expect(found.length).toBe(rows.length);
    expect(told.totals).toEqual(renderSums([...expected.values()].reduce(addSums, noSums())));
    expect(told).toMatchObject({
      from: new Date(floor(wanted.from)).toISOString(),
      to: new Date(ceil(wanted.from + wanted.length)).toISOString(),
      columns: seriesColumns,
    });
    for (const { points } of lines) expect(points.map(([at]) => at)).toEqual(points.map(([at]) => at).sort());
    const costs = lines.map(({ totals }) => parsePoints(totals.cost_points));
    expect(costs).toEqual(costs.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)));

    const csv = await askConsole(db, `/api/v1/usage/export?${query}`, asker);
    const csvRows = csv.text.slice(1).split("\r\n").slice(1, -1);
    const safe = (name: unknown) => (name === "=1+1" ? "'=1+1" : (name ?? ""));
    expect(csvRows.map((line) => line.split(",").toSpliced(1, 2).join(",")).sort()).toEqual(
      rows.map(([place, point]) => [safe(JSON.parse(place)[0]), ...point].join(",")).sort(),
    );
    shown += found.length;
  }
  expect(shown).toBeGreaterThan(500);
});

/** A client as an earlier version wrote rollups: one for all keys of a model. */
function withoutKeys(aws: Aws): Aws {
  return (service, action, input) => {
    const text = JSON.stringify(input).replace(/(\{"S":"[HDM]#[^"]*?)##[^"]*"/g, '$1"');
    return aws(service, action, JSON.parse(text));
  };
}

describe("a series", () => {
  /** Three calls of the running day, the last one a moment ago, and one of yesterday. */
  async function fewCalls() {
    const books = await openBooks(db, [], start);
    const key = await storeKey(db, books.organization, { name: "=1+1, Shop", last_four: "ab12" });
    const at = (offset: number) =>
      eventAt(books.organization, now - offset, { key: key.id, model: "test/model-1", cost_points: "0.1" });
    await books.post([at(1), at(2), at(30 * 60_000), at(day)], now);
    const asker = { organization: organizationOf(books.organization), at: now };
    return { key, ask: (query: string) => askConsole(db, `/api/v1/usage/${query}`, asker) };
  }

  test("is called by the model's and the key's name, and has the running hour", async () => {
    const { key, ask } = await fewCalls();
    const byKey = (await ask("series?period=today&by=key&step=hour")).json();
    expect(byKey).toMatchObject({
      object: "usage_series",
      by: "key",
      step: "hour",
      from: "2026-04-08T00:00:00.000Z",
      to: "2026-04-08T02:00:00.000Z",
      totals: { calls: 3, cost_points: "0.3" },
    });
    expect(byKey.series).toMatchObject([
      {
        name: key.id,
        label: "=1+1, Shop",
        last_four: "ab12",
        points: [["2026-04-08T01:00:00.000Z", "0.3", 3, 30, 15, 0, 0, 0, 0, "1.5"]],
      },
    ]);
    const byModel = (await ask("series?period=week")).json();
    const [line] = byModel.series as Line[];
    expect(line).toMatchObject({ name: "test/model-1", label: expect.any(String) });
    expect(line?.points.map(([at, cost]) => [at, cost])).toEqual([
      ["2026-04-07T00:00:00.000Z", "0.1"],
      ["2026-04-08T00:00:00.000Z", "0.3"],
    ]);
  });

  test("is a file to keep, which no spreadsheet runs", async () => {
    const { key, ask } = await fewCalls();
    const { status, headers, text } = await ask("export?period=month&by=key&step=month");
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="usage-by-key-20260401-20260408.csv"',
    });
    expect(headers["cache-control"]).toBe("no-store");
    expect(text).toBe(
      [
        "\uFEFFkey,label,last_four,at,cost_points,calls,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,generated_images,video_seconds,list_points",
        `${key.id},"'=1+1, Shop",ab12,2026-04-01T00:00:00.000Z,0.4,4,40,20,0,0,0,0,2`,
        "",
      ].join("\r\n"),
    );
  });

  test("of an organization that used nothing is empty, not missing", async () => {
    const asker = { organization: organizationOf(newId("organization", now)), at: now };
    for (const by of ["model", "project", "key", "user"]) {
      const answer = await askConsole(db, `/api/v1/usage/series?period=month&by=${by}`, asker);
      expect(answer.json()).toMatchObject({ series: [], totals: { calls: 0, cost_points: "0" } });
    }
    const csv = await askConsole(db, "/api/v1/usage/export?period=today", asker);
    expect(csv.text.split("\r\n")).toHaveLength(2);
  });

  test("never shows another organization, also where its key or project is named", async () => {
    const { key } = await fewCalls();
    const asker = { organization: organizationOf(newId("organization", now)), at: now };
    for (const filter of [`key=${key.id}`, "project=alpha", "model=test/model-1"]) {
      const answer = await askConsole(db, `/api/v1/usage/series?period=month&${filter}`, asker);
      expect(answer.json()).toMatchObject({ series: [], totals: { calls: 0 } });
    }
  });

  test("of rollups that name no key is called null, and is no member's own", async () => {
    const books = await openBooks(db, [], start);
    const key = await storeKey(db, books.organization, { created_by: "usr_2", project: "alpha" });
    const before = eventAt(books.organization, now - hour, { key: key.id, project: "alpha" });
    await books.post([before], now, withoutKeys(db.aws));
    await books.post([eventAt(books.organization, now - 1, { key: key.id, project: "alpha" })], now);
    const organization = organizationOf(books.organization);
    const ask = async (query: string, change: Partial<Asker> = {}) => {
      const path = `/api/v1/usage/series?period=today&${query}`;
      const { series } = (await askConsole(db, path, { organization, at: now, ...change })).json();
      return series.map(({ name, totals }: Line) => [name, totals.cost_points]).sort();
    };
    expect(await ask("by=key")).toEqual(
      [
        [key.id, "0.5"],
        [null, "0.5"],
      ].sort(),
    );
    expect(await ask("by=model")).toEqual([["acme/Sonic-1-5", "1"]]);
    expect(await ask("by=project&project=alpha")).toEqual([["alpha", "1"]]);
    const member = { role: "member", user: "usr_2" } as const;
    expect(await ask("by=key", member)).toEqual([[key.id, "0.5"]]);
    // Entries always name their key.
    expect(await ask("by=user", member)).toEqual([[null, "1"]]);
    expect(await ask("by=tag:team", member)).toEqual([[null, "1"]]);
  });
});
