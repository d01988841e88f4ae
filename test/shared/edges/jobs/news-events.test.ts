/** News on the event bus: every line of every organization, once its delivery is made, whatever fails in between. */
import { beforeEach, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { type NewsDeps, tellNews } from "#shared/edges/jobs/tell-news.ts";
import { eventsPlaceKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { createDeliveries, createNewsLines } from "#shared/edges/store/news/deliveries.ts";
import { createEventsPlace, createNewsBus } from "#shared/edges/store/news/events.ts";
import { createWebhooks } from "#shared/edges/store/news/webhooks.ts";
import type { AuditedChange } from "#shared/people/identity/audit.ts";
import { newsLimits } from "#shared/people/news/bounds.ts";
import type { NewsEvent } from "#shared/people/news/deliver-event.ts";
import { newsReceiver } from "#test/support/news.ts";
import { openMails } from "#test/support/news-mails.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const minute = 60_000;
const day = 86_400_000;
const quiet: AuditedChange = { kind: "project_created", subject: "proj_1", after: { name: "search" } };
const credited: AuditedChange = { kind: "order_credited", subject: "ord_1", after: { points: "100" } };

let opens = 0;

// Each test has days and a place of its own, so that no run finds lines of another one.
beforeEach(async () => {
  const key = { TableName: db.tables.accounts, Key: eventsPlaceKey() };
  await db.aws("dynamodb", "DeleteItem", key);
  opens += 1;
});

async function opened(changes: Parameters<typeof openMails>[1] = {}) {
  const place = openMails(db, changes);
  const { desk } = place;
  desk.clock.now += opens * 10 * day;
  const taken: NewsEvent[] = [];
  const bus = { fails: false };
  const put = async (event: NewsEvent) => {
    if (bus.fails) throw new Error("ThrottlingException: not now");
    taken.push(event);
  };
  const events = { bus: { put }, place: createEventsPlace(db.aws, db.tables) };
  Object.assign(desk.news, { events, mail: undefined });
  const acme = await desk.newOrganization();
  const run = (deps: Partial<NewsDeps> = {}) => tellNews({ ...desk.news, ...deps });
  // The place begins with the first run.
  await run();
  desk.clock.now += 1_000;
  const idsOf = () => taken.map(({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id);
  const states = async (organization = acme) =>
    (await desk.news.deliveries.list(organization.id, "events", { limit: 50 })).deliveries.map(
      ({ state }) => state,
    );
  return { ...place, acme, taken, bus, events, run, idsOf, states };
}

test("lines of all kinds and of all organizations are put once, however often a run sees them", async () => {
  const { desk, acme, happen, idsOf, run, states } = await opened();
  const other = await desk.newOrganization();
  const ids = [await happen(acme, quiet), await happen(other, credited), await happen(acme, credited)];
  for (let runs = 0; runs < 30; runs++, desk.clock.now += minute) await run();
  expect(idsOf().sort()).toEqual(ids.sort());
  expect(await states()).toEqual(["delivered", "delivered"]);
  // And then nothing rests to be done for these organizations.
  expect((await run()).organizations).toBe(0);
});

test("an event has the body that a webhook is sent, its kind and its instant", async () => {
  const receiver = newsReceiver();
  const { desk, acme, happen, taken, run } = await opened({ send: receiver.send });
  const ann = await desk.newMember(acme, "owner", "Ann");
  const route = "/api/v1/webhooks";
  const url = "https://hooks.example.com/";
  const webhook = await desk.ask([ann, acme], `POST ${route}`, { url, kinds: null });
  desk.clock.now += 1;
  await happen(acme, credited, ann);
  await run();
  const sent = receiver.received.find(({ type }) => type === "order_credited");
  const event = taken.find(({ kind }) => kind === "order_credited");
  expect(event).toEqual({ kind: "order_credited", at: desk.clock.now, body: sent?.body });
  // So that no later run has to look at this organization.
  await desk.ask([ann, acme], `DELETE ${route}/${webhook.body.id}`);
  for (let runs = 0; runs < 3; runs++, desk.clock.now += minute) await run();
});

test("what happened more than a quarter of an hour before a stage has a bus is not told", async () => {
  const { desk, acme, happen, idsOf, run } = await opened();
  await happen(acme, quiet, undefined, desk.clock.now - 16 * minute);
  await run();
  expect(idsOf()).toEqual([]);
});

test("a line that comes late into the log is told, also after the place has moved", async () => {
  const { desk, acme, happen, idsOf, run } = await opened();
  for (let runs = 0; runs < 30; runs++, desk.clock.now += minute) await run();
  const late = await happen(acme, quiet, undefined, desk.clock.now - 14 * minute);
  await run();
  expect(idsOf()).toEqual([late]);
});

test("after an outage of a day of the runs, all lines of that day are told", async () => {
  const { desk, acme, happen, idsOf, run } = await opened();
  const ids: string[] = [];
  for (let hours = 0; hours < 24; hours++, desk.clock.now += 60 * minute) ids.push(await happen(acme, quiet));
  await run();
  expect(idsOf().sort()).toEqual(ids.sort());
});

test("more lines than one read has are told by the next runs", async () => {
  const { desk, acme, happen, idsOf, run } = await opened();
  const { lines } = desk.news;
  const few = { ...lines, ofAll: (from: number, to: number) => lines.ofAll(from, to, 4) };
  const ids: string[] = [];
  for (let nth = 0; nth < 10; nth++, desk.clock.now += 20 * minute)
    ids.push(await happen(acme, nth % 2 ? quiet : credited));
  for (let runs = 0; runs < 10; runs++, desk.clock.now += minute) await run({ lines: few });
  expect(idsOf().sort()).toEqual(ids.sort());
});

test("an event that the bus does not take is put again, by the schedule of webhooks", async () => {
  const { desk, acme, happen, idsOf, bus, run, states } = await opened();
  bus.fails = true;
  const id = await happen(acme, quiet);
  expect(await run()).toMatchObject({ delivered: 0, failed: 1 });
  expect(desk.lines.map(({ event }) => event)).toContain("news_event_failed");
  expect(await states()).toEqual(["waiting"]);
  bus.fails = false;
  desk.clock.now += minute;
  expect(await run()).toMatchObject({ delivered: 1, failed: 0 });
  expect(idsOf()).toEqual([id]);
});

test("an organization that fails holds the place for an hour, and keeps nobody else waiting", async () => {
  const { desk, acme, happen, idsOf, events, run } = await opened();
  const broken = await desk.newOrganization();
  const lost = await happen(broken, quiet);
  const told = await happen(acme, quiet);
  const { deliveries } = desk.news;
  const known: typeof deliveries.known = async (organization, ...rest) => {
    if (organization === broken.id) throw new Error("unreadable");
    return await deliveries.known(organization, ...rest);
  };
  const failing = { deliveries: { ...deliveries, known } };
  for (let minutes = 0; minutes < 50; minutes++, desk.clock.now += minute) await run(failing);
  expect(idsOf()).toEqual([told]);
  expect(desk.lines.filter(({ event }) => event === "news_failed")).toHaveLength(50);
  // Mended within the hour, nothing is lost.
  await run();
  expect(idsOf()).toEqual([told, lost]);
  await happen(broken, quiet);
  for (let minutes = 0; minutes < 90; minutes++, desk.clock.now += minute) await run(failing);
  expect(await events.place.open(desk.clock.now)).toBeGreaterThan(desk.clock.now - 10 * minute);
});

test("a process that dies after it has made deliveries leaves them to the next run", async () => {
  const { desk, acme, happen, idsOf, run } = await opened();
  const id = await happen(acme, quiet);
  const { webhooks } = desk.news;
  const of: typeof webhooks.of = async () => await new Promise(() => {});
  const dead = run({ webhooks: { ...webhooks, of } });
  // The run that died has made the delivery, and goes no further.
  await expect.poll(() => desk.news.deliveries.known(acme.id, "events", 0)).toEqual(new Set([id]));
  desk.clock.now += minute;
  await run();
  expect(idsOf()).toEqual([id]);
  void dead;
});

test("of two runs at once, one puts an event", async () => {
  const { acme, desk, happen, idsOf, run } = await opened();
  await happen(acme, quiet);
  const { deliveries } = desk.news;
  const known: typeof deliveries.known = async (...which) => {
    const read = await deliveries.known(...which);
    await run();
    return read;
  };
  await run({ deliveries: { ...deliveries, known } });
  desk.clock.now += newsLimits.claimMs;
  await run();
  expect(idsOf()).toHaveLength(1);
});

test("a stage without a bus reads nothing and makes nothing for it", async () => {
  const { desk, acme, happen, run, states } = await opened();
  // No other organization is due any more.
  for (let runs = 0; runs < 3; runs++, desk.clock.now += minute) await run();
  await happen(acme, quiet);
  const asked: string[] = [];
  const aws: Aws = (service, action, input) => {
    asked.push(action);
    return db.aws(service, action, input);
  };
  await run({
    events: undefined,
    webhooks: createWebhooks(aws, db.tables),
    deliveries: createDeliveries(aws, db.tables),
    lines: createNewsLines(aws, db.tables),
  });
  expect(asked).toEqual(["Query"]);
  expect(await states()).toEqual([]);
});

test("a line costs so many reads and writes, and nothing once the run after it is done", async () => {
  const { desk, acme, happen, run } = await opened();
  const asked: string[] = [];
  const aws: Aws = (service, action, input) => {
    asked.push(action);
    return db.aws(service, action, input);
  };
  const counted = {
    webhooks: createWebhooks(aws, db.tables),
    deliveries: createDeliveries(aws, db.tables),
    lines: createNewsLines(aws, db.tables),
  };
  const run1 = async () => {
    asked.length = 0;
    await run(counted);
    return Object.fromEntries(
      [...Map.groupBy(asked, (action) => action)].map(([action, all]) => [action, all.length]),
    );
  };
  await happen(acme, quiet);
  const first = await run1();
  desk.clock.now += minute;
  const second = await run1();
  desk.clock.now += minute;
  const third = await run1();
  // Wake, make, claim and end it; then its organization is claimed and rests.
  expect({ first, second, third }).toEqual({
    first: { Query: 4, UpdateItem: 3, PutItem: 1, GetItem: 3 },
    second: { Query: 5, UpdateItem: 2, GetItem: 1 },
    third: { Query: 4 },
  });
});

test("the bus is asked by its ARN, and what it refuses in an answer that succeeds is an error", async () => {
  const inputs: unknown[] = [];
  const answers: object[] = [
    { Entries: [{ EventId: "1" }] },
    { Entries: [{ ErrorCode: "InternalFailure" }] },
  ];
  const aws = (async (service: string, action: string, input: object) => {
    inputs.push([service, action, input]);
    return answers.shift();
  }) as Aws;
  const bus = createNewsBus(aws, "arn:aws:events:eu-west-1:1:event-bus/prod-news");
  const event: NewsEvent = { kind: "wallet_low", at: 1_500, body: "{}" };
  await bus.put(event);
  expect(inputs).toEqual([
    [
      "events",
      "PutEvents",
      {
        Entries: [
          {
            ...{ EventBusName: "arn:aws:events:eu-west-1:1:event-bus/prod-news", Source: "model-gateway" },
            ...{ DetailType: "wallet_low", Detail: "{}", Time: 1.5 },
          },
        ],
      },
    ],
  ]);
  await expect(bus.put(event)).rejects.toThrow("InternalFailure");
});
