/** Projects: who makes, changes and sees them, who makes keys in them, and what the audit log says. */
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { eventAt } from "#test/support/books.ts";
import { codeOf } from "#test/support/members.ts";
import { openProjects } from "#test/support/projects.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const opened = async () => await openProjects(db);

describe("a project", () => {
  test("is made, renamed, archived and brought back, and each change has its line", async () => {
    const { desk, acme, ann, make, change, ask, newKey } = await opened();
    const { status, body } = await make({ name: "Search Team" });
    const made = {
      ...{ id: "search-team", object: "project", name: "Search Team", status: "active", members: null },
      ...{ keys_in_use: 0, budget: null, created_at: "2026-11-21T12:30:00.000Z" },
      created_by: { id: ann.user.id, name: "Ann" },
    };
    expect([status, body]).toEqual([200, made]);
    await newKey("search-team");
    const give = { level: "project", id: "search-team", budget_points: "5", budget_period: "month" };
    await ask(ann, "PATCH /api/v1/budgets", give);
    expect((await change("search-team", { name: "Find" })).body).toMatchObject({
      name: "Find",
      keys_in_use: 1,
    });
    expect((await change("search-team", { status: "archived" })).body).toMatchObject({ status: "archived" });
    // What is so already is no change.
    expect((await change("search-team", { status: "archived", name: "Find" })).status).toBe(200);
    expect((await ask(ann, "GET /api/v1/projects/search-team")).body).toEqual({
      ...{ ...made, name: "Find", status: "archived", keys_in_use: 1 },
      budget: expect.objectContaining({ level: "project", id: "search-team", budget_points: "5" }),
    });
    expect((await change("search-team", { status: "active" })).body).toMatchObject({ status: "active" });
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
    const lines = entries.filter(({ kind }) => kind.startsWith("project_"));
    expect(lines.every(({ subject, actor }) => subject === "search-team" && actor === ann.user.id)).toBe(
      true,
    );
    const told = lines.map(({ kind, before, after }) => ({ kind, before, after }));
    expect(told).toEqual(
      expect.arrayContaining([
        {
          kind: "project_created",
          before: null,
          after: { name: "Search Team", status: "active", members: null },
        },
        { kind: "project_changed", before: { name: "Search Team" }, after: { name: "Find" } },
        { kind: "project_changed", before: { status: "active" }, after: { status: "archived" } },
        { kind: "project_changed", before: { status: "archived" }, after: { status: "active" } },
      ]),
    );
    expect(lines).toHaveLength(4);
  });

  test("is whatever an old key or a budget names, and its first change makes its record", async () => {
    const { ann, ask, change, list, newKey, stored, desk, acme } = await opened();
    await newKey("legacy/Suche 1");
    await ask(ann, "PATCH /api/v1/budgets", {
      ...{ level: "project", id: "budgeted", budget_points: "5", budget_period: "month" },
    });
    const implicit = {
      name: "legacy/Suche 1",
      status: "active",
      members: null,
      created_at: null,
      created_by: null,
    };
    expect((await list()).data).toMatchObject([
      { id: "budgeted", keys_in_use: 0, budget: { budget_points: "5" } },
      { id: "legacy/Suche 1", keys_in_use: 1, budget: null, ...implicit },
    ]);
    expect((await stored()).projects).toBeUndefined();
    expect((await change("legacy/Suche 1", { name: "Search" })).body).toMatchObject({
      ...{ ...implicit, id: "legacy/Suche 1", name: "Search", keys_in_use: 1 },
    });
    expect((await stored()).projects).toEqual({ records: 1, archived: [] });
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 10 });
    expect(entries.filter(({ kind }) => kind === "project_changed")).toMatchObject([
      { before: { name: "legacy/Suche 1" }, after: { name: "Search" } },
    ]);
    expect(codeOf(await change("nobody", { name: "x" }))).toBe(40400);
    expect(codeOf(await ask(ann, "GET /api/v1/projects/nobody"))).toBe(40400);
  });

  test("gets a handle that no project, key, budget or call has ever had", async () => {
    const { ann, ask, make, newKey, desk, acme } = await opened();
    const revoked = (await newKey("search")).body.id;
    await ask(ann, `DELETE /api/v1/keys/${revoked}`);
    const moved = (await newKey("search-2")).body.id;
    const call = eventAt(acme.id, desk.clock.now, { key: moved, project: "search-2" });
    await createLedger(db.aws, db.tables).record([call]);
    await ask(ann, `PATCH /api/v1/keys/${moved}`, { project_id: null });
    await ask(ann, "PATCH /api/v1/budgets", {
      ...{ level: "project", id: "search-3", budget_points: "5", budget_period: "month" },
    });
    await make({ name: "Search", id: "search-4" });
    expect((await make({ name: "SEARCH!" })).body.id).toBe("search-5");
    for (const id of ["search", "search-2", "search-3", "search-4"]) {
      const { body } = await make({ name: "Search", id });
      expect([id, body.error?.code, body.error?.reason]).toEqual([id, 40910, "project_taken"]);
    }
    expect((await make({ name: "搜索 团队" })).body.id).toBe("搜索-团队");
    expect((await make({ name: "…" })).body.id).toBe("project");
  });

  test("of each handle is one, whoever makes it at the same moment", async () => {
    const { make, idsOf, stored } = await opened();
    const rounds = 3;
    const answers = await Promise.all(
      Array.from({ length: rounds }, async () => await make({ name: "Search" })),
    );
    const ids = answers.flatMap(({ status, body }) => (status === 200 ? [body.id] : []));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain("search");
    expect(await idsOf()).toEqual(ids.toSorted());
    expect((await stored()).projects).toEqual({ records: ids.length, archived: [] });
    const same = await Promise.all(["a", "b"].map(async (name) => await make({ name, id: "same" })));
    expect(same.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test("loses no change of another, made at the same moment", async () => {
    const { make, change, list, stored } = await opened();
    for (const name of ["a", "b", "c"]) await make({ name });
    const changes: [string, object][] = [
      ["a", { status: "archived" }],
      ["b", { status: "archived" }],
      ["c", { name: "C" }],
      ["c", { members: [] }],
    ];
    const answers = await Promise.all(changes.map(async ([id, body]) => await change(id, body)));
    const [a, b, named, closed] = answers.map(({ status }) => status === 200);
    expect(a || b).toBe(true);
    expect(named || closed).toBe(true);
    expect((await stored()).projects?.archived.toSorted()).toEqual([
      ...(a ? ["a"] : []),
      ...(b ? ["b"] : []),
    ]);
    expect((await list()).data[2]).toMatchObject({ name: named ? "C" : "c", members: closed ? [] : null });
  });

  test("is one of so many at most", async () => {
    const bounds = consoleLimits as { projectsMax: number };
    const usual = bounds.projectsMax;
    try {
      bounds.projectsMax = 2;
      const { make, change, newKey } = await opened();
      await make({ name: "one" });
      await make({ name: "two" });
      expect((await make({ name: "three" })).body.error).toMatchObject({
        code: 40000,
        reason: "projects_full",
      });
      await newKey("old");
      expect((await change("old", { name: "Old" })).body.error).toMatchObject({ reason: "projects_full" });
      expect((await change("one", { name: "One" })).status).toBe(200);
    } finally {
      bounds.projectsMax = usual;
    }
  });
});

test("a list comes by pages, in the order of handles", async () => {
  const { make, list } = await opened();
  for (const name of ["c", "a", "b"]) await make({ name });
  const first = await list(undefined, "?limit=2");
  expect([first.data.map(({ id }: { id: string }) => id), first.has_more, first.last_id]).toEqual([
    ["a", "b"],
    true,
    "b",
  ]);
  const rest = await list(undefined, "?limit=2&after=b");
  expect([rest.data.map(({ id }: { id: string }) => id), rest.has_more, rest.last_id]).toEqual([
    ["c"],
    false,
    "c",
  ]);
  expect((await list(undefined, "?limit=0")).error.code).toBe(40000);
});

test.each([
  ["POST", {}, "name"],
  ["POST", { name: " " }, "name"],
  ["POST", { name: "a#b" }, "name"],
  ["POST", { name: "x".repeat(129) }, "name"],
  ["POST", { name: "x", id: "" }, "id"],
  ["POST", { name: "x", id: "a#b" }, "id"],
  ["POST", { name: "x", status: "archived" }, "status"],
  ["POST", { name: "x", members: ["bob"] }, "members"],
  ["POST", { name: "x", members: ["usr_01KAJ2X5P00000000000000000"] }, "members"],
  ["PATCH", {}, "name"],
  ["PATCH", { status: "gone" }, "status"],
  ["PATCH", { members: "all" }, "members"],
  ["PATCH", { id: "other" }, "id"],
])("%s %j is refused for its %s, and changes nothing", async (method, body, param) => {
  const { make, change, list } = await opened();
  await make({ name: "there" });
  const before = await list();
  const answer = method === "POST" ? await make(body) : await change("there", body);
  expect(answer.body.error).toMatchObject({ code: 40000, message: expect.stringContaining(`\`${param}\``) });
  expect(await list()).toEqual(before);
});

test("who does not manage all keys makes and changes none", async () => {
  const { make, change, bob, fay } = await opened();
  await make({ name: "there" });
  for (const by of [bob, fay]) {
    expect(codeOf(await make({ name: "mine" }, by))).toBe(40300);
    expect(codeOf(await change("there", { name: "mine" }, by))).toBe(40300);
  }
});

describe("an archived project", () => {
  test("takes no key, made or moved, until it is brought back", async () => {
    const { ann, ask, make, change, newKey } = await opened();
    await make({ name: "over" });
    await change("over", { status: "archived" });
    const own = (await newKey("")).body.id;
    const refused = { code: 40000, message: expect.stringContaining("is archived") };
    expect((await newKey("over")).body.error).toMatchObject(refused);
    expect((await ask(ann, `PATCH /api/v1/keys/${own}`, { project_id: "over" })).body.error).toMatchObject(
      refused,
    );
    await change("over", { status: "active" });
    const there = await newKey("over");
    expect(there.status).toBe(200);
    await change("over", { status: "archived" });
    // A key that is there can still be changed, and leave.
    const path = `PATCH /api/v1/keys/${there.body.id}`;
    expect((await ask(ann, path, { name: "renamed", project_id: "over" })).status).toBe(200);
    expect((await ask(ann, path, { project_id: null })).status).toBe(200);
  });
});
