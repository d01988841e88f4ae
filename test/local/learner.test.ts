/** What a call teaches the cache: `npm start` has its queue, the learner behind it, and the pages that it writes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBytes } from "#shared/edges/store/dynamodb/attributes.ts";
import { contextSort } from "#shared/edges/store/dynamodb/cache-keys.ts";
import { queueDepth } from "#shared/edges/store/usage-queue.ts";
import { awsAt } from "#test/support/local/fixture.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";

let gateway: LocalGateway;
beforeAll(async () => {
  gateway = await startLocal();
});
afterAll(() => gateway?.stop());

const aws = () => awsAt(gateway.endpoints);

/** Asks as a semantic call, and gives what the answer says of the cache. */
async function ask(content: string): Promise<string> {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${gateway.keys.subscription}`,
      "content-type": "application/json",
      "x-gateway-cache": "semantic",
    },
    body: JSON.stringify({ model: "openai/gpt-5.4-mini", messages: [{ role: "user", content }] }),
  });
  expect([reply.status, (await reply.bytes()).length > 0]).toEqual([200, true]);
  return reply.headers.get("x-gateway-cache") ?? "";
}

/** How many records each page has, of all contexts. */
async function pages(): Promise<number[]> {
  const { Items = [] } = await aws()("dynamodb", "Scan", { TableName: gateway.endpoints.tables.cache });
  const found = Items.filter(({ sk }) => sk?.S?.startsWith(contextSort("")));
  // A page has a nonce, a tag, one byte for its form, and 54 for each record.
  return found.flatMap(({ bytes }) => (bytes ? [((readBytes(bytes)?.length ?? 0) - 12 - 16 - 1) / 54] : []));
}

const records = async () => (await pages()).reduce((sum, each) => sum + each, 0);

async function month(): Promise<{ semantic: { lookups: number } }> {
  const headers = { authorization: `Bearer ${gateway.keys.subscription}` };
  return (await (await fetch(`${gateway.url}/api/v1/cache`, { headers })).json()) as never;
}

test("a question that a provider answered is on a page soon, and the next one is compared with it", async () => {
  expect(await ask("Who invented the telephone?")).toBe("miss");
  await expect.poll(pages).toEqual([1]);
  expect(await ask("How does a refrigerator work?")).toBe("miss");
  await expect.poll(async () => (await month()).semantic.lookups).toBe(1);
  await expect.poll(records).toBe(2);
  const { lessonQueueUrl, lessonDeadLetterQueueUrl } = gateway.endpoints;
  await expect.poll(() => queueDepth(aws(), lessonQueueUrl)).toBe(0);
  expect(await queueDepth(aws(), lessonDeadLetterQueueUrl)).toBe(0);
  // The house pays for an embedding of each question, and its log says so.
  expect(gateway.output()).toMatch(/"event":"cache_model".*"model":"demo\/embedder"/);
});

test("a lesson that nobody can read is a dead letter after its tries, and stops no other one", async () => {
  const { lessonQueueUrl, lessonDeadLetterQueueUrl } = gateway.endpoints;
  const before = await records();
  await aws()("sqs", "SendMessage", { QueueUrl: lessonQueueUrl, MessageBody: "no lesson" });
  expect(await ask("Why is the sky blue?")).toBe("miss");
  await expect.poll(() => queueDepth(aws(), lessonDeadLetterQueueUrl)).toBe(1);
  await expect.poll(records).toBe(before + 1);
  expect(gateway.output()).toContain('"event":"lesson_unreadable"');

  expect(await operator(gateway, "redrive", "--lessons")).toMatchObject({ code: 0, value: { moved: 1 } });
  await expect.poll(() => queueDepth(aws(), lessonDeadLetterQueueUrl)).toBe(1);
  expect(await operator(gateway, "redrive")).toMatchObject({ code: 0, value: { moved: 0, left: 0 } });
});
