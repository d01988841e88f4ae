/** The stand-in of EventBridge: it takes events as the product and as AWS's own client put them, and shows them. */
import { readFileSync } from "node:fs";
import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BusEvent, matches } from "#infra/local/emulators/event-bus.ts";
import type { Listening } from "#infra/local/emulators/listen.ts";
import { startEventBuses } from "#infra/local/sandbox/events.ts";
import { createAws } from "#shared/base/platform/aws.ts";
import { createNewsBus } from "#shared/edges/store/news/events.ts";

const arn = "arn:aws:events:us-east-1:000000000000:event-bus/dev-news";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
let server: Listening;

beforeAll(async () => {
  server = await startEventBuses([arn]);
});

afterAll(() => server.stop());

const ours = () =>
  createAws({
    ...{ region: "us-east-1", credentials: () => credentials, endpoints: { events: server.url } },
    ...{ attemptsMax: 1, timeoutMs: 5_000 },
  });

async function shown(): Promise<BusEvent[]> {
  const answer = await fetch(`${server.url}/events.json`);
  return ((await answer.json()) as { data: BusEvent[] }).data;
}

test("an event of the product and one of AWS's client are the same", async () => {
  const at = Date.parse("2026-11-30T09:00:00Z");
  const body = JSON.stringify({ type: "wallet_low", data: { id: "aud_1" } });
  await createNewsBus(ours(), arn).put({ kind: "wallet_low", at, body });
  const client = new EventBridgeClient({ endpoint: server.url, region: "us-east-1", credentials });
  const entry = { EventBusName: arn, Source: "model-gateway", DetailType: "wallet_low", Detail: body };
  const answer = await client.send(new PutEventsCommand({ Entries: [{ ...entry, Time: new Date(at) }] }));
  expect(answer.FailedEntryCount).toBe(0);
  const [theirs, own] = (await shown()).map(({ id: _id, ...event }) => event);
  expect(own).toMatchObject({ source: "model-gateway", time: "2026-11-30T09:00:00.000Z" });
  expect(theirs).toEqual(own);
});

test("the rule that the page shows asks for an event of a low wallet, and for no other", async () => {
  const page = readFileSync(new URL("../../../../infra/resources/news-bus.md", import.meta.url), "utf8");
  const pattern = JSON.parse(/--event-pattern '([^']+)'/.exec(page)?.[1] ?? "{}") as Parameters<
    typeof matches
  >[0];
  const bus = createNewsBus(ours(), arn);
  await bus.put({ kind: "wallet_low", at: 0, body: "{}" });
  await bus.put({ kind: "key_created", at: 0, body: "{}" });
  const [other, low] = await shown();
  expect([matches(pattern, low ?? {}), matches(pattern, other ?? {})]).toEqual([true, false]);
});

test("what is no event, or for no bus of the stack, is refused, and nothing of it is shown", async () => {
  const before = await shown();
  const put = async (arnOf: string, body: string) =>
    await createNewsBus(ours(), arnOf).put({ kind: "wallet_low", at: 0, body });
  await expect(put(arn.replace("dev", "prod"), "{}")).rejects.toThrow("ResourceNotFoundException");
  await expect(put(arn, "no JSON")).rejects.toThrow("MalformedDetail");
  const asked = await fetch(server.url, {
    method: "POST",
    headers: { "x-amz-target": "AWSEvents.PutEvents" },
    body: "no JSON",
  });
  expect([asked.status, await asked.text()]).toEqual([
    400,
    expect.stringContaining("SerializationException"),
  ]);
  expect(await shown()).toEqual(before);
});

test("the page shows details as text", async () => {
  await createNewsBus(ours(), arn).put({ kind: "wallet_low", at: 0, body: '{"name":"<script>"}' });
  const page = await (await fetch(server.url)).text();
  expect(page).toContain("&lt;script&gt;");
  expect(page).not.toContain("<script>");
});
