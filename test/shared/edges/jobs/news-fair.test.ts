/** A fair run of news: who is slow, or has much that waits, costs other organizations no more than the page says. */
import { expect, test } from "vitest";
import type { Send } from "#shared/base/platform/http-call.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { tellNews } from "#shared/edges/jobs/tell-news.ts";
import { newsLimits } from "#shared/people/news/bounds.ts";
import { newDelivery } from "#shared/people/news/delivery.ts";
import { openMembers, type Person } from "#test/support/members.ts";
import { newsReceiver } from "#test/support/news.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const minute = 60_000;

type Each = { organization: Organization; owner: Person; webhook: string };

/** A gateway whose receivers at `tarpit…` say nothing until `release` is called. */
function opened() {
  const receiver = newsReceiver();
  const released = Promise.withResolvers<void>();
  const arrived = new Map<string, () => void>();
  const behaves = { before: async (_url: string) => {} };
  const send: Send = async (request) => {
    if (request.url.includes("tarpit")) await released.promise;
    await behaves.before(request.url);
    const reply = await receiver.send(request);
    arrived.get(request.url)?.();
    return reply;
  };
  const desk = openMembers(db, { send });
  const webhookAt = async ({ organization, owner }: Omit<Each, "webhook">, url: string) =>
    (await desk.ask([owner, organization], "POST /api/v1/webhooks", { url, kinds: ["key_created"] })).body
      .id as string;
  const newOne = async (url: string): Promise<Each> => {
    const organization = await desk.newOrganization();
    const owner = await desk.newMember(organization, "owner");
    return { organization, owner, webhook: await webhookAt({ organization, owner }, url) };
  };
  const lineOf = ({ organization }: Each, at = desk.clock.now) => ({
    ...{ id: newId("audit", at), organization: organization.id, at, actor: "usr_1", actor_name: "Ann" },
    ...{ ip: null, kind: "key_created" as const, subject: "key_1", before: null, after: null },
  });
  const happen = async (each: Each) => {
    const line = lineOf(each);
    await desk.deps.auditLog.write(line);
    return line.id;
  };
  /** Makes so many deliveries wait that are due already, each of a line of its own. */
  const queue = async (each: Each, count: number) => {
    for (let left = count; left > 0; left -= 50)
      await Promise.all(
        Array.from({ length: Math.min(50, left) }, async (_, nth) => {
          const line = lineOf(each, desk.clock.now - 60 * minute + left * 50 + nth);
          await desk.deps.auditLog.write(line);
          await desk.news.deliveries.make(newDelivery(each.webhook, line, line.at), line.at);
        }),
      );
  };
  const arrival = (url: string) => new Promise<void>((resolve) => void arrived.set(url, resolve));
  const toldAt = (url: string) => receiver.received.filter((each) => each.url === url).map(({ id }) => id);
  const run = () => tellNews(desk.news);
  return { desk, newOne, webhookAt, happen, queue, arrival, toldAt, run, behaves, release: released.resolve };
}

test("twenty receivers that say nothing and a full queue keep nobody else waiting", async () => {
  const { newOne, happen, queue, arrival, toldAt, run, release } = opened();
  const slow = await Promise.all(
    Array.from({ length: 20 }, (_, nth) => newOne(`https://tarpit${nth}.example.com/`)),
  );
  for (const each of slow) await happen(each);
  const full = await newOne("https://full.example.com/");
  await queue(full, 1_100);
  const third = await newOne("https://third.example.com/");
  const line = await happen(third);
  const arrives = arrival("https://third.example.com/");
  const running = run();
  // None of the twenty has answered by then.
  await arrives;
  release();
  await running;
  expect(toldAt("https://third.example.com/")).toEqual([line]);
  expect(toldAt("https://full.example.com/")).toHaveLength(newsLimits.attemptsMax);
}, 60_000);

test("a failed delivery comes again although another organization has much that is longer due", async () => {
  const { desk, newOne, happen, queue, toldAt, run, behaves } = opened();
  const third = await newOne("https://third.example.com/");
  const line = await happen(third);
  behaves.before = async () => {
    throw new Error("not now");
  };
  await run();
  behaves.before = async () => {};
  await queue(await newOne("https://full.example.com/"), 1_100);
  desk.clock.now += minute;
  await run();
  expect(toldAt("https://third.example.com/")).toEqual([line]);
}, 60_000);

test("webhooks of one organization take turns in its share", async () => {
  const { newOne, webhookAt, happen, queue, toldAt, run } = opened();
  const full = await newOne("https://full.example.com/");
  await queue(full, 2 * newsLimits.attemptsMax);
  await webhookAt(full, "https://beside.example.com/");
  const line = await happen(full);
  await run();
  expect(toldAt("https://beside.example.com/")).toEqual([line]);
  expect(toldAt("https://full.example.com/")).toHaveLength(newsLimits.attemptsMax - 1);
  await run();
});

test("for an organization whose receiver takes long, a run soon begins nothing more, and the next one goes on", async () => {
  const { desk, newOne, queue, toldAt, run, behaves } = opened();
  const url = "https://slow.example.com/";
  await queue(await newOne(url), 20);
  behaves.before = async () => {
    desk.clock.now += newsLimits.ofOrganizationMs / 4;
  };
  const { delivered, left } = await run();
  expect(delivered).toBeGreaterThan(0);
  expect(delivered).toBeLessThanOrEqual(4 + newsLimits.ofTargetAtOnceMax);
  expect(left).toBe(20 - delivered);
  behaves.before = async () => {};
  desk.clock.now += minute;
  await run();
  expect(new Set(toldAt(url)).size).toBe(20);
});

test("what is our own fault disables no webhook, however long it lasts", async () => {
  const { desk, newOne, happen, run } = opened();
  const each = await newOne("https://hooks.example.com/");
  const { webhooks } = desk.news;
  const before = await webhooks.of(each.organization.id);
  // A secret under a version of the accounts' secret that is gone.
  const list = before.list.map((one) => ({
    ...one,
    secrets: one.secrets.map((secret) => ({ ...secret, version: 9 })),
  }));
  await webhooks.change(before, list, undefined, desk.clock.now);
  for (const wait of [0, newsLimits.failingMs, newsLimits.failingMs]) {
    desk.clock.now += wait;
    await happen(each);
    expect((await run()).failed).toBeGreaterThan(0);
  }
  const [webhook] = (await webhooks.of(each.organization.id)).list;
  expect(webhook).toMatchObject({ disabled: null, failing_since: null });
  // Nobody else can mend it.
  const told = desk.lines.filter(({ event }) => event === "news_failed");
  const ours = { organization: each.organization.id };
  expect(told.map(({ fields }) => fields)).toContainEqual(expect.objectContaining(ours));
});

test("an organization that is changed while a run looks at it is looked at again", async () => {
  const { desk, newOne, happen, toldAt, run } = opened();
  const each = await newOne("https://hooks.example.com/");
  const set = (enabled: boolean) =>
    desk.ask([each.owner, each.organization], `PATCH /api/v1/webhooks/${each.webhook}`, { enabled });
  await set(false);
  const { webhooks } = desk.news;
  // A member enables it after the run has read it, and before the run lets it rest.
  const of: typeof webhooks.of = async (organization) => {
    const read = await webhooks.of(organization);
    await set(true);
    return read;
  };
  await tellNews({ ...desk.news, webhooks: { ...webhooks, of } });
  const line = await happen(each);
  desk.clock.now += minute;
  await run();
  expect(toldAt("https://hooks.example.com/")).toEqual([line]);
});

test("what waits for a webhook that is deleted is dropped, and its organization rests", async () => {
  const { desk, newOne, queue, toldAt, run } = opened();
  const each = await newOne("https://hooks.example.com/");
  await queue(each, 3);
  await desk.ask([each.owner, each.organization], `DELETE /api/v1/webhooks/${each.webhook}`);
  await run();
  const { deliveries } = await desk.news.deliveries.list(each.organization.id, each.webhook, { limit: 50 });
  expect(deliveries.map(({ state }) => state)).toEqual(["dropped", "dropped", "dropped"]);
  expect(toldAt("https://hooks.example.com/")).toEqual([]);
  desk.clock.now += minute;
  expect((await run()).organizations).toBe(0);
});
