/**
 * The operator's commands on holds, dead letters and the audit of both, run as an operator runs them on
 * a local gateway.
 */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId, timeOf } from "#shared/base/platform/id.ts";
import { hourOf, nextHour } from "#shared/books/billing/period.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import { priceKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { queueDepth, readDeadLetters } from "#shared/edges/store/usage-queue.ts";
import { awsAt } from "#test/support/local/fixture.ts";
import { type LocalGateway, operator, operatorProcess, startLocal } from "#test/support/local.ts";
import { catalogAt, completion, customer, post, providerKey, walletOf } from "#test/support/money.ts";
import { eventOf, intentOf, settlement, walletHold } from "#test/support/store.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.json(completion);
  gateway = await startLocal({ catalog: catalogAt(upstream.url), env: providerKey });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

/** The usage that costs so much at the price of `eventOf`: a million output tokens are 10 points. */
const usageWorth = (cost: string) => ({
  ...noUsage,
  output_tokens: Number((parsePoints(cost) * 100_000n) / parsePoints("1")),
});

/** A call that its meter has settled and the ledger does not know of. */
async function unbooked(cost: string) {
  const { aws, tables } = connectLocally(gateway.readyFile);
  const { id } = await customer(gateway, { points: parsePoints("5") });
  const meters = createMeters(aws, tables);
  const hold = walletHold(await walletOf(gateway, id), "1", Date.now());
  await Promise.all([meters.admit(hold), meters.intend(intentOf(hold, id))]);
  await meters.settle(ticketOf(hold), settlement({ points: parsePoints(cost), at: Date.now() }));
  return { id, hold, event: eventOf(hold, cost, { organization: id, usage: usageWorth(cost) }) };
}

/** What a command prints for people. */
function printed(...words: string[]): string {
  const place = ["--local", "--ready-file", gateway.readyFile];
  return execFileSync(process.execPath, ["infra/operator/main.ts", ...words, ...place], { encoding: "utf8" });
}

describe("redrive", () => {
  test("brings dead letters back, books each once however often it comes, and poison returns", async () => {
    const { aws, tables, usageQueueUrl, deadLetterQueueUrl } = connectLocally(gateway.readyFile);
    const { id, event } = await unbooked("0.25");
    const bury = (MessageBody: string) =>
      aws("sqs", "SendMessage", { QueueUrl: deadLetterQueueUrl, MessageBody, MessageGroupId: id });
    const ledger = createLedger(aws, tables);
    const usageEntries = async () =>
      await Array.fromAsync(ledger.eachEntry(id, timeOf(event.id), timeOf(event.id) + 1));
    const hour = hourOf(timeOf(event.id));
    const sums = () => ledger.rollups(id, "", hour, nextHour(hour));
    const depths = () => Promise.all([queueDepth(aws, usageQueueUrl), queueDepth(aws, deadLetterQueueUrl)]);
    const settled = (left: number) => expect.poll(depths, { interval: 100 }).toEqual([0, left]);

    await Promise.all([bury(JSON.stringify(event)), bury("poison")]);
    expect(await operator(gateway, "redrive")).toMatchObject({ code: 0, value: { moved: 2, left: 0 } });
    await settled(1);
    const booked = await usageEntries();
    expect(booked).toMatchObject([{ id: event.id, points: "0.25" }]);
    const summed = await sums();
    expect(summed).toMatchObject([{ sums: { calls: 1, cost_points: parsePoints("0.25") } }]);
    await awsAt(gateway.endpoints)("sqs", "PurgeQueue", { QueueUrl: deadLetterQueueUrl });

    // The same letter again, twice: the entry is there, so nothing changes.
    for (let turn = 0; turn < 2; turn++) await bury(JSON.stringify(event));
    expect(await operator(gateway, "redrive")).toMatchObject({ value: { moved: 2, left: 0 } });
    await settled(0);
    expect(await usageEntries()).toEqual(booked);
    expect(await sums()).toEqual(summed);
    expect(await operator(gateway, "redrive")).toMatchObject({ value: { moved: 0, left: 0 } });
  });
});

describe("catalog prices", () => {
  test("resolves what calls were charged at, model by model, and fills what entries alone know", async () => {
    const { id } = await customer(gateway, { points: parsePoints("5") });
    const { aws, tables } = connectLocally(gateway.readyFile);
    const event = eventOf(walletHold("mtr_1", "1", Date.now()), "1", {
      organization: id,
      model: "acme/Prices-1",
      usage: usageWorth("1"),
    });
    const ledger = createLedger(aws, tables);
    await ledger.record([event]);
    const found = [{ model: "acme/Prices-1", version: event.price.version, price: event.price.price }];
    const words = ["catalog", "prices", "--version", event.price.version, "--model", "acme/prices*"];
    expect(await operator(gateway, ...words)).toMatchObject({ code: 0, value: found });
    await awsAt(gateway.endpoints)("dynamodb", "DeleteItem", {
      TableName: tables.ledger,
      Key: priceKey(event.price.version, event.model),
    });
    expect(await operator(gateway, ...words)).toMatchObject({ code: 0, value: [] });
    expect(await operator(gateway, ...words, "--fill")).toMatchObject({ code: 0, value: found });
    expect(printed(...words)).toContain(`acme/Prices-1  ${event.price.version}  1              false    {"`);
  });
});

describe("audit", () => {
  interface Audited {
    ok: boolean;
    pending: boolean;
    invariants: { name: string; holds: boolean; detail: string }[];
  }

  const audited = async () => {
    const { value, code } = await operator(gateway, "audit");
    const { invariants, ...verdict } = value as unknown as Audited;
    const detail = (name: string) => invariants.find((each) => each.name === name)?.detail;
    return { code, ...verdict, wallets: detail("wallets_match_ledger"), events: detail("events_arrive") };
  };

  test("names what poison took with it, lets nothing hide behind it, and is clean once it is healed", async () => {
    const { aws, tables, usageQueueUrl, deadLetterQueueUrl } = connectLocally(gateway.readyFile);
    const { id, hold, event } = await unbooked("0.0042");
    const send = (body: object) =>
      aws("sqs", "SendMessage", {
        QueueUrl: usageQueueUrl,
        MessageBody: JSON.stringify(body),
        MessageGroupId: id,
      });
    await send({ ...event, version: 3 });
    await expect.poll(() => queueDepth(aws, deadLetterQueueUrl), { interval: 100 }).toBe(1);
    expect(await audited()).toMatchObject({
      code: 0,
      ok: true,
      pending: true,
      wallets: expect.stringContaining(
        `0.0042 points of ${hold.meter} in letters without an amount (${event.id})`,
      ),
      events: `0 messages queued, 1 dead letters: ${event.id} cannot be read`,
    });

    // As an operator heals it: the same call, as it should have been sent, and its letter gone.
    await awsAt(gateway.endpoints)("sqs", "PurgeQueue", { QueueUrl: deadLetterQueueUrl });
    await aws("sqs", "SendMessage", { QueueUrl: deadLetterQueueUrl, MessageBody: JSON.stringify(event) });
    expect(await audited()).toMatchObject({
      code: 0,
      pending: true,
      wallets: expect.stringContaining(`0.0042 points to come of 1 dead letters (${event.id})`),
      events: `0 messages queued, 1 dead letters: ${event.id} is not booked yet`,
    });
    const rob = (points: bigint) =>
      aws("dynamodb", "UpdateItem", {
        TableName: tables.counters,
        Key: { pk: { S: `M#${hold.meter}#0` } },
        UpdateExpression: "ADD avail :less, used :more",
        ExpressionAttributeValues: { ":less": { N: String(-points) }, ":more": { N: String(points) } },
      });
    await rob(1n);
    expect(await audited()).toMatchObject({
      code: 1,
      ok: false,
      wallets: `the used of ${hold.meter} has 0.000000000000000001 points more than the ledger and what is in flight`,
    });
    expect(await operatorProcess(gateway, "audit")).toMatchObject({ code: 1, value: { ok: false } });
    await rob(-1n);
    expect(await operator(gateway, "redrive")).toMatchObject({ value: { moved: 1, left: 0 } });
    expect(await audited()).toMatchObject({ code: 0, ok: true, pending: false });
  });

  test("looks at any number of dead letters and leaves them where they are", async () => {
    const { aws, deadLetterQueueUrl } = connectLocally(gateway.readyFile);
    const bodies = Array.from({ length: 23 }, (_, index) => `letter ${index}`);
    for (const MessageBody of bodies)
      await aws("sqs", "SendMessage", { QueueUrl: deadLetterQueueUrl, MessageBody, MessageGroupId: "org_1" });
    for (let turn = 0; turn < 2; turn++) {
      const { deadLetters, unread } = await readDeadLetters(aws, deadLetterQueueUrl);
      expect(unread).toBe(0);
      expect(deadLetters.map(({ body }) => body).sort()).toEqual([...bodies].sort());
      const within = Math.max(...deadLetters.map(({ sent_at }) => Math.abs(Date.now() - sent_at)));
      expect(within).toBeLessThan(60_000);
    }
    const taken = { QueueUrl: deadLetterQueueUrl, MaxNumberOfMessages: 3, VisibilityTimeout: 600 };
    await aws("sqs", "ReceiveMessage", taken);
    expect(await readDeadLetters(aws, deadLetterQueueUrl)).toMatchObject({ unread: 3 });
    await awsAt(gateway.endpoints)("sqs", "PurgeQueue", { QueueUrl: deadLetterQueueUrl });
  });
});

test("a dead letter is of the organization that is its message group, which the embedded queue does not tell", async () => {
  const message = { MessageId: "m", Body: "b", ReceiptHandle: "r" };
  const Attributes = { MessageGroupId: "org_1", SentTimestamp: "5" };
  const answers: Record<string, object> = {
    GetQueueAttributes: { Attributes: { ApproximateNumberOfMessages: "1" } },
    ReceiveMessage: { Messages: [{ ...message, Attributes }] },
  };
  const aws = (async (_: string, action: string) => answers[action] ?? {}) as Aws;
  const letter = { id: "m", body: "b", organization: "org_1", sent_at: 5 };
  expect(await readDeadLetters(aws, "queue")).toEqual({ deadLetters: [letter], unread: 0 });
});

describe("holds", () => {
  test("lists calls under way, oldest first, and no longer when they are over", async () => {
    const { id, key } = await customer(gateway, { points: parsePoints("5") });
    const waiting: (() => void)[] = [];
    let twoAsked = () => {};
    upstream.on((_, response) => {
      waiting.push(() =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion)),
      );
      if (waiting.length === 2) twoAsked();
    });
    const bothAsked = new Promise<void>((resolve) => (twoAsked = resolve));
    const calls = [post(gateway.url, key), post(gateway.url, key)];
    await bothAsked;
    const { value } = await operator(gateway, "holds");
    const held = value as unknown as { request: string }[];
    expect(held).toMatchObject(
      [0, 1].map(() => ({ state: "open", organization: id, model: "test/model-1", tokens: 0, shard: 0 })),
    );
    expect(timeOf(held[0]?.request ?? "")).toBeLessThanOrEqual(timeOf(held[1]?.request ?? ""));
    expect((await operator(gateway, "holds", "--older-than", "3600")).value).toEqual([]);
    for (const answer of waiting) answer();
    for (const call of calls)
      expect(held.map(({ request }) => request)).toContain((await call).headers.get("x-request-id"));
    await Promise.all(calls.map(async (call) => (await call).text()));
    await expect.poll(async () => (await operator(gateway, "holds")).value).toEqual([]);
    upstream.json(completion);
  });

  test("says who seized it, and knows a hold without an intent for what it is", async () => {
    const { aws, tables } = connectLocally(gateway.readyFile);
    const meters = createMeters(aws, tables);
    const { id } = await customer(gateway, { points: parsePoints("5") });
    const meter = await walletOf(gateway, id);
    const hold = {
      ...walletHold(meter, "2", Date.now() - 5000),
      request: newId("request", Date.now() - 5000),
    };
    await meters.admit(hold);
    await meters.seize(meter, 0, hold.request);
    const { value } = await operator(gateway, "holds", "--older-than", "4");
    expect(value).toMatchObject([
      { request: hold.request, state: "seized", organization: null, key: null, points: "2", meter },
    ]);
    const shown = printed("holds", "--older-than", "4").split("\n");
    expect(shown[0]?.split(/ {2,}/)).toEqual(Object.keys((value as unknown as object[])[0] ?? {}));
    expect(shown[1]).toContain(`${hold.request}  `);
    expect((await operator(gateway, "sweep", "--older-than", "0")).value).toMatchObject({ voided: 1 });
    expect((await operator(gateway, "holds")).value).toEqual([]);
    expect(printed("holds")).toBe("none\n");
  });
});
