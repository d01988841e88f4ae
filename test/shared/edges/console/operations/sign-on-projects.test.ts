/** Groups that make people members of projects: by the provider's claims and by SCIM, and what nobody gets by them. */
import { describe, expect, test } from "vitest";
import type { Role } from "#shared/people/identity/user.ts";
import { signOnLimits } from "#shared/people/sign-on/bounds.ts";
import { openProvider, patchOf } from "#test/support/scim.ts";
import { type Browser, codeOf, newBrowser, newDomain, useSignOn } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);

const searchRule = { group: "search", role: "member", projects: ["search"] };

/** A company with two projects that are closed, of which a rule gives one. */
async function company(rules: object[] = [searchRule]) {
  const domain = newDomain();
  const made = await desk.company(domain);
  for (const name of ["Search", "Books"]) await project(made.browser, name);
  const set = await desk.connect(made.browser, { rules });
  expect(set.status).toBe(200);
  return { ...made, domain, at: (name: string) => `${name}@${domain}` };
}

async function project(owner: Browser, name: string, members: string[] | null = []) {
  const made = await desk.ask(owner, "POST /api/v1/projects", { name, members });
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
  return made.body.id as string;
}

/** Which of the two projects somebody may make a key in. */
async function mayUse(browser: Browser): Promise<string[]> {
  const tried = ["search", "books"].map(async (project_id) => {
    const made = await desk.ask(browser, "POST /api/v1/keys", { billing_mode: "payg", project_id });
    return made.status === 200 || made.status === 201 ? [project_id] : [];
  });
  return (await Promise.all(tried)).flat();
}

const memberOf = async (owner: Browser, id: string) => {
  const { body } = await desk.ask(owner, "GET /api/v1/members");
  return body.data.find((each: { id: string }) => each.id === id) as { role: Role; group_projects: string[] };
};

const linesOf = async (owner: Browser, kind: string) => {
  const { body } = await desk.ask(owner, "GET /api/v1/audit-log");
  return body.data.filter((each: { kind: string }) => each.kind === kind);
};

describe("by the provider's claims", () => {
  test("a project that a group gave is nobody's once the provider is removed", async () => {
    const { browser: owner, organization, at } = await company();
    const ann = await desk.desk.newMember(organization, "member", "Ann");
    const own: Browser = { ...newBrowser(), token: await ann.token(organization) };
    const begun = await desk.ask(own, "POST /api/v1/auth/sign-on/link");
    await desk.finish(own, await desk.visit(begun.body.url, { subject: at("ann"), groups: "search" }));
    expect(await mayUse(own)).toEqual(["search"]);
    expect((await desk.ask(owner, "DELETE /api/v1/sign-on")).status).toBe(200);
    expect(await mayUse(own)).toEqual([]);
    expect(await memberOf(owner, ann.user.id)).toMatchObject({ role: "member", group_projects: [] });
    await desk.connect(owner, { rules: [searchRule] });
    expect(await mayUse(own)).toEqual(["search"]);
  });

  test("a group gives its project, and who leaves it keeps what somebody chose", async () => {
    const { browser: owner, at } = await company();
    const ann = newBrowser();
    const said = { subject: at("ann") };
    const first = await desk.signOn(ann, { ...said, groups: "search" });
    const { id } = first.body.user;
    expect(await mayUse(ann)).toEqual(["search"]);
    expect(await memberOf(owner, id)).toMatchObject({ role: "member", group_projects: ["search"] });
    await desk.ask(owner, "PATCH /api/v1/projects/books", { members: [id] });
    expect(await mayUse(ann)).toEqual(["search", "books"]);
    await desk.signOn(ann, { ...said, groups: "other" });
    expect(await mayUse(ann)).toEqual(["books"]);
    expect((await memberOf(owner, id)).group_projects).toEqual([]);
    const [line] = await linesOf(owner, "member_projects_changed");
    expect(line).toMatchObject({ subject: id, before: { projects: "search" }, after: { projects: "" } });
    expect(await linesOf(owner, "member_role_changed")).toEqual([]);
    // The project's own list has whom somebody chose alone.
    const shown = await desk.ask(owner, "GET /api/v1/projects/search");
    expect(shown.body.members).toEqual([]);
  });

  test("of a project that somebody chose them for and a group gives, they lose the latter alone", async () => {
    const { browser: owner, at } = await company();
    const ann = newBrowser();
    const { body } = await desk.signOn(ann, { subject: at("ann"), groups: "search" });
    await desk.ask(owner, "PATCH /api/v1/projects/search", { members: [body.user.id] });
    await desk.signOn(ann, { subject: at("ann") });
    expect(await mayUse(ann)).toEqual(["search"]);
  });

  test("the first rule gives the role, and each that fits its projects", async () => {
    const { at } = await company([
      searchRule,
      { group: "books", role: "admin", projects: ["books", "search"] },
    ]);
    const ann = newBrowser();
    const { body } = await desk.signOn(ann, { subject: at("ann"), groups: "books search" });
    expect(body.organization.role).toBe("member");
    expect(await mayUse(ann)).toEqual(["search", "books"]);
  });

  test("a membership that ends takes what groups gave, and coming back does not bring it back", async () => {
    const { browser: owner, at, organization } = await company();
    const bob = await desk.desk.newMember(organization, "member", "Bob");
    const browser: Browser = { cookies: new Map(), token: await bob.token(organization) };
    const begun = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
    await desk.finish(browser, await desk.visit(begun.body.url, { subject: at("bob"), groups: "search" }));
    expect(await mayUse(browser)).toEqual(["search"]);
    await desk.ask(owner, `DELETE /api/v1/members/${bob.user.id}`);
    await desk.connect(owner, { rules: [] });
    const back = newBrowser();
    expect((await desk.signOn(back, { subject: at("bob"), groups: "search" })).body.user.id).toBe(
      bob.user.id,
    );
    expect(await mayUse(back)).toEqual([]);
  });
});

describe("by SCIM", () => {
  test("a group gives its project with the same call, and takes it away", async () => {
    const { browser: owner, at } = await company();
    const provider = await openProvider(desk, owner);
    const id = await provider.add(at("ann"));
    const group = await provider.group("search", id);
    const ann = newBrowser();
    await desk.signOn(ann, { subject: at("ann") });
    expect(await mayUse(ann)).toEqual(["search"]);
    await desk.ask(owner, "PATCH /api/v1/projects/books", { members: [id] });
    await provider.ask(
      `PATCH /Groups/${group}`,
      patchOf({ op: "remove", path: `members[value eq "${id}"]` }),
    );
    expect(await mayUse(ann)).toEqual(["books"]);
    const [gone, given] = await linesOf(owner, "member_projects_changed");
    expect([given.after, gone.after, gone.actor.name]).toEqual([
      { projects: "search" },
      { projects: "" },
      "SCIM",
    ]);
  });

  test("who comes back after they were deactivated has what their groups give, and no more", async () => {
    const { browser: owner, at } = await company();
    const provider = await openProvider(desk, owner);
    const id = await provider.add(at("ann"));
    const group = await provider.group("search", id);
    await provider.ask(`PATCH /Users/${id}`, patchOf({ op: "replace", value: { active: false } }));
    await provider.ask(`PATCH /Groups/${group}`, patchOf({ op: "remove", path: "members" }));
    await provider.group("staff", id);
    await provider.ask(`PATCH /Users/${id}`, patchOf({ op: "replace", value: { active: true } }));
    expect(await memberOf(owner, id)).toMatchObject({ role: "member", group_projects: [] });
  });
});

test("a project that is open stays open to everybody, and its members by a group see its usage", async () => {
  const { browser: owner, at, organization } = await company();
  await project(owner, "Open", null);
  await desk.connect(owner, { rules: [{ ...searchRule, projects: ["open"] }] });
  const ann = newBrowser();
  await desk.signOn(ann, { subject: at("ann"), groups: "search" });
  const bob = await desk.desk.newMember(organization, "member");
  const other: Browser = { cookies: new Map(), token: await bob.token(organization) };
  for (const browser of [ann, other])
    expect((await desk.ask(browser, "GET /api/v1/projects/open")).body.members).toBeNull();
});

describe("a rule is refused", () => {
  test.each<[string, unknown]>([
    ["a project that the organization does not have", ["nothing"]],
    ["an empty handle", [""]],
    ["a handle with a control character", ["a\u0000"]],
    ["a handle that is no text", [7]],
    ["no list", "search"],
    ["the name of a member of every object", ["__proto__"]],
  ])("that names %s", async (_, projects) => {
    const { browser } = await company();
    const before = (await desk.ask(browser, "GET /api/v1/sign-on")).body;
    expect(codeOf(await desk.connect(browser, { rules: [{ ...searchRule, projects }] }))).toBe(40000);
    expect((await desk.ask(browser, "GET /api/v1/sign-on")).body).toEqual(before);
  });

  test("that names a project of another organization, or one that is archived", async () => {
    const [{ browser }, other] = [await company(), await company()];
    await project(other.browser, "Theirs");
    await desk.ask(browser, "PATCH /api/v1/projects/books", { status: "archived" });
    for (const projects of [["theirs"], ["books"]]) {
      const { status, body } = await desk.connect(browser, { rules: [{ ...searchRule, projects }] });
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(projects[0] as string)]);
    }
  });

  test("by more projects than a membership may have", async () => {
    const { browser } = await company();
    const projects = Array.from({ length: signOnLimits.projectsMax + 1 }, (_, at) => `p${at}`);
    const { body } = await desk.connect(browser, { rules: [{ ...searchRule, projects }] });
    expect(body.error.message).toContain(String(signOnLimits.projectsMax));
  });
});

test("a project that is archived after the rule was set takes no key, and the other settings can be changed", async () => {
  const { browser: owner, at } = await company();
  await desk.ask(owner, "PATCH /api/v1/projects/search", { status: "archived" });
  const ann = newBrowser();
  await desk.signOn(ann, { subject: at("ann"), groups: "search" });
  expect(await mayUse(ann)).toEqual([]);
  const changed = await desk.connect(owner, { rules: [searchRule], default_role: null });
  expect(changed.body.connection).toMatchObject({ rules: [searchRule], default_role: null });
});
