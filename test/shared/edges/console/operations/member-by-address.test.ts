/** A member whose own address finds them: by a first sign-in and by SCIM, once, and nobody else by it. */
import { describe, expect, test } from "vitest";
import type { ProviderPlay } from "#infra/local/sandbox/identity-provider.ts";
import { contactKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { changeItem } from "#shared/edges/store/dynamodb/items.ts";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import type { Role } from "#shared/people/identity/user.ts";
import type { SignOns } from "#shared/people/sign-on/entering.ts";
import { openProvider, patchOf } from "#test/support/scim.ts";
import {
  giveAddress,
  newBrowser,
  newDomain,
  openSignOn,
  refusalOf,
  useSignOn,
} from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const play: ProviderPlay = {};
const desk = useSignOn(db, play);

/** A company, and a member of it with a contact that they have verified. */
async function company(role: Role = "member", more: object = {}) {
  const domain = newDomain();
  const made = await desk.company(domain, more);
  const email = `ann@${domain}`;
  const ann = await desk.desk.newMember(made.organization, role, "Ann");
  const claimed = await giveAddress(db, ann.user.id, email);
  return { ...made, domain, email, ann: ann.user.id, claimed };
}

async function signOnAs(sub: string, subject: string, more: object = {}) {
  play.idToken = (claims, sign) => sign({ ...claims, sub, ...more });
  try {
    return await desk.signOn(newBrowser(), { subject });
  } finally {
    delete play.idToken;
  }
}

const membersOf = async (organization: string) =>
  (await createMembers(db.aws, db.tables).list(organization, { limit: 50 })).members.map(({ user }) => user);

describe("a first sign-in", () => {
  test("is the member's whose own address it is, once, also where the provider is the only way in", async () => {
    const { email, domain, ann, organization, browser, owner } = await company();
    const begun = await desk.ask(browser, "POST /api/v1/auth/sign-on/link");
    const boss = newBrowser();
    const cookies = { ...boss, cookies: browser.cookies };
    const joined = await desk.finish(
      cookies,
      await desk.visit(begun.body.url, { subject: `boss@${domain}` }),
    );
    boss.token = joined.body.access_token;
    expect((await desk.ask(boss, "PATCH /api/v1/sign-on", { required: true })).body.required).toBe(true);
    const first = await signOnAs("subject 1", email);
    expect([first.status, first.body.user.id, first.body.organization.role]).toEqual([200, ann, "member"]);
    expect((await signOnAs("subject 1", email)).body.user.id).toBe(ann);
    const second = await signOnAs("subject 2", email);
    expect([second.status, second.body.user.id === ann]).toEqual([200, false]);
    expect((await membersOf(organization.id)).toSorted()).toEqual(
      [owner.user.id, ann, second.body.user.id].toSorted(),
    );
    const { body } = await desk.ask(boss, "GET /api/v1/audit-log");
    const lines = body.data.filter(({ kind }: { kind: string }) => kind === "account_linked");
    expect(lines.find(({ subject }: { subject: string }) => subject === ann)).toMatchObject({
      after: { by: "address" },
    });
  });

  test("finds no owner", async () => {
    const { email, ann } = await company("owner");
    expect((await signOnAs("subject 1", email)).body.user.id).not.toBe(ann);
  });

  test("finds nobody by an address that the provider does not call verified", async () => {
    const { email, ann } = await company("member", { admits: "everybody" });
    expect((await signOnAs("subject 1", email, { email_verified: false })).body.user.id).not.toBe(ann);
  });

  test("finds nobody of another organization, whose domain it is not", async () => {
    const [one, other] = [await company(), await desk.company(newDomain(), { admits: "everybody" })];
    const visitor = newBrowser();
    const { body } = await desk.ask(other.browser, "GET /api/v1/sign-on");
    const begun = await desk.begin(visitor, `x@${body.domains[0].id}`);
    const done = await desk.finish(visitor, await desk.visit(begun.body.url, { subject: one.email }));
    expect([done.status, done.body.user.id === one.ann]).toEqual([200, false]);
  });

  test.each<[string, (made: Awaited<ReturnType<typeof company>>) => Promise<unknown>]>([
    [
      "the address meanwhile",
      async ({ claimed }) =>
        await changeItem(db.aws, {
          table: db.tables.accounts,
          key: contactKey(claimed),
          remove: ["user"],
          when: [],
        }),
    ],
    [
      "another role meanwhile, such as that of an owner",
      async ({ browser, ann }) => {
        await desk.ask(browser, `PATCH /api/v1/members/${ann}`, { role: "owner" });
      },
    ],
  ])("finds nobody who has given up, or has, %s", async (_, act) => {
    const made = await company();
    const own = await openSignOn(db, {}, { fetching: desk.deps.fetching });
    const { signOns } = own.deps;
    let isDone = false;
    own.deps.signOns = {
      ...signOns,
      enter: async (entrance) => {
        if (!isDone) {
          isDone = true;
          await act(made);
        }
        return await signOns.enter(entrance);
      },
    };
    const done = await own.signOn(newBrowser(), { subject: made.email });
    expect([done.status, done.body.user.id === made.ann]).toEqual([200, false]);
    await own.provider.stop();
  });
});

test("a first sign-in finds nobody whom SCIM names meanwhile, also by another name by now", async () => {
  const { email, domain, ann, browser } = await company();
  const provider = await openProvider(desk, browser);
  const { signOns } = desk.deps;
  const enter: SignOns["enter"] = async (entrance) => {
    desk.deps.signOns = signOns;
    expect(await provider.add(email)).toBe(ann);
    const renamed = patchOf({ op: "replace", value: { userName: `zoe@${domain}` } });
    expect((await provider.ask(`PATCH /Users/${ann}`, renamed)).status).toBe(200);
    return await signOns.enter(entrance);
  };
  desk.deps.signOns = { ...signOns, enter };
  expect(refusalOf(await signOnAs("subject 1", email))).toEqual([40300, "sign_on_not_provisioned"]);
});

describe("SCIM's POST", () => {
  test("takes a member over by their own address, and their first sign-in is theirs", async () => {
    const { email, ann, browser, organization } = await company();
    const provider = await openProvider(desk, browser);
    expect(await provider.add(email)).toBe(ann);
    expect((await signOnAs("subject 1", email)).body.user.id).toBe(ann);
    expect(refusalOf(await signOnAs("subject 2", email))).toEqual([40300, "sign_on_not_provisioned"]);
    await provider.ask(`PATCH /Users/${ann}`, patchOf({ op: "replace", value: { active: false } }));
    expect(await membersOf(organization.id)).not.toContain(ann);
  });

  test("takes nobody over by a main address, which a colleague may have too", async () => {
    const { email, domain, ann, browser } = await company("admin");
    const bob = (await desk.signOn(newBrowser(), { subject: `bob@${domain}` })).body.user.id;
    const provider = await openProvider(desk, browser);
    const mains = [email, `bob@${domain}`].map((value) => ({ emails: [{ value, primary: true }] }));
    const made = [
      await provider.add(`zoe@${domain}`, mains[0]),
      await provider.add("zack", mains[0]),
      await provider.add(`yan@${domain}`, mains[1]),
    ];
    expect(made.filter((id) => id === ann || id === bob)).toEqual([]);
    expect((await signOnAs("subject 1", `zoe@${domain}`)).body.user.id).toBe(made[0]);
    // The member's own address as a user name is theirs still.
    expect(await provider.add(email)).toBe(ann);
  });

  test("takes over no owner, nobody in a domain that is not proved, and nobody whom it has deleted", async () => {
    const boss = await company("owner");
    const first = await openProvider(desk, boss.browser);
    expect(await first.add(boss.email)).not.toBe(boss.ann);
    const made = await company();
    await desk.ask(made.browser, `DELETE /api/v1/domains/${made.domain}`);
    const second = await openProvider(desk, made.browser);
    expect(await second.add(made.email)).not.toBe(made.ann);
    const gone = await company();
    const third = await openProvider(desk, gone.browser);
    expect(await third.add(gone.email)).toBe(gone.ann);
    await signOnAs("subject 1", gone.email);
    await third.ask(`DELETE /Users/${gone.ann}`);
    expect(await third.add(gone.email)).not.toBe(gone.ann);
  });
});
