/** News: each line of the log is told to each webhook that wants it, whatever dies; and what fails is tried for a day. */
import { expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { type NewsDeps, tellNews } from "#shared/edges/jobs/tell-news.ts";
import { createDeliveries, createNewsLines } from "#shared/edges/store/news/deliveries.ts";
import { createWebhooks } from "#shared/edges/store/news/webhooks.ts";
import type { AuditKind } from "#shared/people/identity/audit.ts";
import { newsLimits } from "#shared/people/news/bounds.ts";
import type { DeliveryState } from "#shared/people/news/delivery.ts";
import { openMembers } from "#test/support/members.ts";
import { newsReceiver } from "#test/support/news.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const minute = 60_000;
const day = 86_400_000;

async function opened(kinds: AuditKind[] | null = ["key_created"]) {
  const receiver = newsReceiver();
  const desk = openMembers(db, { send: receiver.send });
  const acme = await desk.newOrganization();
  const ann = await desk.newMember(acme, "owner");
  const make = async (url: string, wanted = kinds) =>
    (await desk.ask([ann, acme], "POST /api/v1/webhooks", { url, kinds: wanted })).body.id as string;
  const happen = async (kind: AuditKind, at = desk.clock.now, subject = "key_1") => {
    const line = {
      ...{ id: newId("audit", at), organization: acme.id, at, actor: "usr_1", actor_name: "Ann", ip: null },
      ...{ kind, subject, before: null, after: null },
    };
    await desk.deps.auditLog.write(line);
    return line.id;
  };
  const run = (deps: Partial<NewsDeps> = {}) => tellNews({ ...desk.news, ...deps });
  const state = async (webhook: string): Promise<[string, DeliveryState, number][]> => {
    const { deliveries } = await desk.news.deliveries.list(acme.id, webhook, { limit: 50 });
    return deliveries.map(({ message, state: is, attempts }) => [message, is, attempts]);
  };
  const one = async (webhook: string) =>
    (await desk.news.webhooks.of(acme.id)).list.find(({ id }) => id === webhook);
  return { desk, receiver, acme, ann, make, happen, run, state, one };
}

const hooks = "https://hooks.example.com/";

test("each line is told once to each webhook that wants its kind, and lines from before it are not", async () => {
  const { desk, receiver, make, happen, run } = await opened();
  await happen("key_created");
  desk.clock.now += 1;
  await make(hooks);
  await make("https://all.example.com/", null);
  desk.clock.now += 1;
  const created = await happen("key_created");
  const revoked = await happen("key_revoked");
  for (let runs = 0; runs < 20; runs++, desk.clock.now += minute) await run();
  const told = (url: string) => receiver.received.filter((each) => each.url === url);
  expect(told(hooks).map(({ id }) => id)).toEqual([created]);
  const all = told("https://all.example.com/");
  expect(
    all
      .filter(({ type }) => type.startsWith("key_"))
      .map(({ id }) => id)
      .sort(),
  ).toEqual([created, revoked].sort());
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
});

test("a line that comes late into the log is told, and so is one that was written while no run was", async () => {
  const { desk, receiver, make, happen, run } = await opened();
  await make(hooks);
  for (let runs = 0; runs < 30; runs++, desk.clock.now += minute) await run();
  const late = await happen("key_created", desk.clock.now - 14 * minute);
  await run();
  desk.clock.now += day;
  const missed = await happen("key_created", desk.clock.now - 20 * 60 * minute);
  await run();
  expect(receiver.received.map(({ id }) => id)).toEqual([late, missed]);
});

test("what fails is attempted eight times within a day, and then never again", async () => {
  const { desk, receiver, make, happen, run, state } = await opened();
  const webhook = await make(hooks);
  receiver.answer.status = 503;
  const line = await happen("key_created");
  const began = desk.clock.now;
  let last = began;
  for (let seen = 0; desk.clock.now < began + 2 * day; desk.clock.now += 10 * minute) {
    await run();
    if (receiver.received.length > seen) last = desk.clock.now;
    seen = receiver.received.length;
  }
  expect(receiver.received.map(({ id }) => id)).toEqual(Array(newsLimits.waitsSeconds.length + 1).fill(line));
  expect(last - began).toBeGreaterThan(0.9 * day);
  expect(last - began).toBeLessThan(day);
  expect(await state(webhook)).toEqual([[line, "failed", 8]]);
}, 60_000);

test("a receiver that works again gets what it missed, and its webhook is well", async () => {
  const { desk, receiver, make, happen, run, state, one } = await opened();
  const webhook = await make(hooks);
  receiver.answer.status = 0;
  const line = await happen("key_created");
  await run();
  expect(await one(webhook)).toMatchObject({ failing_since: desk.clock.now, disabled: null });
  receiver.answer.status = 200;
  desk.clock.now += minute;
  await run();
  expect(await state(webhook)).toEqual([[line, "delivered", 2]]);
  expect(await one(webhook)).toMatchObject({ failing_since: null });
});

test("a webhook is disabled after days of failure, with a line of it, and what waits is dropped", async () => {
  const { desk, receiver, acme, make, happen, run, state, one } = await opened();
  const webhook = await make(hooks);
  receiver.answer.status = 500;
  await happen("key_created");
  await run();
  desk.clock.now += newsLimits.failingMs - minute;
  await happen("key_created");
  await run();
  expect(await one(webhook)).toMatchObject({ disabled: null });
  desk.clock.now += minute;
  const waiting = await happen("key_created");
  const [first] = [await happen("key_created")];
  await run();
  expect(await one(webhook)).toMatchObject({ disabled: "failing" });
  desk.clock.now += 10 * minute;
  await run();
  const ofLast = (await state(webhook)).filter(([message]) => [waiting, first].includes(message));
  expect(ofLast.map(([, is]) => is)).toContain("dropped");
  const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 50 });
  expect(entries.filter(({ kind }) => kind === "webhook_disabled")).toEqual([
    expect.objectContaining({ actor: "platform", subject: webhook, after: { disabled_by: "failing" } }),
  ]);
});

test("a receiver that says it is gone is asked no more", async () => {
  const { desk, receiver, make, happen, run, one } = await opened();
  const webhook = await make(hooks);
  receiver.answer.status = 410;
  await happen("key_created");
  await run();
  expect(await one(webhook)).toMatchObject({ disabled: "gone" });
  desk.clock.now += day;
  await happen("key_created");
  await run();
  expect(receiver.received).toHaveLength(1);
});

test("a webhook that is enabled again is told of what happens from then on", async () => {
  const { desk, receiver, acme, ann, make, happen, run } = await opened();
  const webhook = await make(hooks);
  const set = (enabled: boolean) => desk.ask([ann, acme], `PATCH /api/v1/webhooks/${webhook}`, { enabled });
  await set(false);
  desk.clock.now += minute;
  await happen("key_created");
  await run();
  desk.clock.now += minute;
  await set(true);
  const line = await happen("key_created");
  await run();
  expect(receiver.received.map(({ id }) => id)).toEqual([line]);
});

/** The stores over a connection that dies at its `at`th request, before it is made or after it. */
function dying(at: number, after: boolean, deps: NewsDeps): { deps: NewsDeps; isDead: () => boolean } {
  let left = at;
  const aws: Aws = async (...request) => {
    left -= 1;
    if (left === 0 && after) await db.aws(...request);
    if (left <= 0) throw new Error("the process has died");
    return await db.aws(...request);
  };
  const send: NewsDeps["send"] = async (request) => {
    left -= 1;
    if (left === 0 && after) await deps.send(request);
    if (left <= 0) throw new Error("the process has died");
    return await deps.send(request);
  };
  return {
    deps: {
      ...{ ...deps, send },
      webhooks: createWebhooks(aws, db.tables),
      deliveries: createDeliveries(aws, db.tables),
      lines: createNewsLines(aws, db.tables),
    },
    isDead: () => left <= 0,
  };
}

test.each([false, true])(
  "whatever step a run dies at (after it: %s), every line is told, under one id",
  async (after) => {
    for (let at = 1; ; at++) {
      const { desk, receiver, make, happen, run } = await opened();
      await make(hooks);
      const lines = [await happen("key_created"), await happen("key_created", desk.clock.now + 1)];
      const dead = dying(at, after, desk.news);
      await tellNews(dead.deps);
      for (let runs = 0; runs < 3; runs++) {
        desk.clock.now += newsLimits.deferMs;
        await run();
      }
      expect(new Set(receiver.received.map(({ id }) => id)), `step ${at}`).toEqual(new Set(lines));
      // Only a death around an attempt may send a message twice.
      expect(receiver.received.length, `step ${at}`).toBeLessThanOrEqual(lines.length + 2);
      if (!dead.isDead()) break;
    }
  },
);

test("runs of one moment tell each line once, also where each of them finds it due", async () => {
  const { desk, receiver, make, happen, run } = await opened();
  await make(hooks);
  receiver.answer.status = 503;
  const line = await happen("key_created");
  const runs = () => Promise.all([run(), run(), run(), run()]);
  await runs();
  expect(receiver.received.map(({ id }) => id)).toEqual([line]);
  receiver.answer.status = 200;
  desk.clock.now += minute;
  await runs();
  expect(receiver.received.map(({ id }) => id)).toEqual([line, line]);
});

test("an organization without webhooks costs a run one read of an index, and the log one write as ever", async () => {
  const { happen } = await opened();
  const asked: string[] = [];
  const aws: Aws = (service, action, input) => {
    asked.push(action);
    return db.aws(service, action, input);
  };
  const { desk } = await opened();
  desk.clock.now = 1;
  await happen("key_created");
  await tellNews({
    ...desk.news,
    webhooks: createWebhooks(aws, db.tables),
    deliveries: createDeliveries(aws, db.tables),
    lines: createNewsLines(aws, db.tables),
  });
  expect(asked).toEqual(["Query"]);
});
