/** The operator's commands on holds and dead letters, run as an operator runs them on a local gateway. */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLocally } from "#infra/connection.ts";
import { hourOf, nextHour } from "#shared/billing/period.ts";
import { parsePoints } from "#shared/billing/points.ts";
import { newId, timeOf } from "#shared/platform/id.ts";
import { createLedger } from "#shared/store/ledger.ts";
import { createMeters } from "#shared/store/meters.ts";
import { queueDepth } from "#shared/store/usage-queue.ts";
import { type LocalGateway, operator, startLocal } from "./support/local.ts";
import { catalogAt, completion, customer, post, providerKey, walletOf } from "./support/money.ts";
import { eventOf, walletHold } from "./support/store.ts";
import { startUpstream, type Upstream } from "./support/upstream.ts";

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

/** What a command prints for people. */
function printed(...words: string[]): string {
  const place = ["--local", "--ready-file", gateway.readyFile];
  return execFileSync(process.execPath, ["infra/operator.ts", ...words, ...place], { encoding: "utf8" });
}

describe("redrive", () => {
  test("brings dead letters back, books each once however often it comes, and poison returns", async () => {
    const { aws, tables, usageQueueUrl, deadLetterQueueUrl } = connectLocally(gateway.readyFile);
    const { id } = await customer(gateway, { points: parsePoints("5") });
    const event = eventOf(walletHold(await walletOf(gateway, id), "1", Date.now()), "0.25", {
      organization: id,
    });
    const bury = (MessageBody: string) =>
      aws("sqs", "SendMessage", { QueueUrl: deadLetterQueueUrl, MessageBody, MessageGroupId: id });
    const ledger = createLedger(aws, tables);
    const usageEntries = async () =>
      await Array.fromAsync(ledger.eachEntry(id, timeOf(event.id), timeOf(event.id) + 1));
    const hour = hourOf(timeOf(event.id));
    const sums = () => ledger.rollups(id, "", hour, nextHour(hour));
    const depths = () => Promise.all([queueDepth(aws, usageQueueUrl), queueDepth(aws, deadLetterQueueUrl)]);
    const settled = (left: number) =>
      expect.poll(depths, { timeout: 30_000, interval: 100 }).toEqual([0, left]);

    await Promise.all([bury(JSON.stringify(event)), bury("poison")]);
    expect(await operator(gateway, "redrive")).toMatchObject({ code: 0, value: { moved: 2, left: 0 } });
    await settled(1);
    const booked = await usageEntries();
    expect(booked).toMatchObject([{ id: event.id, points: "0.25" }]);
    const summed = await sums();
    expect(summed).toMatchObject([{ sums: { calls: 1, cost_points: parsePoints("0.25") } }]);
    await aws("sqs", "PurgeQueue", { QueueUrl: deadLetterQueueUrl });

    // The same letter again, twice: the entry is there, so nothing changes.
    for (let turn = 0; turn < 2; turn++) await bury(JSON.stringify(event));
    expect(await operator(gateway, "redrive")).toMatchObject({ value: { moved: 2, left: 0 } });
    await settled(0);
    expect(await usageEntries()).toEqual(booked);
    expect(await sums()).toEqual(summed);
    expect(await operator(gateway, "redrive")).toMatchObject({ value: { moved: 0, left: 0 } });
  });
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
    await expect.poll(async () => (await operator(gateway, "holds")).value, { timeout: 30_000 }).toEqual([]);
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
    expect(shown[0]?.split("  ")).toEqual(Object.keys((value as unknown as object[])[0] ?? {}));
    expect(shown[1]).toContain(`${hold.request}  `);
    expect((await operator(gateway, "sweep", "--older-than", "0")).value).toMatchObject({ voided: 1 });
    expect((await operator(gateway, "holds")).value).toEqual([]);
    expect(printed("holds")).toBe("none\n");
  });
});
