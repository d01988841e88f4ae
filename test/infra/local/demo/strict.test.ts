/** The demo provider refuses what the vendors refuse that it plays, where it is started so. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";

const messages = [{ role: "user", content: "ping pong" }];
const user = "u".repeat(150);

test.each([
  [true, 400],
  [false, 200],
])("strict: %s answers a user that is too long with %i", async (strict, status) => {
  const server = await startDemoProvider({ streamScale: 0, strict });
  try {
    const ask = (body: object) =>
      fetch(`${server.url}/openai/openai/chat/completions`, { method: "POST", body: JSON.stringify(body) });
    const answer = await ask({ model: "gpt-5.4-mini", messages, user });
    expect(answer.status).toBe(status);
    const text = await answer.text();
    if (strict) expect(JSON.parse(text)).toMatchObject({ error: { code: "string_above_max_length" } });
    expect((await ask({ model: "gpt-5.4-mini", messages, user: "ann" })).status).toBe(200);
  } finally {
    await server.stop();
  }
});

describe("npm start -- --strict", () => {
  let gateway: LocalGateway;
  beforeAll(async () => {
    gateway = await startLocal({ args: ["--strict"] });
  });
  afterAll(() => gateway.stop());

  const ask = (path: string, body: object) =>
    fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.keys.payg}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "openai/gpt-5.4-mini", messages, ...body }),
    });

  test("a client of the vendor's own protocol is told what the vendor says", async () => {
    const answer = await ask("/v1/chat/completions", { user });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("Expected a string with maximum length 64");
  });

  test("a client of another protocol is answered, because its request crosses within the bounds", async () => {
    const tools = [{ name: "y".repeat(128), input_schema: { type: "object" } }];
    const answer = await ask("/v1/messages", { max_tokens: 100, metadata: { user_id: user }, tools });
    expect(await answer.json()).toMatchObject({ type: "message" });
  });
});
