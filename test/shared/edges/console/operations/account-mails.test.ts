/** Which mails members choose: shown, changed, bounded by their role, and followed by the next run. */
import { expect, test } from "vitest";
import { tellNews } from "#shared/edges/jobs/tell-news.ts";
import type { Role } from "#shared/people/identity/user.ts";
import { codeOf } from "#test/support/members.ts";
import { openMails } from "#test/support/news-mails.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const path = "/api/v1/account/mails";

async function opened(role: Role = "owner") {
  const place = openMails(db);
  // A day of its own, so that no run finds what another test has left.
  place.desk.clock.now += ++opens * 86_400_000 * 2;
  const acme = await place.desk.newOrganization();
  const ann = await place.newMailed(acme, role, "Ann");
  const ask = (method: "GET" | "PATCH", body?: object) =>
    place.desk.ask([ann, acme], `${method} ${path}`, body);
  const levels = async () => {
    const { groups } = (await ask("GET")).body as { groups: { group: string; level: string }[] };
    return Object.fromEntries(groups.map(({ group, level }) => [group, level]));
  };
  return { ...place, acme, ann, ask, levels };
}
let opens = 0;

test.each<[Role, string, string]>([
  ["owner", "all", "own"],
  ["finance", "all", "own"],
  ["admin", "own", "own"],
  ["member", "own", "own"],
])("without a choice %s gets %s of money and plans, and %s of the rest", async (role, ofMoney, ofRest) => {
  const { ask, levels } = await opened(role);
  expect(await levels()).toEqual({ money: ofMoney, plans: ofMoney, keys: ofRest, people: ofRest });
  const { body } = await ask("GET");
  expect(body).toMatchObject({ object: "mail_choices", enabled: true, email_shown: "a…@example.com" });
  expect(body.groups.map((each: { is_usual: boolean }) => each.is_usual)).toEqual([true, true, true, true]);
});

test("a choice changes the groups that it names, null takes it back, and the next run follows it", async () => {
  const { desk, acme, ask, levels, happen, mailbox } = await opened();
  expect((await ask("PATCH", { money: "none", keys: "all" })).status).toBe(200);
  expect((await ask("PATCH", { people: "none" })).status).toBe(200);
  expect(await levels()).toEqual({ money: "none", plans: "all", keys: "all", people: "none" });
  await happen(acme, { kind: "order_credited", subject: "ord_1" });
  await happen(acme, { kind: "key_revoked", subject: "key_1" });
  await tellNews(desk.news);
  expect(mailbox.sent.map(({ mail }) => mail.subject)).toEqual(["A key was revoked: Acme"]);
  expect((await ask("PATCH", { money: null })).body.groups[0]).toEqual({
    ...{ group: "money", level: "all", is_usual: true, levels: ["all", "own", "none"] },
  });
});

test("a choice that comes after the delivery was made still keeps the mail away", async () => {
  const { desk, acme, ask, happen, mailbox } = await opened();
  mailbox.fails = true;
  await happen(acme, { kind: "order_credited", subject: "ord_1" });
  await tellNews(desk.news);
  await ask("PATCH", { money: "none" });
  mailbox.fails = false;
  desk.clock.now += 60_000;
  await tellNews(desk.news);
  expect(mailbox.sent).toEqual([]);
});

test("a role chooses no more than it may see, and a choice of before counts as far as the new role goes", async () => {
  const { desk, acme, ask, levels, newMailed } = await opened("finance");
  const refused = await ask("PATCH", { keys: "all" });
  expect([refused.status, codeOf(refused)]).toEqual([400, 40000]);
  expect(refused.body.error.message).toContain("`keys`");
  expect((await ask("PATCH", { money: "all" })).status).toBe(200);
  const { members } = desk.deps;
  const [ann] = (await members.list(acme.id, { limit: 1 })).members;
  const boss = await newMailed(acme, "owner", "Bo");
  expect(
    (await desk.ask([boss, acme], `PATCH /api/v1/members/${ann?.user}`, { role: "member" })).status,
  ).toBe(200);
  expect(await levels()).toMatchObject({ money: "own" });
});

test.each([{}, { money: "some" }, { money: 1 }, { others: "none" }, { money: ["none"] }])(
  "%j is refused, and changes nothing",
  async (body) => {
    const { ask, levels } = await opened();
    const before = await levels();
    expect((await ask("PATCH", body)).status).toBe(400);
    expect(await levels()).toEqual(before);
  },
);

test("of two choices at once both are kept", async () => {
  const { desk, ask, levels } = await opened();
  const { members } = desk.news;
  let isFirst = true;
  // Another tab chooses after this one has read.
  desk.news.members = {
    ...members,
    membership: async (...who) => {
      const read = await members.membership(...who);
      if (isFirst) {
        isFirst = false;
        await ask("PATCH", { people: "none" });
      }
      return read;
    },
  };
  expect((await ask("PATCH", { keys: "none" })).status).toBe(200);
  expect(await levels()).toMatchObject({ people: "none", keys: "none" });
});

test("a stage without mails says so, and who leaves and comes back begins anew", async () => {
  const { desk, acme, ann, ask, levels } = await opened();
  await desk.newMember(acme, "owner", "Bo");
  await ask("PATCH", { money: "none" });
  expect((await desk.ask([ann, acme], `DELETE /api/v1/members/${ann.user.id}`)).status).toBe(200);
  await desk.join(ann, acme.id, "owner");
  expect(await levels()).toMatchObject({ money: "all" });
  Object.assign(desk.news, { mail: undefined });
  expect((await ask("GET")).body.enabled).toBe(false);
});
