/** The list of refused calls, and the filter by the code of an error. */
import { beforeAll, describe, expect, test } from "vitest";
import type { ErrorKey } from "#shared/base/errors.ts";
import { limits } from "#shared/base/limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import type { RefusedCall } from "#shared/calls/access/refused-calls.ts";
import { listCalls } from "#shared/edges/api/calls.ts";
import { type Books, eventAt, openBooks } from "#test/support/books.ts";
import { useStores } from "#test/support/stores.ts";
import { catalog } from "#test/support/usage-console.ts";

const { db, ledger, refusedCalls } = useStores();
const now = Date.parse("2026-11-21T12:00:00Z");
let books: Books;
let calls: RefusedCall[];

interface Page {
  data: Record<string, unknown>[];
  has_more: boolean;
  last_id: string | null;
}

async function ask(query: Record<string, string>, project = "") {
  const request = {
    ...{ id: newId("request", now), method: "GET", path: "/api/v1/calls", headers: {} },
    ...{
      query: new URLSearchParams(query),
      body: Buffer.alloc(0),
      received_at: now,
      deadline_at: now + 60_000,
    },
  };
  const caller = { organization: { id: books.organization } as Organization, key: { project } as KeyRecord };
  return String((await listCalls(request, caller, { ledger, refusedCalls, catalog })).body);
}

async function list(query: Record<string, string>, project = ""): Promise<Page> {
  return JSON.parse(await ask(query, project)) as Page;
}

const ids = ({ data }: Page) => data.map(({ id }) => id);

beforeAll(async () => {
  books = await openBooks(db, ["alpha"], now - 86_400_000);
  const kinds: [ErrorKey, project: string, model: string | null][] = [
    ["not_found", "", null],
    ["permission_denied", "alpha", "test/model-1"],
    ["permission_denied", "", "test/model-1"],
    ["insufficient_balance", "", "test/embedding-1"],
  ];
  calls = kinds.map(([error, project, model], place) => ({
    ...{
      request: newId("request", now - 60_000 * (place + 1)),
      organization: books.organization,
      project,
      model,
    },
    ...{ key: newId("key", now), path: "/v1/chat/completions", error },
  }));
  for (const call of calls) await (await refusedCalls()).add(call);
  await books.post([eventAt(books.organization, now - 5, { outcome: "failed", error: "no_channel" })], now);
});

describe("refused calls", () => {
  test("are listed where they are asked for, the newest first, and never among the others", async () => {
    expect(ids(await list({ outcome: "refused" }))).toEqual(calls.map(({ request }) => request));
    const settled = await list({});
    expect(settled.data).toMatchObject([{ outcome: "failed", error: { code: 50002 } }]);
    const [first] = (await list({ outcome: "refused", limit: "1" })).data;
    expect(first).toMatchObject({
      ...{ object: "call", outcome: "refused", ended_at: null, model: null, kind: null, cost_points: "0" },
      error: { code: 40400, status: 404, message: "The resource does not exist." },
    });
  });

  test("are filtered as the others are, and a project's key sees its own", async () => {
    const found = async (query: Record<string, string>, project = "") =>
      ids(await list({ outcome: "refused", ...query }, project));
    const [, second, third, fourth] = calls.map(({ request }) => request);
    expect(await found({ code: "40300" })).toEqual([second, third]);
    expect(await found({ model: "test/model-one" })).toEqual([second, third]);
    expect(await found({ key_id: calls[3]?.key ?? "" })).toEqual([fourth]);
    expect(await found({}, "alpha")).toEqual([second]);
    expect(await found({ to: new Date(now - 120_000).toISOString() })).toEqual([third, fourth]);
  });

  test("come page by page", async () => {
    const pages: Page[] = [];
    for (let after = ""; ; after = pages.at(-1)?.last_id ?? "") {
      pages.push(await list({ outcome: "refused", limit: "1", ...(after && { after }) }));
      if (!pages.at(-1)?.has_more) break;
    }
    expect(pages.flatMap(ids)).toEqual(calls.map(({ request }) => request));
    await expect(list({ outcome: "refused", after: newId("request", now) })).rejects.toThrow("last_id");
  });

  test("are in the file too", async () => {
    const [head = "", , second = ""] = (await ask({ outcome: "refused", format: "csv" })).split("\r\n");
    const cells = Object.fromEntries(head.split(",").map((name, at) => [name, second.split(",")[at]]));
    expect(cells).toMatchObject({
      outcome: "refused",
      error_code: "40300",
      error_status: "403",
      ended_at: "",
    });
  });

  test("a flood of them is read no further than a page reads", async () => {
    const call = calls[0] as RefusedCall;
    const flood = async function* () {
      for (let at = 0; ; at++) yield { ...call, request: newId("request", now - at) };
    };
    const read = { find: async () => undefined, newest: () => flood() };
    const request = {
      ...{ id: newId("request", now), method: "GET", path: "/", headers: {}, body: Buffer.alloc(0) },
      ...{ query: new URLSearchParams({ outcome: "refused", code: "50000" }) },
      ...{ received_at: now, deadline_at: now + 60_000 },
    };
    const caller = { organization: { id: "org_1" } as Organization, key: { project: "" } as KeyRecord };
    const deps = { ledger, catalog, refusedCalls: async () => read };
    const page = JSON.parse(String((await listCalls(request, caller, deps)).body)) as Page;
    expect(page).toMatchObject({ data: [], has_more: true });
    expect(limits.callListReadsMax).toBe(2_000);
  });
});

test("a code that no error has is refused, and one of a call that failed finds it", async () => {
  await expect(list({ code: "50009" })).rejects.toThrow("`code` must be the code of an error");
  expect((await list({ code: "50002" })).data).toHaveLength(1);
  expect((await list({ code: "50001" })).data).toEqual([]);
});
