/** Webhooks as members make, change, test and delete them. */
import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";
import { tellNews } from "#shared/edges/jobs/tell-news.ts";
import { newsLimits } from "#shared/people/news/bounds.ts";
import { codeOf, openMembers } from "#test/support/members.ts";
import { newsReceiver } from "#test/support/news.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const url = "https://hooks.example.com/in?token=t0ken";

async function opened() {
  const receiver = newsReceiver();
  const desk = openMembers(db, { send: receiver.send });
  desk.clock.now = Date.now();
  const acme = await desk.newOrganization();
  const [ann, bob] = [await desk.newMember(acme, "owner"), await desk.newMember(acme, "finance")];
  const ask = (route: string, body?: object | string, by = ann) => {
    desk.clock.now += 1;
    return desk.ask([by, acme], route, body);
  };
  const make = async (body: object = { url }) => (await ask("POST /api/v1/webhooks", body)).body;
  const list = async () => (await ask("GET /api/v1/webhooks")).body.data;
  const lines = async () => {
    const { entries } = await desk.deps.auditLog.entries(acme.id, { limit: 50 });
    return entries.filter(({ kind }) => kind.startsWith("webhook_")).reverse();
  };
  return { desk, receiver, acme, ann, bob, ask, make, list, lines };
}

test("a webhook is made, shown, changed, disabled, enabled and deleted; its secret is shown once", async () => {
  const { ask, make, list, lines } = await opened();
  const { secret, ...made } = await make({ url, kinds: ["key_created"] });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(made).toMatchObject({
    object: "webhook",
    url,
    kinds: ["key_created"],
    enabled: true,
    disabled_by: null,
  });
  expect(await list()).toEqual([made]);
  const path = `/api/v1/webhooks/${made.id}`;
  const changed = await ask(`PATCH ${path}`, { kinds: null, url: "https://other.example.com:8443/" });
  expect(changed.body).toEqual({ ...made, kinds: null, url: "https://other.example.com:8443/" });
  expect((await ask(`PATCH ${path}`, { enabled: false })).body).toMatchObject({ disabled_by: "member" });
  expect((await ask(`PATCH ${path}`, { enabled: true })).body).toMatchObject({ enabled: true });
  expect((await ask(`DELETE ${path}`)).body).toEqual({ id: made.id, object: "webhook", deleted: true });
  expect(await list()).toEqual([]);
  const told = await lines();
  expect(told.map(({ kind }) => kind)).toEqual([
    ...["webhook_made", "webhook_changed", "webhook_disabled", "webhook_changed", "webhook_deleted"],
  ]);
  // The path of a URL may be a secret of its receiver, and the lines are told to other webhooks.
  expect(JSON.stringify(told)).not.toContain("t0ken");
  expect(JSON.stringify(told)).not.toContain(secret);
});

test("a rotated secret signs with the new one and, for a day, with the old one", async () => {
  const { desk, receiver, ask, make } = await opened();
  const { id, secret: old } = await make();
  const { body: rotated } = await ask(`POST /api/v1/webhooks/${id}/rotate`);
  expect(rotated.secret).not.toBe(old);
  await ask(`POST /api/v1/webhooks/${id}/test`);
  const [both] = receiver.received;
  for (const secret of [old, rotated.secret])
    expect(new Verifier(secret).verify(both?.body ?? "", both?.headers ?? {})).toMatchObject({
      type: "webhook_tested",
    });
  desk.clock.now += newsLimits.secretOverlapMs;
  await ask(`POST /api/v1/webhooks/${id}/test`);
  expect(receiver.received[1]?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
});

test("a test says what came of it, and no other webhook is told of it", async () => {
  const { desk, receiver, ask, make } = await opened();
  const tested = await make();
  await make({ url: "https://other.example.com/" });
  receiver.answer.status = 500;
  const { body } = await ask(`POST /api/v1/webhooks/${tested.id}/test`);
  expect(body).toMatchObject({
    ...{ object: "delivery", kind: "webhook_tested", state: "waiting", attempts: 1 },
    last_attempt: { status: 500, failure: "status" },
    next_attempt_at: new Date(desk.clock.now + 60_000).toISOString(),
  });
  await tellNews(desk.news);
  const tests = receiver.received.filter(({ type }) => type === "webhook_tested");
  expect(tests.map(({ url: to }) => to)).toEqual([url]);
});

test("deliveries are listed by pages, the newest first, and replayed under the same id", async () => {
  const { desk, receiver, ask, make } = await opened();
  const { id } = await make();
  for (let sent = 0; sent < 3; sent++) {
    desk.clock.now += 1;
    await ask(`POST /api/v1/webhooks/${id}/test`);
  }
  const path = `/api/v1/webhooks/${id}/deliveries`;
  const { body: first } = await ask(`GET ${path}?limit=2`);
  const { body: second } = await ask(`GET ${path}?limit=2&after=${first.last_id}`);
  const ids = [...first.data, ...second.data].map((each: { id: string }) => each.id);
  expect([first.has_more, second.has_more]).toEqual([true, false]);
  expect(ids).toEqual(receiver.received.map((each) => each.id).reverse());
  const { body: replayed } = await ask(`POST /api/v1/webhooks/${id}/replay`, { message: ids[0] });
  expect(replayed).toMatchObject({ id: ids[0], state: "waiting", attempts: 0 });
  await tellNews(desk.news);
  expect(receiver.received.filter((each) => each.id === ids[0])).toHaveLength(2);
  const { body: after } = await ask(`GET ${path}?limit=1`);
  expect(after.data[0]).toMatchObject({ id: ids[0], state: "delivered", attempts: 1, next_attempt_at: null });
});

test.each([
  ["POST /api/v1/webhooks", {}, "url"],
  ["POST /api/v1/webhooks", { url: "http://example.com/" }, "url"],
  ["POST /api/v1/webhooks", { url: "https://10.0.0.1/" }, "url"],
  ["POST /api/v1/webhooks", { url, kinds: [] }, "kinds"],
  ["POST /api/v1/webhooks", { url, kinds: ["sneeze"] }, "kinds"],
  ["POST /api/v1/webhooks", { url, kinds: "key_created" }, "kinds"],
  ["POST /api/v1/webhooks", { url, secret: "mine" }, "secret"],
  ["PATCH /api/v1/webhooks/:id", { url: "https://[::1]/" }, "url"],
  ["PATCH /api/v1/webhooks/:id", { enabled: "no" }, "enabled"],
  ["POST /api/v1/webhooks/:id/replay", { message: "x" }, "message"],
  ["GET /api/v1/webhooks/:id/deliveries?after=x", undefined, "after"],
])("%s with %j is refused for its %s, and changes nothing", async (route, body, param) => {
  const { ask, make, list } = await opened();
  const { secret: _, ...made } = await make();
  expect((await ask(route.replace(":id", made.id), body)).body.error).toMatchObject({
    code: 40000,
    message: expect.stringContaining(`\`${param}\``),
  });
  expect(await list()).toEqual([made]);
});

test("nobody without the right, and nobody of another organization, sees or touches a webhook", async () => {
  const { desk, bob, ask, make } = await opened();
  const { id } = await make();
  const other = await desk.newOrganization();
  const eve = await desk.newMember(other, "owner");
  const routes: [route: string, body?: object][] = [
    ["GET /api/v1/webhooks"],
    ["POST /api/v1/webhooks", { url }],
    [`PATCH /api/v1/webhooks/${id}`, { enabled: false }],
    [`DELETE /api/v1/webhooks/${id}`],
    [`POST /api/v1/webhooks/${id}/rotate`],
    [`POST /api/v1/webhooks/${id}/test`],
    [`GET /api/v1/webhooks/${id}/deliveries`],
    [`POST /api/v1/webhooks/${id}/replay`, { message: "aud_01KAJ2X5P00000000000000000" }],
  ];
  for (const [route, body] of routes) {
    expect(codeOf(await ask(route, body, bob)), route).toBe(40300);
    if (route.includes(id)) expect((await desk.ask([eve, other], route, body)).status, route).toBe(404);
  }
});

test("there are at most five webhooks, also if they are made at one moment", async () => {
  const { ask, list } = await opened();
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask("POST /api/v1/webhooks", { url })));
  expect(answers.filter(({ status }) => status === 201).length).toBe((await list()).length);
  while ((await list()).length < newsLimits.webhooksMax) await ask("POST /api/v1/webhooks", { url });
  const { body } = await ask("POST /api/v1/webhooks", { url });
  expect(body.error).toMatchObject({ code: 40000, message: expect.stringContaining("Delete one first") });
  expect(await list()).toHaveLength(newsLimits.webhooksMax);
});

test("a disabled webhook replays nothing", async () => {
  const { ask, make } = await opened();
  const { id } = await make();
  const { body } = await ask(`POST /api/v1/webhooks/${id}/test`);
  await ask(`PATCH /api/v1/webhooks/${id}`, { enabled: false });
  const answer = await ask(`POST /api/v1/webhooks/${id}/replay`, { message: body.id });
  expect(answer.body.error.message).toBe("The webhook is disabled. Enable it first.");
});
