/** Calls, receipts and models through the console's routes: a member sees the calls of the keys they made. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { transact } from "#shared/edges/store/dynamodb/transaction.ts";
import { projectWrites } from "#shared/edges/store/projects.ts";
import { eventAt, openBooks } from "#test/support/books.ts";
import { intentOf, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { type Asker, askConsole, organizationOf, storeKey } from "#test/support/usage-console.ts";

const { db, meters } = useStores();

const now = Date.parse("2026-11-21T12:30:00Z");
const hour = 3_600_000;

/** Books with a key of Ann's, one of Bob's in a project, and one of nobody, with calls of each. */
async function openShop() {
  const books = await openBooks(db, [], now - hour);
  const { organization } = books;
  const ann = await storeKey(db, organization, { created_by: "usr_ann" });
  const bob = await storeKey(db, organization, { created_by: "usr_bob", project: "alpha" });
  const none = await storeKey(db, organization);
  const call = (offset: number, change: Partial<UsageEvent>) =>
    eventAt(organization, now - offset, { model: "test/model-1", ...change });
  const calls = {
    ann: call(1_000, { key: ann.id }),
    annFailed: call(2_000, { key: ann.id, outcome: "failed", user: "u-1" }),
    bob: call(3_000, { key: bob.id, project: "alpha", model: "test/embedding-1" }),
    none: call(2 * hour, { key: none.id }),
  };
  await books.post(Object.values(calls), now);
  const ask = (path: string, change: Partial<Asker> = {}) =>
    askConsole(db, path, { organization: organizationOf(organization), at: now, ...change });
  return { ask, calls, keys: { ann, bob, none }, organization };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

const member = (name: string): Partial<Asker> => ({ role: "member", user: `usr_${name}` });

/** The names of the calls that a list shows, in its order. */
async function shown({ ask, calls }: Shop, query: string, change: Partial<Asker> = {}): Promise<string[]> {
  const answer = await ask(`/api/v1/calls?${query}`, change);
  expect(answer.status, answer.text).toBe(200);
  const named = new Map(Object.entries(calls).map(([name, { id }]) => [id, name]));
  return answer.json().data.map(({ id }: { id: string }) => named.get(id));
}

describe("the list of calls", () => {
  test("shows all of them to whoever sees all usage, the newest first", async () => {
    const shop = await openShop();
    for (const role of ["owner", "admin", "finance"] as const)
      expect(await shown(shop, "", { role })).toEqual(["ann", "annFailed", "bob", "none"]);
  });

  test("shows a member the calls of the keys they made, whatever they ask for", async () => {
    const shop = await openShop();
    expect(await shown(shop, "", member("ann"))).toEqual(["ann", "annFailed"]);
    expect(await shown(shop, "", member("bob"))).toEqual(["bob"]);
    expect(await shown(shop, "", member("eve"))).toEqual([]);
    expect(await shown(shop, `key=${shop.keys.bob.id}`, member("ann"))).toEqual([]);
    expect(await shown(shop, "project=alpha", member("ann"))).toEqual([]);
  });

  test.each([
    ["model=test/embedding-1", ["bob"]],
    ["project=alpha", ["bob"]],
    ["project=", ["ann", "annFailed", "none"]],
    ["outcome=failed", ["annFailed"]],
    ["user=u-1", ["annFailed"]],
    ["from=2026-11-21T12:00:00Z&to=2026-11-21T12:29:59Z", ["annFailed", "bob"]],
  ])("%s narrows it", async (query, expected) => {
    expect(await shown(await openShop(), query)).toEqual(expected);
  });

  test("comes in pages, of 200 calls at most", async () => {
    const shop = await openShop();
    expect(await shown(shop, "limit=1")).toEqual(["ann"]);
    expect(await shown(shop, `limit=2&after=${shop.calls.ann.id}`)).toEqual(["annFailed", "bob"]);
    const tooMany = await shop.ask("/api/v1/calls?limit=201");
    expect([tooMany.status, tooMany.text]).toEqual([400, expect.stringContaining("between 1 and 200")]);
  });

  test("refuses all wrong parameters at once, and another organization's call to go on from", async () => {
    const [shop, other] = [await openShop(), await openShop()];
    const answer = await shop.ask("/api/v1/calls?from=today&key_id=1&outcome=lost&key=2");
    expect(answer.json()).toMatchObject({ error: { code: 40000 } });
    for (const name of ["from", "key_id", "outcome", "key"]) expect(answer.text).toContain(`\`${name}\``);
    expect((await shop.ask(`/api/v1/calls?after=${other.calls.ann.id}`)).status).toBe(400);
  });
});

describe("the receipt", () => {
  const status = async ({ ask }: Shop, id: string, change: Partial<Asker> = {}) =>
    (await ask(`/api/v1/requests/${id}`, change)).status;

  test("of a settled call is told to whoever sees the call, and to nobody else", async () => {
    const [shop, other] = [await openShop(), await openShop()];
    const { ann, bob } = shop.calls;
    const receipt = (await shop.ask(`/api/v1/requests/${ann.id}`, member("ann"))).json();
    expect(receipt).toMatchObject({ id: ann.id, status: "settled", cost_points: "0.5", key_id: ann.key });
    expect(await status(shop, bob.id, { role: "finance" })).toBe(200);
    expect(await status(shop, bob.id, member("ann"))).toBe(404);
    expect(await status(other, ann.id)).toBe(404);
    expect(await status(shop, "req_none")).toBe(404);
    expect(await status(shop, newId("request", now))).toBe(404);
    // Stored keys have no prefix.
    expect(await status(shop, ann.id.replace("req_", "VTK-"))).toBe(404);
  });

  test("of a call that runs is pending, and as private", async () => {
    const shop = await openShop();
    const hold = walletHold("mtr_1", "1", now, shop.keys.ann.id);
    await meters.intend(intentOf(hold, shop.organization));
    const path = `/api/v1/requests/${hold.request}`;
    expect((await shop.ask(path, member("ann"))).json()).toMatchObject({ status: "pending" });
    expect((await shop.ask(path)).json()).toMatchObject({ status: "pending" });
    expect(await status(shop, hold.request, member("bob"))).toBe(404);
  });
});

describe("a project with members", () => {
  test("shows all its calls to them, and to nobody who has left since", async () => {
    const shop = await openShop();
    const { organization } = shop;
    const record = { organization, project: "alpha", name: "Alpha", members: { usr_ann: 7 }, revision: 0 };
    const told = organizationOf(organization, { projects: { records: 1, archived: [] } });
    await transact(
      db.aws,
      projectWrites(db.tables.keys, { organization: told, before: undefined, after: record }),
    );
    const joined = { ...member("ann"), organization: told, since: 7 };
    expect(await shown(shop, "", joined)).toEqual(["ann", "annFailed", "bob"]);
    expect(await shown(shop, "", { ...joined, since: 8 })).toEqual(["ann", "annFailed"]);
    expect(await shown(shop, "", { ...member("eve"), organization: told, since: 7 })).toEqual([]);
    const receipt = async (change: Partial<Asker>) =>
      (await shop.ask(`/api/v1/requests/${shop.calls.bob.id}`, change)).status;
    expect([await receipt(joined), await receipt({ ...joined, since: 8 })]).toEqual([200, 404]);
    const series = async (by: string, change: Partial<Asker>) =>
      (await shop.ask(`/api/v1/usage/series?period=today&by=${by}`, change)).json().series;
    const labels = (await series("project", joined)).map(({ name, label }: Record<string, string>) => [
      name,
      label,
    ]);
    expect(labels.toSorted()).toEqual([
      ["", null],
      ["alpha", "Alpha"],
    ]);
    const ids = (await series("key", joined)).map(({ name, last_four }: Record<string, string>) => [
      name,
      last_four,
    ]);
    expect(ids.toSorted()).toEqual(
      [
        [shop.keys.ann.id, "0000"],
        [shop.keys.bob.id, "0000"],
      ].toSorted(),
    );
    const today = async (change: Partial<Asker>) =>
      (await shop.ask("/api/v1/usage/summary", change)).json().today.calls;
    expect([await today(joined), await today({ ...joined, since: 8 })]).toEqual([3, 2]);
  });
});
