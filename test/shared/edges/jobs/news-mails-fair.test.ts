/** Mails of news leave codes their room, and organizations that have mails alone are not the last of a run. */
import { expect, test } from "vitest";
import { tellNews } from "#shared/edges/jobs/tell-news.ts";
import { newsLimits } from "#shared/people/news/bounds.ts";
import { openMails } from "#test/support/news-mails.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const minute = 60_000;
const day = 86_400_000;
const credited = { kind: "order_credited", subject: "ord_1" } as const;
let opens = 0;

async function opened() {
  const place = openMails(db);
  opens += 1;
  place.desk.clock.now += opens * 10 * day;
  const acme = await place.desk.newOrganization();
  const ann = await place.newMailed(acme, "owner", "Ann");
  return { ...place, acme, ann };
}

test("an organization with mails alone has its turn behind the one that is longest due", async () => {
  const { desk, acme, happen } = await opened();
  const others = Array.from({ length: 120 }, (_, nth) => `org_due_${String(nth).padStart(3, "0")}`);
  for (const [nth, each] of others.entries())
    await desk.news.webhooks.wake(each, desk.clock.now - 1_000 + nth);
  await happen(acme, credited);
  const order: string[] = [];
  const { webhooks, deliveries } = desk.news;
  await tellNews({
    ...desk.news,
    webhooks: {
      ...webhooks,
      claim: async (due, next) => {
        order.push(due.organization);
        return await webhooks.claim(due, next);
      },
    },
    deliveries: {
      ...deliveries,
      known: async (organization, ...rest) => {
        if (organization === acme.id) order.push(acme.id);
        return await deliveries.known(organization, ...rest);
      },
    },
  });
  expect(order).toHaveLength(121);
  expect(order.indexOf(acme.id)).toBeLessThan(newsLimits.organizationsAtOnceMax);
  expect(order[0]).toBe(others[0]);
});

test("what a run has no place for is mailed by the next ones, all of it and once", async () => {
  const { desk, acme, happen, mailbox, newMailed } = await opened();
  await newMailed(acme, "finance", "Fei");
  for (let nth = 0; nth < 12; nth++) await happen(acme, { ...credited, subject: `ord_${nth}` });
  const sent: number[] = [];
  for (let runs = 0; runs < 4; runs++, desk.clock.now += minute) {
    await tellNews(desk.news);
    sent.push(mailbox.sent.length);
  }
  expect(sent).toEqual([10, 20, 24, 24]);
  expect(
    new Set(mailbox.sent.map(({ to, mail }) => `${to} ${mail.headers?.["List-Unsubscribe"]}`)).size,
  ).toBe(24);
});

test("news have a share of the day, and what is over it is tried again, with a line that rings", async () => {
  const { desk, acme, mail, happen, mailbox } = await opened();
  const few = { ...desk.news, mail: { ...mail, perDayMax: 2 } };
  for (let nth = 0; nth < 3; nth++) await happen(acme, { ...credited, subject: `ord_${nth}` });
  expect(await tellNews(few)).toMatchObject({ delivered: 2, failed: 1 });
  expect(mailbox.sent).toHaveLength(2);
  expect(desk.lines.find(({ event }) => event === "news_mail_not_sent")?.fields).toMatchObject({
    reason: "news have had their share of the day",
  });
  desk.clock.now += day;
  await tellNews(few);
  expect(mailbox.sent).toHaveLength(3);
});
