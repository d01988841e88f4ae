/** What an operator looks up: organizations, keys and credits, on a local gateway. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { type LocalGateway, operator, operatorProcess, startLocal } from "#test/support/local.ts";
import { openMembers } from "#test/support/members.ts";
import { catalogAt, completion, customer, post, providerKey } from "#test/support/money.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.json(completion);
  gateway = await startLocal({ catalog: catalogAt(upstream.url), env: providerKey });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

type Row = Record<string, unknown>;
const rows = (value: Row, name: string) => value[name] as Row[];

describe("org list", () => {
  test("shows every organization in the order they were made, page by page", async () => {
    const made: string[] = [];
    for (const name of ["Lister One", "lister two", "Other"]) {
      const { value } = await operator(gateway, "org", "create", "--name", name, "--points", "7");
      made.push(String(value.id));
    }
    await operator(gateway, "org", "freeze", String(made[1]));

    const all = await operator(gateway, "org", "list");
    expect(all.value).toMatchObject({ more: false });
    const ids = rows(all.value, "organizations").map(({ id }) => String(id));
    expect(ids).toEqual([...ids].sort());
    expect(ids.slice(-3)).toEqual(made);
    expect(rows(all.value, "organizations").at(-2)).toEqual({
      id: made[1],
      name: "lister two",
      status: "frozen",
      subscription: null,
      ends_at: null,
      balance_points: "7",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });

    const named = await operator(gateway, "org", "list", "--name", "LISTER", "--limit", "1");
    expect(named.value).toMatchObject({ organizations: [{ id: made[0] }], more: true });
    const rest = await operator(gateway, "org", "list", "--name", "lister", "--after", String(made[0]));
    expect(rest.value).toMatchObject({ organizations: [{ id: made[1] }], more: false });
    expect(await operator(gateway, "org", "list", "--limit", "0")).toMatchObject({
      code: 2,
      error: "--limit takes 1 to 9999\n",
    });
  });

  test("names a subscription's plan and period", async () => {
    const flags = ["--name", "Planned", "--plan", "pro", "--period", "yearly"];
    const { value } = await operator(gateway, "org", "create", ...flags);
    await operator(gateway, "org", "lapse", String(value.id), "--at", "2099-01-01T00:00:00Z");
    const listed = await operator(gateway, "org", "list", "--name", "Planned");
    expect(rows(listed.value, "organizations")).toMatchObject([
      { subscription: "pro yearly", ends_at: "2099-01-01T00:00:00.000Z", balance_points: null },
    ]);
  });
});

// The tests run commands in their own process. This is one of each group as operators run it: `allGroups` has six.
test.each(["org list", "key list --org org_1", "holds", "trace req_1", "task list", "catalog prices"])(
  "a process of its own says and ends as the command does here: %s",
  async (line) => {
    const words = line.split(" ");
    const own = await operatorProcess(gateway, ...words);
    expect(own).toEqual(await operator(gateway, ...words));
    expect(own.code === 0 ? own.error : own.value).toEqual(own.code === 0 ? "" : {});
  },
);

describe("key list and key revoke", () => {
  test("a revoked key is refused by the next call, and stays in the list", async () => {
    const { id, key } = await customer(gateway, { points: parsePoints("10") });
    const flags = ["--org", id, "--mode", "payg", "--name", "second", "--budget-points", "5"];
    const second = await operator(gateway, "key", "create", ...flags, "--budget-period", "total");
    const [secondId, secret] = [String(second.value.id), String(second.value.key)];
    expect((await post(gateway.url, secret)).status).toBe(200);

    const revoked = await operator(gateway, "key", "revoke", secondId, "--org", id);
    expect(revoked).toMatchObject({ code: 0, value: { id: secondId, name: "second", status: "revoked" } });
    expect((await post(gateway.url, secret)).status).toBe(401);
    expect((await post(gateway.url, key)).status).toBe(200);
    const again = await operator(gateway, "key", "revoke", secondId, "--org", id);
    expect(again).toMatchObject({ code: 0, value: { id: secondId, status: "revoked" } });

    const listed = (await operator(gateway, "key", "list", "--org", id)).value as unknown as Row[];
    expect(listed).toMatchObject([
      { name: "operator", status: "active", budget: null },
      {
        id: secondId,
        status: "revoked",
        last_four: secret.slice(-4),
        budget: { period: "total", left_points: "4.999935" },
      },
    ]);
    expect(JSON.stringify(listed)).not.toContain(secret);
  });

  test("key change replaces the defaults that are given, and takes away with none", async () => {
    const { id } = await customer(gateway, { points: parsePoints("10") });
    const flags = ["--org", id, "--mode", "payg", "--cache-points", "auto"];
    const made = await operator(gateway, "key", "create", ...flags);
    expect(made.value.defaults).toEqual({ cache_points: "auto" });
    const key = String(made.value.id);
    const change = async (...words: string[]) =>
      await operator(gateway, "key", "change", key, "--org", id, ...words);
    expect(await change("--allow-drop", "tools")).toMatchObject({
      code: 0,
      value: { id: key, defaults: { allow_drop: ["tools"], cache_points: "auto" } },
    });
    expect((await change("--cache-points", "none")).value.defaults).toEqual({ allow_drop: ["tools"] });
    expect((await change("--cache-points", "on")).code).toBe(2);
    await operator(gateway, "key", "revoke", key, "--org", id);
    expect(await change("--allow-drop", "none")).toMatchObject({
      code: 2,
      error: `the organization ${id} has no key ${key} that is in use\n`,
    });
  });

  test("what is not there is said, and nothing is revoked", async () => {
    const [one, other] = [
      await customer(gateway, { points: parsePoints("10") }),
      await customer(gateway, { points: parsePoints("10") }),
    ];
    const [its] = (await operator(gateway, "key", "list", "--org", other.id)).value as unknown as Row[];
    const foreign = await operator(gateway, "key", "revoke", String(its?.id), "--org", one.id);
    expect(foreign).toMatchObject({
      code: 2,
      error: `the organization ${one.id} has no key ${String(its?.id)}\n`,
    });
    expect((await post(gateway.url, other.key)).status).toBe(200);
    expect(await operator(gateway, "key", "list")).toMatchObject({ code: 2, error: "--org is needed\n" });
    expect(await operator(gateway, "key", "revoke", "--org", one.id)).toMatchObject({
      code: 2,
      error: "give the id of the key; key list shows it\n",
    });
    const limited = ["key", "create", "--org", one.id, "--mode", "payg", "--max-concurrency=-1"];
    expect(await operator(gateway, ...limited)).toMatchObject({
      code: 2,
      error: "--max-concurrency takes a whole number from 1 on\n",
    });
  });
});

describe("org credits", () => {
  test("is the history of a wallet's credits with their sum, and the balance now", async () => {
    const { id, key } = await customer(gateway, { points: parsePoints("10") });
    const credit = (points: string, reference: string, ...more: string[]) =>
      operator(gateway, "org", "credit", id, "--points", points, "--reference", reference, ...more);
    await credit("3", "gift", "--kind", "promotional");
    await credit("-4", "back");
    expect((await post(gateway.url, key)).status).toBe(200);

    const { value } = await operator(gateway, "org", "credits", id);
    expect(rows(value, "credits")).toMatchObject([
      { reference: "opening", kind: "bought", points: "10", credited_points: "10" },
      { reference: "gift", kind: "promotional", points: "3", credited_points: "13" },
      { reference: "back", kind: "refund", points: "-4", credited_points: "9" },
    ]);
    const { value: shown } = await operator(gateway, "org", "show", id);
    expect(value.balance_points).toBe((shown.wallet as Row).balance_points);
    expect(Number(value.balance_points)).toBeLessThan(9);
  });

  test("an organization without a wallet has none", async () => {
    const { id } = await customer(gateway, { plan: "pro" });
    expect(await operator(gateway, "org", "credits", id)).toMatchObject({
      code: 2,
      error: `the organization ${id} has no wallet\n`,
    });
  });
});

test("a project's members are chosen, and nobody who is no member of the organization", async () => {
  const place = connectLocally(gateway.readyFile);
  const desk = openMembers(place);
  const acme = await desk.newOrganization();
  const [ann, eve] = [
    await desk.newMember(acme, "member", "Ann"),
    await desk.newMember(acme, "member", "Eve"),
  ];
  const project = async (...words: string[]) =>
    await operator(gateway, "project", ...words, "--org", acme.id);
  await project("create", "--name", "Maps");
  const both = `${ann.user.id},${eve.user.id}`;
  const chosen = await project("change", "maps", "--members", both);
  const namesOf = (value: Row) => rows(value, "members").map(({ name }) => name);
  expect(namesOf(chosen.value).toSorted()).toEqual(["Ann", "Eve"]);
  for (const wrong of ["usr_01M81Z5H5K9AHWPQ118FTWPX14", "Ann"])
    expect(await project("change", "maps", "--members", wrong)).toMatchObject({ code: 2 });
  const twice = await project("change", "maps", "--members", ann.user.id, "--open");
  expect(twice).toMatchObject({ code: 2, error: "give --members or --open, and not both\n" });
  const alone = await project("change", "maps", "--members", eve.user.id);
  expect(namesOf(alone.value)).toEqual(["Eve"]);
  expect((await project("change", "maps", "--open")).value.members).toBeNull();
});
