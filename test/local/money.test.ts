/**
 * Money through the running gateway: two processes on one store, the last points and the last call,
 *  duplicates and poison on the queue, a client that hangs up. After each the audit is clean.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { newId } from "#shared/base/platform/id.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { queueDepth } from "#shared/edges/store/usage-queue.ts";
import { balanceOf, type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import {
  body,
  catalogAt,
  completion,
  cost,
  customer,
  expectCleanAudit,
  hold,
  post,
  providerKey,
} from "#test/support/money.ts";
import { startProxy } from "#test/support/proxy.ts";
import { rushAtOnce } from "#test/support/rush.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let first: LocalGateway;
let second: LocalGateway;

/** 50 calls at once over the given gateways, of which so many must be admitted; gives their statuses. */
async function rush(urls: string[], key: string, admitted: number): Promise<number[]> {
  const send = (index: number) => post(urls[index % urls.length] ?? "", key);
  const statuses = await rushAtOnce(upstream, { calls: 50, send, reply: completion });
  expect(statuses.filter((status) => status === 200).length, "admitted").toBe(admitted);
  return statuses;
}

beforeAll(async () => {
  upstream = await startUpstream();
  // A developer's own profile, by which no function could reach the local database.
  const HOME = mkdtempSync(join(tmpdir(), "home-"));
  mkdirSync(join(HOME, ".aws"));
  writeFileSync(join(HOME, ".aws/config"), "[default]\nuse_fips_endpoint = true\nretry_mode = none\n");
  first = await startLocal({ catalog: catalogAt(upstream.url), env: { ...providerKey, HOME } });
  second = await startLocal({ env: { ...providerKey, ATTACH: first.readyFile } });
});
afterAll(async () => {
  await second?.stop();
  await first?.stop();
  await upstream?.stop();
});

describe("two gateways, one store", () => {
  test("50 calls at once on a balance for exactly 10: ten admitted, the balance exact", async () => {
    const { key } = await customer(first, { points: 10n * hold });
    const statuses = await rush([first.url, second.url], key, 10);
    expect(statuses.filter((status) => status === 402)).toHaveLength(40);
    await expectCleanAudit(first);
    expect(await balanceOf(first, key)).toBe(formatPoints(10n * hold - 10n * cost));
  });

  test("the same on a wallet of four shards, none of which has a whole number of holds", async () => {
    const { id, key } = await customer(first, { points: 10n * hold });
    const { value } = await operator(first, "org", "shards", id, "--count", "4");
    expect(value.wallet).toEqual({ balance_points: formatPoints(10n * hold), shards: 4 });
    await rush([first.url, second.url], key, 10);
    await expectCleanAudit(first);
    expect(await balanceOf(first, key)).toBe(formatPoints(10n * hold - 10n * cost));
  });

  test("50 calls at once on the last ten calls of a quota: ten admitted", async () => {
    const { key } = await customer(first, { plan: "free" });
    const statuses = await rush([first.url, second.url], key, 10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    const refused = await post(first.url, key);
    expect(await refused.json()).toMatchObject({
      error: { code: "42902", message: expect.stringContaining("T00:00:00.000Z") },
    });
    expect(refused.headers.get("x-should-retry")).toBe("false");
    await expectCleanAudit(first);
  });

  test("without its condition the same write admits too many: the test above can fail", async () => {
    const proxy = await startProxy(first.endpoints.dynamodb, (action, input) => {
      if (action === "UpdateItem" && "ReturnValuesOnConditionCheckFailure" in input)
        delete input.ConditionExpression;
    });
    const ready = JSON.parse(readFileSync(first.readyFile, "utf8")) as { endpoints: { dynamodb: string } };
    ready.endpoints.dynamodb = proxy.url;
    const changed = join(mkdtempSync(join(tmpdir(), "mutant-")), "ready.json");
    writeFileSync(changed, JSON.stringify(ready));
    const mutant = await startLocal({ env: { ...providerKey, ATTACH: changed } });
    try {
      const { key } = await customer(first, { points: 10n * hold });
      await expect(rush([mutant.url], key, 10)).rejects.toThrow("admitted");
    } finally {
      await mutant.stop();
      await proxy.stop();
    }
  });

  test("revocation and freeze act on the very next call, on both gateways", async () => {
    upstream.json(completion);
    const { id, key } = await customer(first, { points: 100n * hold });
    for (const { url } of [first, second]) expect((await post(url, key)).status).toBe(200);
    await operator(first, "org", "freeze", id);
    for (const { url } of [first, second]) {
      const frozen = await post(url, key);
      expect([frozen.status, await frozen.json()]).toMatchObject([401, { error: { code: "40102" } }]);
    }
    await operator(first, "org", "unfreeze", id);
    for (const { url } of [first, second]) expect((await post(url, key)).status).toBe(200);
    const headers = { authorization: `Bearer ${key}` };
    const made = (await (
      await fetch(`${first.url}/api/v1/keys`, {
        method: "POST",
        headers,
        body: JSON.stringify({ name: "n", billing_mode: "payg" }),
      })
    ).json()) as { id: string; key: string };
    for (const { url } of [first, second]) expect((await post(url, made.key)).status).toBe(200);
    expect((await fetch(`${first.url}/api/v1/keys/${made.id}`, { method: "DELETE", headers })).status).toBe(
      200,
    );
    for (const { url } of [first, second]) {
      const revoked = await post(url, made.key);
      expect([revoked.status, await revoked.json()]).toMatchObject([401, { error: { code: "40101" } }]);
    }
  });
});

describe("the queue", () => {
  test("duplicates are billed once, and only the poison message becomes a dead letter", async () => {
    upstream.json(completion);
    const { aws, tables, usageQueueUrl, deadLetterQueueUrl } = connectLocally(first.readyFile);
    const { id, key } = await customer(first, { points: 100n * hold });
    const reply = await post(first.url, key);
    await reply.text();
    const request = reply.headers.get("x-request-id") ?? "";
    await expectCleanAudit(first);
    const ledger = createLedger(aws, tables);
    const event = (await ledger.entry(id, request))?.event as UsageEvent;
    const send = (text: string) =>
      aws("sqs", "SendMessage", { QueueUrl: usageQueueUrl, MessageBody: text, MessageGroupId: id });
    const poison = [
      `{"version":1`,
      JSON.stringify({
        ...event,
        id: newId("request", Date.now()),
        usage: { ...event.usage, input_tokens: -5 },
      }),
    ];
    await Promise.all(
      [
        JSON.stringify(event),
        poison[0] ?? "",
        JSON.stringify(event),
        poison[1] ?? "",
        JSON.stringify(event),
      ].map(send),
    );
    await expect.poll(() => queueDepth(aws, deadLetterQueueUrl), { interval: 200 }).toBe(2);
    await expect.poll(() => queueDepth(aws, usageQueueUrl), { interval: 200 }).toBe(0);
    const { Messages = [] } = await aws("sqs", "ReceiveMessage", {
      QueueUrl: deadLetterQueueUrl,
      MaxNumberOfMessages: 10,
    });
    expect(Messages.map(({ Body }) => Body).sort()).toEqual([...poison].sort());
    for (const { ReceiptHandle } of Messages)
      await aws("sqs", "DeleteMessage", { QueueUrl: deadLetterQueueUrl, ReceiptHandle });
    await expectCleanAudit(first);
    expect(await balanceOf(first, key)).toBe(formatPoints(100n * hold - cost));
  });

  test("a client that hangs up mid-stream is billed exactly, over a real socket", async () => {
    const { key } = await customer(first, { points: 100n * hold });
    const gone = Promise.withResolvers<void>();
    const chunk = (text: string) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
    upstream.on(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk("Hello"));
      await gone.promise;
      response.end(
        `${chunk("again")}data: ${JSON.stringify({ choices: [], usage: completion.usage })}\n\ndata: [DONE]\n\n`,
      );
    });
    const { hostname, port } = new URL(first.url);
    const streamed = body.replace("{", '{"stream":true,');
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${streamed.length}\r\n\r\n${streamed}`,
    );
    socket.on("data", (data) => {
      if (data.includes("Hello")) socket.destroy();
    });
    socket.once("close", () => gone.resolve());
    await gone.promise;
    await expectCleanAudit(first);
    expect(await balanceOf(first, key)).toBe(formatPoints(100n * hold - cost));
  });
});
