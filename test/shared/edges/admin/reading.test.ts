/** What operators read over HTTP: page by page, of the organization that the path names and no other. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { credit } from "#shared/edges/operator/organizations.ts";
import { openAdmin } from "#test/support/admin.ts";
import { useStores } from "#test/support/stores.ts";

const { db, ledger } = useStores();

async function opened() {
  const admin = openAdmin(db);
  const { token } = await admin.tokenOf(["read"]);
  const read = (route: string) => admin.ask(token, `GET ${route}`);
  return { ...admin, token, read };
}

test("a token sees itself, and never its hash", async () => {
  const { read, token } = await opened();
  const { status, body } = await read("/token");
  expect([status, body]).toMatchObject([
    200,
    { name: "Ann's", person: "ann@example.com", scopes: "read", state: "in force" },
  ]);
  expect(JSON.stringify(body)).not.toContain(token.slice(-43));
  expect(body).not.toHaveProperty("hash");
});

describe("organizations", () => {
  test("are listed in the order they were made, by name and page", async () => {
    const { read, desk } = await opened();
    const made: string[] = [];
    for (const name of ["Wombat One", "wombat two", "Wombat Three"]) {
      desk.clock.now += 1_000;
      made.push((await desk.newOrganization({ name })).id);
    }
    const first = await read("/organizations?name=WOMBAT&limit=2");
    expect(first.body).toMatchObject({ object: "list", has_more: true, last_id: made[1] });
    expect(first.body.data).toMatchObject([{ id: made[0], balance_points: "0" }, { id: made[1] }]);
    const rest = await read(`/organizations?name=wombat&limit=2&after=${made[1]}`);
    expect(rest.body).toMatchObject({ has_more: false, data: [{ id: made[2] }] });
    desk.clock.now += 60_000;
    for (const query of ["limit=0", "limit=51", "limit=x", "name=a&name=b", "scan=1"])
      expect([query, (await read(`/organizations?${query}`)).body.error.code]).toEqual([query, 40000]);
  });

  test("one is shown with its balance, and what could be paid back", async () => {
    const { read, desk, deps } = await opened();
    const acme = await desk.newOrganization({ permissions: ["AVG_V2"] });
    await credit(acme, { points: "12.5", reference: "in" }, { ledger, now: deps.now });
    const { body } = await read(`/organizations/${acme.id}`);
    expect(body).toMatchObject({
      ...{ id: acme.id, status: "active", subscription: null, permissions: ["AVG_V2"], refundable: [] },
      wallet: { balance_points: "12.5" },
    });
  });

  test("each part is of that one alone, and there is none of another id", async () => {
    const { read, desk, deps } = await opened();
    const [acme, other] = [await desk.newOrganization(), await desk.newOrganization()];
    const [ann, eve] = [await desk.newMember(acme, "owner"), await desk.newMember(other, "owner")];
    for (const name of ["one", "two", "three"]) {
      desk.clock.now += 1_000;
      await desk.ask([ann, acme], "POST /api/v1/keys", { name, billing_mode: "payg" });
      await desk.ask([ann, acme], "POST /api/v1/projects", { name });
    }
    await desk.ask([eve, other], "POST /api/v1/keys", { name: "foreign", billing_mode: "payg" });
    for (const [reference, points] of [
      ["a", "1"],
      ["b", "2"],
      ["c", "-1"],
    ] as const) {
      desk.clock.now += 1_000;
      await credit(acme, { points, reference }, { ledger, now: deps.now });
    }
    const keys = await read(`/organizations/${acme.id}/keys?limit=2`);
    expect(keys.body).toMatchObject({ has_more: true, data: [{ name: "one" }, { name: "two" }] });
    expect(JSON.stringify(keys.body)).not.toContain("hash");
    const more = await read(`/organizations/${acme.id}/keys?after=${keys.body.last_id}`);
    expect(more.body).toMatchObject({ has_more: false, data: [{ name: "three" }] });
    const { body: projects } = await read(`/organizations/${acme.id}/projects`);
    expect(projects.data.map(({ id }: { id: string }) => id)).toEqual(["one", "three", "two"]);
    const credits = await read(`/organizations/${acme.id}/credits?limit=2`);
    expect(credits.body).toMatchObject({
      ...{ has_more: true, last_id: "b" },
      data: [{ reference: "a" }, { reference: "b", credited_points: "3" }],
    });
    const last = await read(`/organizations/${acme.id}/credits?after=b`);
    expect(last.body.data).toMatchObject([{ reference: "c", points: "-1", credited_points: "2" }]);
    const log = await read(`/organizations/${acme.id}/audit-log?limit=2`);
    expect(log.body).toMatchObject({
      has_more: true,
      data: [{ kind: expect.stringMatching(/^(?:key|project)_created$/) }, {}],
    });
    const older = await read(`/organizations/${acme.id}/audit-log?after=${log.body.last_id}`);
    expect(older.body.data).toHaveLength(4);
    const theirs = await read(`/organizations/${other.id}/keys`);
    expect(theirs.body.data).toMatchObject([{ name: "foreign" }]);
  });

  const parts = ["", "/keys", "/projects", "/orders", "/invoices", "/credits", "/audit-log"];
  test.each(parts)("one that is not there has no %s, and a wrong page is refused", async (part) => {
    const { read, desk } = await opened();
    for (const id of [newId("organization", 1), "org_1", "..", "%2e%2e"])
      expect((await read(`/organizations/${id}${part}`)).body.error.code).toBe(40400);
    const acme = await desk.newOrganization();
    const wrong = await read(`/organizations/${acme.id}${part}?after=%23`);
    expect([wrong.status, wrong.body.error.code]).toEqual([400, 40000]);
  });
});

describe("what is not there", () => {
  test.each([
    ["/orders/x", 40410],
    [`/orders/${newId("order", 1)}`, 40410],
    ["/invoices/x", 40411],
    ["/channels/zzzzzz", 40400],
    ["/models/none", 40400],
    [`/proposals/${newId("proposal", 1)}`, 40400],
  ])("%s is %i", async (path, code) => {
    const { read } = await opened();
    expect((await read(path)).body.error.code).toBe(code);
  });
});

test("orders in review and waiting invoices are lists, also where there are none", async () => {
  const { read } = await opened();
  for (const path of ["/orders/in-review", "/invoices/waiting"]) {
    const { status, body } = await read(path);
    expect([status, body]).toEqual([200, { object: "list", data: [], has_more: false, last_id: null }]);
  }
});

test("channels are those of the catalog, with states and without a word about their keys", async () => {
  const { read, deps } = await opened();
  const [model] = deps.catalog.models();
  const { body } = await read(`/channels?model=${encodeURIComponent(model?.id ?? "")}`);
  expect(body.data).toHaveLength(model?.channels.length ?? -1);
  expect(body.data[0]).toMatchObject({ model: model?.id, has_keys: null, state: "good", taken_out: null });
  const one = await read(`/channels/${body.data[0].id}`);
  expect(one.body.channels.length).toBeGreaterThan(0);
  expect((await read("/channels?out=true")).body.data).toEqual([]);
  expect((await read("/channels?out=1")).body.error.code).toBe(40000);
});

test("models have the prices in force, by any of their names", async () => {
  const { read, deps } = await opened();
  const { body } = await read("/models?like=gpt-5.4-mini");
  const [line] = body.data;
  const model = deps.catalog.find(line.model);
  expect(line.price).toMatch(/^\d/);
  const one = await read(`/models/${encodeURIComponent(line.model)}`);
  expect(one.body).toMatchObject({ model: line.model, price: model?.price });
  expect(one.body.channels).toHaveLength(model?.channels.length ?? -1);
  expect(JSON.stringify(one.body)).not.toContain("https://api.");
});
