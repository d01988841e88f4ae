/** Members of projects: who makes keys in them and sees them; and the keys of a project. */
import { describe, expect, test } from "vitest";
import { codeOf, type Person } from "#test/support/members.ts";
import { openProjects } from "#test/support/projects.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const opened = async () => await openProjects(db);

describe("members of a project", () => {
  test("alone make keys in it, with those who manage all keys", async () => {
    const { ann, bob, eve, make, newKey, ask, change } = await opened();
    const { body } = await make({ name: "closed", members: [bob.user.id] });
    expect(body.members).toEqual([{ id: bob.user.id, name: "Bob" }]);
    for (const by of [ann, bob]) expect((await newKey("closed", by)).status).toBe(200);
    expect(codeOf(await newKey("closed", eve))).toBe(40300);
    const own = (await newKey("open", eve)).body.id;
    const move = async () => await ask(eve, `PATCH /api/v1/keys/${own}`, { project_id: "closed" });
    expect(codeOf(await move())).toBe(40300);
    // A key of somebody else is not told to be there.
    const others = (await newKey("", bob)).body.id;
    expect(codeOf(await ask(eve, `PATCH /api/v1/keys/${others}`, { project_id: "closed" }))).toBe(40401);
    await change("closed", { members: null });
    expect((await move()).status).toBe(200);
    await change("closed", { members: [] });
    expect(codeOf(await newKey("closed", bob))).toBe(40300);
    // Whose key is there already may change all else of it.
    const path = `PATCH /api/v1/keys/${own}`;
    expect((await ask(eve, path, { name: "renamed", project_id: "closed" })).status).toBe(200);
  });

  test("see it in lists, as does who sees all usage; each of them sees themselves alone", async () => {
    const { ann, bob, eve, fay, make, idsOf, list, ask } = await opened();
    await make({ name: "closed", members: [bob.user.id, eve.user.id] });
    await make({ name: "bobs", members: [bob.user.id] });
    await make({ name: "open" });
    expect(await idsOf(bob)).toEqual(["bobs", "closed", "open"]);
    expect(await idsOf(eve)).toEqual(["closed", "open"]);
    expect(await idsOf(fay)).toEqual(["bobs", "closed", "open"]);
    expect(codeOf(await ask(eve, "GET /api/v1/projects/bobs"))).toBe(40400);
    expect((await list(eve)).data[0].members).toEqual([{ id: eve.user.id, name: "Eve" }]);
    const all = (await list(ann)).data[1].members.map(({ id }: { id: string }) => id);
    expect(all.toSorted()).toEqual([bob.user.id, eve.user.id].toSorted());
  });

  test("who leaves the organization leaves its projects, and is in none after coming back", async () => {
    const { desk, acme, ann, bob, ask, make, newKey, list } = await opened();
    await make({ name: "closed", members: [bob.user.id] });
    await ask(ann, `DELETE /api/v1/members/${bob.user.id}`);
    expect((await list()).data[0].members).toEqual([]);
    desk.clock.now += 1;
    await desk.join(bob, acme.id, "member");
    expect(codeOf(await newKey("closed", bob))).toBe(40300);
    expect((await list()).data[0].members).toEqual([]);
  });
});

test("keys are listed by their project", async () => {
  const { ann, bob, ask, newKey } = await opened();
  const made = [
    await newKey("a", ann),
    await newKey("b", ann),
    await newKey("a", bob),
    await newKey("", ann),
  ];
  const ids = made.map(({ body }) => body.id);
  const of = async (by: Person, query: string) =>
    (await ask(by, `GET /api/v1/keys${query}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await of(ann, "?project_id=a")).toEqual([ids[0], ids[2]].toSorted());
  expect(await of(bob, "?project_id=a")).toEqual([ids[2]]);
  expect(await of(ann, "?project_id=")).toEqual([ids[3]]);
  expect(await of(ann, "?project_id=b&limit=1")).toEqual([ids[1]]);
});
