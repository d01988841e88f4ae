/** The local receiver of webhooks: what the product sends is listed and shown, and nothing else is taken. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startInbox } from "#infra/local/sandbox/inbox.ts";

let inbox: Awaited<ReturnType<typeof startInbox>>;
beforeAll(async () => {
  inbox = await startInbox();
});
afterAll(() => inbox.stop());

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${inbox.url}/hooks`, {
    ...{ method: "POST", body },
    headers: {
      "content-type": "application/json",
      "webhook-id": "aud_1",
      "webhook-signature": "v1,x",
      ...headers,
    },
  });

test("messages are kept as they came, and shown without being read as HTML", async () => {
  const body = JSON.stringify({ type: "key_created", data: { name: "<script>" } });
  expect((await post(body)).status).toBe(204);
  const list = (await (await fetch(`${inbox.url}/hooks.json`)).json()) as { data: object[] };
  expect(list.data).toEqual([
    expect.objectContaining({ id: "aud_1", type: "key_created", body, signature: "v1,x" }),
  ]);
  const page = await (await fetch(`${inbox.url}/hooks`)).text();
  expect(page).toContain("key_created");
  expect(page).not.toContain("<script>");
});

test("what is no message of a webhook is refused", async () => {
  expect((await post("{}")).status).toBe(400);
  expect((await post("no JSON")).status).toBe(400);
  expect((await post("{}", { "content-type": "text/plain" })).status).toBe(404);
});
