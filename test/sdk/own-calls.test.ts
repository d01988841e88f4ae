/**
 * OpenAI's own SDK with tools that take any text, and with functions from before there were tools, over crossings: two
 * turns each, whole and streamed. The provider is as strict as its vendor.
 */
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import OpenAI from "openai";
import OpenAI6 from "openai-6";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Listening, listen } from "#infra/local/emulators/listen.ts";
import { readBody } from "#test/support/body.ts";
import { open } from "#test/support/call.ts";
import { droppedOf, modelOf, type Speech, useCrossed } from "#test/support/crossed.ts";
import { answerAt, type Said } from "#test/support/vendor-answers.ts";

type Json = Record<string, unknown>;

const crossed = useCrossed();
let gateway: Listening;
/** What the next answers say. */
let said: Said[] = [];
let dropped: string[] = [];

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const { method = "", url = "" } = request;
    const headers = request.headers as Record<string, string>;
    const { reply } = await open(crossed.serve, url, { method, headers, body: await buffer(request) });
    dropped = droppedOf(reply as { headers: Record<string, string> });
    response.writeHead(reply.status, reply.headers);
    await readBody(reply, (piece) => void response.write(piece));
    response.end();
    await reply.after?.();
  });
  gateway = await listen(server, 0);
});
afterAll(() => gateway.stop());

const providers = ["anthropic", "gemini", "responses"] as const satisfies Speech[];
const sdks = [
  ["openai 7", OpenAI],
  ["openai 6", OpenAI6 as unknown as typeof OpenAI],
] as const;
const used = { input: 10, cached: 0, output: 20 };
const cases = sdks.flatMap(([name, Sdk]) =>
  providers.flatMap((provider) => [false, true].map((stream) => ({ name, Sdk, provider, stream }))),
);

describe.each(cases)("$name at $provider, streamed: $stream", ({ name: sdk, Sdk, provider, stream }) => {
  let client: OpenAI;
  beforeEach(() => {
    const apiKey = (crossed.headers.authorization ?? "").slice("Bearer ".length);
    client = new Sdk({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 });
    crossed.upstream.on(({ url = "" }, response) => {
      const answer = answerAt(url.split("?")[0] ?? "", said.shift() as Said);
      const isStream = Array.isArray(answer);
      response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
      response.end(isStream ? answer.join("") : JSON.stringify(answer));
    });
  });

  const ask = async (more: Json): Promise<OpenAI.ChatCompletion.Choice> => {
    const body = { model: modelOf(provider), ...more } as unknown as OpenAI.ChatCompletionCreateParams;
    const whole = stream
      ? await client.chat.completions.stream({ ...body, stream: true }).finalChatCompletion()
      : await client.chat.completions.create({ ...body, stream: false });
    return whole.choices[0] as OpenAI.ChatCompletion.Choice;
  };
  const saying = (text: string, call?: Said["call"]): Said => ({
    texts: [text],
    ...(call && { call }),
    used,
    stream,
  });
  const hello = { role: "user", content: "Hello" };

  // The helper for streams of openai 6 takes every call for one of a function, at OpenAI itself too.
  test.skipIf(sdk === "openai 6" && stream)("a tool with any text", async () => {
    const input = '*** Begin Patch\n"x" \\ é\n*** End Patch';
    const tools = [{ type: "custom", custom: { name: "apply.patch", description: "Edits files." } }];
    const told = provider === "gemini" ? "apply.patch" : /^apply_patch_[0-9a-f]{8}$/;
    said = [saying("I patch.")];
    await ask({ messages: [hello], tools });
    const name = /"name":"([^"]*)"/.exec(JSON.stringify(crossed.sent()))?.[1] ?? "";
    expect(name).toMatch(told);
    const call = { name, arguments: JSON.stringify({ input }) };
    said = [saying("I patch.", call), saying("Done.")];
    const { message, finish_reason } = await ask({ messages: [hello], tools });
    expect(finish_reason).toBe("tool_calls");
    const [made] = message.tool_calls ?? [];
    expect(made).toMatchObject({ type: "custom", custom: { name: "apply.patch", input } });
    const result = { role: "tool", tool_call_id: made?.id, content: "patched" };
    const next = await ask({ messages: [hello, message, result], tools });
    expect(next).toMatchObject({ message: { content: "Done." }, finish_reason: "stop" });
    expect(dropped).toEqual([]);
    expect(JSON.stringify(crossed.sent())).toContain("*** End Patch");
  });

  test("a function from before there were tools", async () => {
    const functions = [{ name: "weather", parameters: { type: "object", properties: {} } }];
    said = [saying("I look.", { name: "weather", arguments: '{"city":"Rome"}' }), saying("It is sunny.")];
    const { message, finish_reason } = await ask({ messages: [hello], functions, function_call: "auto" });
    expect(finish_reason).toBe("function_call");
    expect(message.tool_calls).toBeUndefined();
    expect(message.function_call).toMatchObject({ name: "weather", arguments: '{"city":"Rome"}' });
    const result = { role: "function", name: "weather", content: "sunny" };
    const next = await ask({ messages: [hello, message, result], functions });
    expect(next).toMatchObject({ message: { content: "It is sunny." }, finish_reason: "stop" });
    expect(dropped).toEqual(provider === "gemini" ? ["parallel_tool_calls"] : []);
  });
});
