/**
 * The list of calls over the real store: every settled call once, the newest first, page by page, within its bounds.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId, timeOf } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { listCalls } from "#shared/edges/api/calls.ts";
import { retrieveReceipt } from "#shared/edges/api/receipts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createRefusedCalls } from "#shared/edges/store/refused-calls.ts";
import { type Books, eventAt, openBooks } from "#test/support/books.ts";
import { testCatalog } from "#test/support/memory.ts";
import { useStores } from "#test/support/stores.ts";

const { db, ledger, meters, replays, refusedCalls } = useStores();
const catalog = createCatalog(parseCatalog(testCatalog("http://127.0.0.1:9")));

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse("2026-03-20T00:00:00Z");
const now = start + 10 * day;
const seed = 20261122;
const keys = ["", "alpha", "alpha", "beta"].map((project) => ({ project, key: newId("key", start) }));

type Item = Record<string, unknown> & { id: string; corrected: boolean };
interface Page {
  object: string;
  data: Item[];
  has_more: boolean;
  last_id: string | null;
}

async function list(
  books: Books,
  query: Record<string, string>,
  project = "",
  aws: Aws = db.aws,
): Promise<Page> {
  const caller = { organization: { id: books.organization } as Organization, key: { project } as KeyRecord };
  const request = {
    id: newId("request", now),
    method: "GET",
    path: "/api/v1/calls",
    query: new URLSearchParams(query),
    headers: {},
    body: Buffer.alloc(0),
    received_at: now,
    deadline_at: now + 60_000,
  };
  const reply = await listCalls(request, caller, {
    ledger: createLedger(aws, db.tables),
    refusedCalls: async () => createRefusedCalls(aws, db.tables),
    catalog,
  });
  return JSON.parse(String(reply.body)) as Page;
}

/** Every page of a list, until there is no more. */
async function all(books: Books, query: Record<string, string>, project = ""): Promise<Page[]> {
  const pages = [await list(books, query, project)];
  for (let last = pages[0]; last?.has_more; last = pages.at(-1)) {
    pages.push(await list(books, { ...query, after: last.last_id ?? "" }, project));
  }
  return pages;
}

const errorOfCode: Record<string, string> = { "50001": "upstream_error", "50002": "no_channel" };

/** Events at random instants of a day, several in a millisecond, some of them guessed by the sweeper before. */
const events = fc.record({
  at: fc.oneof(fc.integer({ min: now - day, max: now - 1 }), fc.integer({ min: now - 3, max: now - 1 })),
  owner: fc.constantFrom(...keys),
  model: fc.constantFrom("test/model-1", "test/embedding-1"),
  user: fc.constantFrom(null, "u-1", "ü 2"),
  tags: fc.constantFrom(undefined, "team=a", "feature=x,team=a", "team=ab"),
  outcome: fc.constantFrom("completed", "truncated", "failed"),
  error: fc.constantFrom(undefined, "upstream_error", "no_channel"),
  guessed: fc.boolean(),
});

/** Given now and then; else null. */
const seldom = <Value>(given: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: given });

async function postedBooks(): Promise<{ books: Books; guessed: Set<string> }> {
  const books = await openBooks(db, ["alpha", "beta"], start);
  const guessed = new Set<string>();
  for (const { at, owner, guessed: isGuessed, error, ...made } of fc.sample(events, { numRuns: 150, seed })) {
    const change = { ...made, ...(made.outcome !== "completed" && error && { error }) };
    const event = eventAt(books.organization, at, { ...change, ...owner } as Partial<UsageEvent>);
    const guess: UsageEvent = { ...event, source: "sweeper", cost_points: "7", outcome: "failed" };
    if (isGuessed) await books.post([guess], at);
    await books.post([event], at);
    if (isGuessed) guessed.add(event.id);
  }
  return { books, guessed };
}

describe("the list of calls", () => {
  test("shows every call once, as it counts, the newest first, whatever is asked for", async () => {
    const { books, guessed } = await postedBooks();
    const asked = fc.record({
      limit: fc.constantFrom(3, 10, 40, 100),
      from: seldom(fc.integer({ min: now - 2 * day, max: now })),
      to: seldom(fc.integer({ min: now - day, max: now + day })),
      project: fc.constantFrom("", "alpha", "beta"),
      project_id: seldom(fc.constantFrom("alpha", "beta")),
      key_id: seldom(fc.constantFrom(...keys.map(({ key }) => key))),
      model: seldom(fc.constantFrom("test/model-1", "test/model-one", "test/embedding-1")),
      user: seldom(fc.constantFrom("u-1", "ü 2")),
      tag: seldom(fc.constantFrom("team=a", "feature=x")),
      outcome: seldom(fc.constantFrom("completed", "failed")),
      code: seldom(fc.constantFrom("50001", "50002")),
    });
    let shown = 0;
    for (const { limit, from, to, project, project_id, ...filter } of fc.sample(asked, {
      numRuns: 60,
      seed,
    })) {
      if ((from ?? 0) > (to ?? now)) continue;
      const given = {
        ...filter,
        limit: String(limit),
        project_id: project === "" ? project_id : null,
        from: from === null ? null : new Date(from).toISOString(),
        to: to === null ? null : new Date(to).toISOString(),
      };
      const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as Record<
        string,
        string
      >;
      const pages = await all(books, query, project);
      const place = project || (project_id ?? "");
      const model = filter.model === "test/model-one" ? "test/model-1" : filter.model;
      const expected = [...books.posted.values()]
        .filter(({ id }) => timeOf(id) >= (from ?? 0) && timeOf(id) < (to ?? Number.POSITIVE_INFINITY))
        .filter((event) => place === "" || event.project === place)
        .filter(({ key }) => filter.key_id === null || key === filter.key_id)
        .filter((event) => model === null || event.model === model)
        .filter(({ user }) => filter.user === null || user === filter.user)
        .filter(({ tags }) => filter.tag === null || (tags ?? "").split(",").includes(filter.tag))
        .filter(({ outcome }) => filter.outcome === null || outcome === filter.outcome)
        .filter(({ error }) => filter.code === null || error === errorOfCode[filter.code])
        .map(({ id, cost_points }) => [id, cost_points, guessed.has(id)])
        .sort(([a = ""], [b = ""]) => (a < b ? 1 : -1));
      const found = pages.flatMap(({ data }) =>
        data.map((item) => [item.id, item.cost_points, item.corrected]),
      );
      expect(found, JSON.stringify(query)).toEqual(expected);
      for (const { data, has_more, last_id } of pages) {
        expect(data.length === limit || !has_more).toBe(true);
        expect(last_id).toBe(data.at(-1)?.id ?? null);
      }
      shown += found.length;
    }
    expect(shown).toBeGreaterThan(800);
  });

  test("shows of a call what its receipt begins with", async () => {
    const books = await openBooks(db, [], start);
    const event = eventAt(books.organization, now - 1, {
      user: "u",
      tags: "feature=rag,team=search",
      flags: ["overrun"],
    });
    await books.post([event], now);
    const { data } = await list(books, {});
    const { object: _, corrected, ...item } = data[0] ?? { id: "", corrected: true };
    expect(corrected).toBe(false);
    const caller = {
      organization: { id: books.organization } as Organization,
      key: { project: "" } as KeyRecord,
    };
    const receipt = await retrieveReceipt(event.id, caller, { ledger, meters, replays, refusedCalls });
    expect(JSON.parse(String(receipt.body))).toMatchObject(item);
    expect(item).toMatchObject({ id: event.id, usage: event.usage, cost_points: "0.5" });
  });

  test("goes back 31 days where it is not told how far", async () => {
    const books = await openBooks(db, [], start);
    const [inside, outside] = [0, 1].map((ms) => eventAt(books.organization, now - 31 * day + 1 - ms));
    await books.post([inside as UsageEvent, outside as UsageEvent], now - 31 * day + 1);
    expect((await list(books, {})).data.map(({ id }) => id)).toEqual([inside?.id]);
    const from = new Date(now - 60 * day).toISOString();
    expect((await list(books, { from })).data).toHaveLength(2);
  });

  test.each([
    { after: "req_none" },
    { after: newId("key", start) },
    { after: newId("request", start) },
    { limit: "0" },
    { limit: "101" },
    { limit: "1e1" },
    { from: "2026-03-20" },
    { from: "2026-03-21T00:00:00Z", to: "2026-03-20T00:00:00Z" },
    { from: "2024-03-21T00:00:00Z", to: "2026-03-20T00:00:00Z" },
    { key_id: "x" },
    { model: "" },
    { user: "" },
    { outcome: "settled" },
    { project_id: "a#b" },
    { status: "failed" },
  ])("of %j is 40000", async (query) => {
    const books = await openBooks(db, [], start);
    await expect(list(books, query as unknown as Record<string, string>)).rejects.toMatchObject({
      key: "invalid_request",
    });
  });

  test("does not take another organization's call for a place to go on from", async () => {
    const [books, others] = [await openBooks(db, [], start), await openBooks(db, [], start)];
    const event = eventAt(others.organization, now - 1);
    await others.post([event], now);
    expect((await list(others, { after: event.id })).data).toEqual([]);
    await expect(list(books, { after: event.id })).rejects.toMatchObject({ key: "invalid_request" });
  });
});

describe("what a page reads", () => {
  /** A client that counts queries and the items they read. */
  function reading(): { aws: Aws; read: () => [queries: number, items: number] } {
    let [queries, items] = [0, 0];
    const aws: Aws = async (service, action, input) => {
      const answer = await db.aws(service, action, input);
      if (action === "Query")
        [queries, items] = [queries + 1, items + ((answer as { Items?: unknown[] }).Items?.length ?? 0)];
      return answer;
    };
    return { aws, read: () => [queries, items] };
  }

  test("is bounded where a filter leaves nothing, and leads on to the end", async () => {
    const bounds = limits as { callListReadsMax: number };
    const { callListReadsMax } = bounds;
    const { books } = await postedBooks();
    try {
      bounds.callListReadsMax = 20;
      const { aws, read } = reading();
      const first = await list(books, { user: "nobody" }, "", aws);
      expect(first).toMatchObject({ data: [], has_more: true, last_id: expect.stringMatching(/^req_/) });
      expect(read()[0]).toBeLessThan(50);
      const pages = await all(books, { user: "nobody" });
      expect(pages.length).toBeGreaterThan(8);
      expect(pages.flatMap(({ data }) => data)).toEqual([]);
      // Also where the bound falls between a correction and its guess, each call is shown once.
      const found = (await all(books, {})).flatMap(({ data }) => data.map(({ id }) => id));
      expect([found.length, new Set(found).size]).toEqual([150, 150]);
    } finally {
      Object.assign(bounds, { callListReadsMax });
    }
  });

  test("is bounded where every hour has but one call", async () => {
    const books = await openBooks(db, [], start);
    const sparse = Array.from({ length: 200 }, (_, i) => eventAt(books.organization, now - 1 - i * hour));
    await books.post(sparse, now);
    const { aws, read } = reading();
    const first = await list(books, { user: "nobody" }, "", aws);
    expect(first).toMatchObject({ data: [], has_more: true });
    // An hour is a query for its entries; queries for rollups give many hours each.
    expect(read()[0]).toBeLessThan(200);
    expect((await all(books, { user: "nobody" })).map(({ data }) => data)).toEqual([[], []]);
    expect((await list(books, {})).data).toHaveLength(100);
    expect((await all(books, {})).flatMap(({ data }) => data)).toHaveLength(200);
  });

  test("is a few queries of a busy hour, whatever its rollups", async () => {
    const books = await openBooks(db, [], start);
    const busy = Array.from({ length: 100 }, (_, i) =>
      eventAt(books.organization, now - 1 - i, { key: newId("key", start) }),
    );
    await books.post([...busy, eventAt(books.organization, now - 5 * hour)], now);
    const { aws, read } = reading();
    expect((await list(books, { limit: "10" }, "", aws)).data).toHaveLength(10);
    // One page of rollups to find the hour, and one of entries.
    expect(read()).toEqual([2, 64 + 100]);
    expect((await list(books, { limit: "100" })).has_more).toBe(true);
    expect((await all(books, { limit: "100" })).flatMap(({ data }) => data)).toHaveLength(101);
  });
});
