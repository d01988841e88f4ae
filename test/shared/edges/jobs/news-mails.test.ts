/** News by mail: who gets which, once, in their language; and what keeps a mail away. */
import { expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { type NewsDeps, tellNews } from "#shared/edges/jobs/tell-news.ts";
import { auditKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { readHash } from "#shared/edges/store/dynamodb/item-hash.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import { createDeliveries, createNewsLines } from "#shared/edges/store/news/deliveries.ts";
import { createWebhooks } from "#shared/edges/store/news/webhooks.ts";
import type { AuditedChange } from "#shared/people/identity/audit.ts";
import { newsLimits } from "#shared/people/news/bounds.ts";
import { openMails } from "#test/support/news-mails.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const minute = 60_000;
const day = 86_400_000;
const credited: AuditedChange = { kind: "order_credited", subject: "ord_1", after: { points: "100" } };

let opens = 0;

async function opened() {
  const place = openMails(db);
  // Each place has days of its own, so that no run finds lines of another one.
  opens += 1;
  place.desk.clock.now += opens * 10 * day;
  const acme = await place.desk.newOrganization();
  const ann = await place.newMailed(acme, "owner", "Ann");
  const run = (deps: Partial<NewsDeps> = {}) => tellNews({ ...place.desk.news, ...deps });
  const states = async (user: string) =>
    (await place.desk.news.deliveries.list(acme.id, user, { limit: 50 })).deliveries.map(
      ({ state }) => state,
    );
  return { ...place, acme, ann, run, states };
}

test("owners and finance get mails of money, each in their language, and others do not", async () => {
  const { acme, newMailed, happen, mailbox, subjectsTo, run } = await opened();
  await newMailed(acme, "finance", "Fei", "zh");
  await newMailed(acme, "admin", "Adam");
  await newMailed(acme, "member", "Mia");
  await happen(acme, credited);
  await run();
  expect(mailbox.sent.map(({ to }) => to).sort()).toEqual(["ann@example.com", "fei@example.com"]);
  expect(subjectsTo("Ann")).toEqual(["An order was paid: Acme"]);
  expect(subjectsTo("Fei")).toEqual(["订单已支付：Acme"]);
  const [{ mail } = { mail: { text: "" } }] = mailbox.sent.filter(({ to }) => to.startsWith("ann"));
  expect(mail.text).toContain("Points: “100”.");
  expect(mail.text).toContain("https://console.example.com/recharge");
});

test("nobody is told what they did themselves, and who has no address or is frozen is told nothing", async () => {
  const { desk, acme, ann, newMailed, happen, mailbox, run, states } = await opened();
  const bea = await newMailed(acme, "owner", "Bea");
  const phoned = await desk.newMember(acme, "owner", "Pia");
  await happen(acme, { kind: "points_credited", subject: acme.id }, ann);
  await run();
  expect(mailbox.sent.map(({ to }) => to)).toEqual(["bea@example.com"]);
  expect(mailbox.sent[0]?.mail.text).toContain("“Ann” did it.");
  expect(await states(phoned.user.id)).toEqual([]);
  expect(await states(bea.user.id)).toEqual(["delivered"]);
});

test("whoever made a key gets a mail when somebody else ends it, and no other member does", async () => {
  const { desk, acme, ann, newMailed, mailbox, run } = await opened();
  const mia = await newMailed(acme, "member", "Mia");
  await newMailed(acme, "member", "Max");
  const key = await desk.ask([mia, acme], "POST /api/v1/keys", { name: "search", billing_mode: "payg" });
  expect(key.status).toBe(200);
  expect((await desk.ask([ann, acme], `DELETE /api/v1/keys/${key.body.id}`)).status).toBe(200);
  await run();
  expect(mailbox.sent.map(({ to, mail }) => [to, mail.subject])).toEqual([
    ["mia@example.com", "A key was revoked: Acme"],
  ]);
});

test("whoever made a key gets a mail when its budget is nearly spent, and who left billing none of money", async () => {
  const { desk, acme, ann, newMailed, happen, mailbox, run, states } = await opened();
  const mia = await newMailed(acme, "member", "Mia");
  const fei = await newMailed(acme, "finance", "Fei");
  const key = await desk.ask([mia, acme], "POST /api/v1/keys", { name: "search", billing_mode: "payg" });
  mailbox.fails = true;
  await happen(acme, { kind: "budget_reached", subject: key.body.id, after: { percent: 80 } });
  await run();
  mailbox.fails = false;
  await desk.ask([ann, acme], `PATCH /api/v1/members/${fei.user.id}`, { role: "member" });
  desk.clock.now += minute;
  await run();
  const budgets = mailbox.sent.filter(({ mail }) => mail.subject.startsWith("A budget"));
  expect(budgets.map(({ to }) => to).sort()).toEqual(["ann@example.com", "mia@example.com"]);
  expect(await states(fei.user.id)).toContain("dropped");
});

test("members are read to the last one", async () => {
  const { acme, newMailed, happen, mailbox, run, mail } = await opened();
  await newMailed(acme, "owner", "Zoe");
  const { list } = mail.members;
  const members = {
    ...mail.members,
    list: async (id: string, page: object) => await list(id, { ...page, limit: 1 }),
  };
  await happen(acme, credited);
  await run({ mail: { ...mail, members } });
  expect(mailbox.sent.map(({ to }) => to).sort()).toEqual(["ann@example.com", "zoe@example.com"]);
});

test("a line is mailed once, however often a run sees it", async () => {
  const { desk, acme, happen, mailbox, run } = await opened();
  await happen(acme, credited);
  await run();
  for (let runs = 0; runs < 70; runs++) {
    desk.clock.now += minute;
    await run();
  }
  expect(mailbox.sent).toHaveLength(1);
  // And then its organization rests.
  expect((await run()).organizations).toBe(0);
});

test("of two runs that find a line at the same time, one mails it", async () => {
  const { desk, acme, happen, mailbox, run } = await opened();
  await happen(acme, credited);
  const { deliveries } = desk.news;
  // The other run does all its work after this one has read what is known.
  const known: typeof deliveries.known = async (...which) => {
    const read = await deliveries.known(...which);
    await run();
    return read;
  };
  await run({ deliveries: { ...deliveries, known } });
  desk.clock.now += newsLimits.claimMs;
  await run();
  expect(mailbox.sent).toHaveLength(1);
});

test("a line whose mails are made costs the runs after it no write", async () => {
  const { desk, acme, happen, run } = await opened();
  await happen(acme, credited);
  await run();
  desk.clock.now += minute;
  await run();
  const writes: string[] = [];
  const aws: Aws = (service, action, input) => {
    if (!/^(?:Get|Query|BatchGet)/.test(action)) writes.push(action);
    return db.aws(service, action, input);
  };
  desk.clock.now += minute;
  await run({ webhooks: createWebhooks(aws, db.tables), deliveries: createDeliveries(aws, db.tables) });
  expect(writes).toEqual([]);
});

test("a line that comes late into the log is mailed, and one of two hours ago is not", async () => {
  const { desk, acme, happen, subjectsTo, run } = await opened();
  await run();
  await happen(acme, credited, undefined, desk.clock.now - 14 * minute);
  await happen(acme, { kind: "order_refunded", subject: "ord_1" }, undefined, desk.clock.now - 120 * minute);
  await run();
  expect(subjectsTo("Ann")).toEqual(["An order was paid: Acme"]);
});

test("what a service does not take is tried again, by the schedule of webhooks", async () => {
  const { desk, acme, ann, happen, mailbox, run, states } = await opened();
  mailbox.fails = true;
  await happen(acme, credited);
  expect(await run()).toMatchObject({ delivered: 0, failed: 1 });
  expect(await states(ann.user.id)).toEqual(["waiting"]);
  mailbox.fails = false;
  desk.clock.now += minute;
  expect(await run()).toMatchObject({ delivered: 1, failed: 0 });
  expect(mailbox.sent).toHaveLength(1);
});

test("who has left meanwhile gets no mail, and who is back in another role gets what that role does", async () => {
  const { desk, acme, newMailed, happen, mailbox, run, states, ann } = await opened();
  const bea = await newMailed(acme, "owner", "Bea");
  mailbox.fails = true;
  await happen(acme, credited);
  await run();
  mailbox.fails = false;
  expect((await desk.ask([ann, acme], `DELETE /api/v1/members/${bea.user.id}`)).status).toBe(200);
  desk.clock.now += minute;
  await run();
  expect(mailbox.sent.map(({ to }) => to)).toEqual(["ann@example.com"]);
  expect(await states(bea.user.id)).toEqual(["dropped"]);
});

test("a person gets twenty mails a day, and the last one says so", async () => {
  const { desk, acme, happen, mailbox, run } = await opened();
  for (let nth = 0; nth < newsLimits.mailsOfDayMax + 5; nth++) await happen(acme, credited);
  // A run has places for some mails of one organization.
  for (let runs = 0; runs < 4; runs++, desk.clock.now += minute) await run();
  expect(mailbox.sent).toHaveLength(newsLimits.mailsOfDayMax);
  expect(mailbox.sent.filter(({ mail }) => mail.text.includes("last mail of today"))).toHaveLength(1);
  desk.clock.now += day;
  await happen(acme, credited);
  await run();
  expect(mailbox.sent).toHaveLength(newsLimits.mailsOfDayMax + 1);
});

test("names of others are text on one line: they add no header and no markup", async () => {
  const { desk, newMailed, happen, mailbox, run } = await opened();
  const hostile = await desk.newOrganization({ name: "A\r\nBcc: eve@example.com <b>\u202e" });
  await newMailed(hostile, "owner", "Oda");
  const eve = await desk.newPerson("<img src=x>\n\nPay here");
  await happen(hostile, { ...credited, after: { name: "<script>\u2028" } }, eve);
  await run();
  const [{ mail } = { mail: { subject: "\n", text: "", html: "" } }] = mailbox.sent;
  expect(mail.subject).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(mail.html).not.toMatch(/<(?:b|img|script)[> ]/);
  expect(mail.html).not.toMatch(/href|src="/);
  expect(mail.text).toContain("“<img src=x> Pay here” did it.");
});

test("a stage without mails makes none, and reads nothing for them", async () => {
  const { desk, acme, ann, happen, run, states } = await opened();
  // No other organization is due any more.
  for (let runs = 0; runs < 3; runs++, desk.clock.now += minute) await run();
  await happen(acme, credited);
  const asked: string[] = [];
  const aws: Aws = (service, action, input) => {
    asked.push(action);
    return db.aws(service, action, input);
  };
  const lines = createNewsLines(aws, db.tables);
  await run({ mail: undefined, webhooks: createWebhooks(aws, db.tables), lines });
  expect(asked).toEqual(["Query"]);
  expect(await states(ann.user.id)).toEqual([]);
});

test("the mark of a line is part of it: its hash is right, and readers do not see it", async () => {
  const { desk, acme, happen } = await opened();
  const id = await happen(acme, credited);
  const item = await getItem(db.aws, db.tables.accounts, auditKey(acme.id, id));
  expect(readHash(item ?? {}).isRight).toBe(true);
  expect(item).toHaveProperty("due_kind");
  const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 1 });
  for (const line of [entries[0], await desk.news.lines.line(acme.id, id)])
    expect(Object.keys(line ?? {}).filter((name) => name.startsWith("due_"))).toEqual([]);
});

test("an organization that mails have made due can have its first webhook", async () => {
  const { desk, acme, ann, happen, run } = await opened();
  await happen(acme, credited);
  await run();
  const made = await desk.ask([ann, acme], "POST /api/v1/webhooks", { url: "https://hooks.example.com/" });
  expect(made.status).toBe(201);
});

test.each([false, true])(
  "whatever step a run dies at (after it: %s), a mail is sent",
  async (after) => {
    for (let at = 1; ; at++) {
      const { desk, acme, happen, mailbox, run } = await opened();
      await happen(acme, credited);
      let left = at;
      const aws: Aws = async (...request) => {
        left -= 1;
        if (left === 0 && after) await db.aws(...request);
        if (left <= 0) throw new Error("the process has died");
        return await db.aws(...request);
      };
      await run({
        webhooks: createWebhooks(aws, db.tables),
        deliveries: createDeliveries(aws, db.tables),
        lines: createNewsLines(aws, db.tables),
      });
      for (let runs = 0; runs < 3; runs++) {
        desk.clock.now += newsLimits.claimMs;
        await run();
      }
      expect(mailbox.sent.length, `step ${at}`).toBeGreaterThan(0);
      // Only a death between the mail and its note may send it twice.
      expect(mailbox.sent.length, `step ${at}`).toBeLessThanOrEqual(2);
      if (left > 0) break;
    }
  },
  60_000,
);

test("an address that cannot be opened is our fault: it is logged, and the mail is tried again", async () => {
  const { desk, acme, ann, happen, mail, run, states } = await opened();
  await happen(acme, credited);
  const keys = async () => {
    throw new Error("the secret is away");
  };
  expect(await run({ mail: { ...mail, keys } })).toMatchObject({ delivered: 0, failed: 1 });
  expect(desk.lines.find(({ event }) => event === "news_failed")?.fields).toMatchObject({
    ...{ organization: acme.id, user: ann.user.id, error: expect.stringContaining("the secret is away") },
  });
  expect(await states(ann.user.id)).toEqual(["waiting"]);
});
