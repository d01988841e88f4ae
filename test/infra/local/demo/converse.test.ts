/** The demo provider's Converse. */
import { expect, test } from "vitest";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";

const path = "/bedrock/converse/model/us.amazon.nova-lite-v1%3A0/converse";
const body = { messages: [{ role: "user", content: [{ text: "Hi" }] }], inferenceConfig: { maxTokens: 3 } };

test("answers whole, is cut at the maximum, and refuses in AWS's form", async () => {
  const server = await startDemoProvider({ streamScale: 0, strict: true });
  try {
    const headers = { authorization: "Bearer key" };
    const ask = (asked: object) =>
      fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(asked) });
    expect(await (await ask(body)).json()).toMatchObject({
      output: { message: { role: "assistant", content: [{ text: expect.stringMatching(/^Hello/) }] } },
      stopReason: "max_tokens",
      usage: { outputTokens: expect.any(Number) },
    });
    const refused = await ask({ messages: [] });
    expect([refused.status, refused.headers.get("x-amzn-errortype")]).toEqual([400, "ValidationException"]);
    expect(await refused.json()).toMatchObject({
      message: expect.stringContaining("must start with a user"),
    });
  } finally {
    await server.stop();
  }
});
