/**
 * A report of one side of a call, or of nonsense: what it does not tell is unknown, and never free (billing.md §4.2).
 */
import { describe, expect, test } from "vitest";
import { call } from "#test/support/call.ts";
import {
  chatBody,
  chatPath,
  completion,
  frame,
  namedFrame,
  streamOf,
  useScenario,
} from "#test/support/scenario.ts";

const scenario = useScenario();

const anthropic = (usage: object) => ({ type: "message", content: [{ type: "text", text: "Hi" }], usage });
const responses = (usage: object) => ({
  status: "completed",
  output: [{ type: "message", content: [{ type: "output_text", text: "Hi" }] }],
  usage,
});
const gemini = (usageMetadata: object) => ({
  candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
  usageMetadata,
});
const model = "test/model-1";
const input = { model, input: "Hello" };
const contents = { contents: [{ parts: [{ text: "Hello" }] }] };
const generate = `/api/v1beta/models/${model}:generateContent`;

const send = (path: string, body: object) => call(scenario.serve, path, { headers: scenario.bearer(), body });

describe("a whole answer", () => {
  test.each([
    [{ completion_tokens: 4 }],
    [{ prompt_tokens: null, completion_tokens: 4 }],
    [{ prompt_tokens: -10, completion_tokens: 4 }],
    [{ prompt_tokens: "NaN", completion_tokens: 4 }],
    [{ prompt_tokens: 10 }],
    [{ prompt_tokens: 10, completion_tokens: {} }],
  ])("OpenAI chat: %j is estimated", async (usage) => {
    scenario.upstream.json({ ...completion, usage });
    await scenario.chat();
    expectEstimate();
  });

  test.each([
    ["Anthropic, output alone", "/v1/messages", anthropic({ output_tokens: 4 })],
    ["Anthropic, input alone", "/v1/messages", anthropic({ input_tokens: 4 })],
    ["Responses, output alone", "/v1/responses", responses({ output_tokens: 4 })],
    ["Responses, input alone", "/v1/responses", responses({ input_tokens: 4 })],
    ["Gemini, output alone", generate, gemini({ candidatesTokenCount: 4 })],
    ["Gemini, input alone", generate, gemini({ promptTokenCount: 4, totalTokenCount: 9 })],
  ])("%s is estimated", async (_, path, answer) => {
    scenario.upstream.json(answer);
    const body = { "/v1/messages": { model, max_tokens: 9, messages: [{ role: "user", content: "Hello" }] } }[
      path
    ];
    await send(path, body ?? (path === generate ? contents : input));
    expectEstimate();
  });

  test.each([[null], [-3], ["many"]])(
    "pictures are counted when the report says %j",
    async (generated_images) => {
      scenario.upstream.json({ data: [{ url: "a" }, { url: "b" }], usage: { generated_images } });
      const reply = await send("/api/v3/images/generations", { model: "test/image-1", prompt: "x", n: 2 });
      expect(reply.json()).toMatchObject({ usage: { generated_images: 2 } });
      expect(scenario.memory.events[0]).toMatchObject({
        usage: { generated_images: 2 },
        cost_points: "0.38",
      });
    },
  );
});

describe("a stream", () => {
  test("Anthropic's, whose start reports nothing and whose end the output alone, is estimated", async () => {
    const events = [
      { type: "message_start", message: { content: [], usage: {} } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
      { type: "message_stop" },
    ];
    scenario.upstream.on(streamOf(...events.map(namedFrame)));
    await scenario.message({
      body: { model, max_tokens: 9, stream: true, messages: [{ role: "user", content: "Hello" }] },
    });
    expectEstimate();
  });

  test("Gemini's, that tells of its input alone, keeps that and has its output estimated", async () => {
    const chunk = { ...gemini({ promptTokenCount: 7, totalTokenCount: 7 }) };
    scenario.upstream.on(streamOf(`data: ${JSON.stringify(chunk)}\n\n`));
    await send(`/api/v1beta/models/${model}:streamGenerateContent?alt=sse`, contents);
    expectEstimate();
    expect(scenario.memory.events[0]?.usage.input_tokens).toBe(7);
  });
});

test("zeros reported for an answer that has something are billed, and flagged", async () => {
  scenario.upstream.json({ ...completion, usage: { prompt_tokens: 0, completion_tokens: 0 } });
  await scenario.chat();
  expect(scenario.memory.events[0]).toMatchObject({ evidence: "reported", flags: ["zero_usage"], calls: 1 });
  scenario.upstream.json({ data: [{ url: "a" }], usage: { generated_images: 0 } });
  await send("/api/v1/images/generations", { model: "test/image-1", prompt: "x" });
  expect(scenario.memory.events[1]).toMatchObject({ cost_points: "0", flags: ["zero_usage"], calls: 1 });
});

describe("reasoning that a provider keeps to itself is an answer, and is paid for", () => {
  const usages = {
    [chatPath]: {
      ...completion,
      choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "length" }],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 50,
        completion_tokens_details: { reasoning_tokens: 50 },
      },
    },
    "/v1/responses": {
      status: "incomplete",
      output: [],
      usage: { input_tokens: 10, output_tokens: 50, output_tokens_details: { reasoning_tokens: 50 } },
    },
    [generate]: {
      candidates: [{ finishReason: "MAX_TOKENS" }],
      usageMetadata: { promptTokenCount: 10, thoughtsTokenCount: 50, totalTokenCount: 60 },
    },
  };
  const bodies: Record<string, object> = {
    [chatPath]: chatBody,
    "/v1/responses": input,
    [generate]: contents,
  };
  const paid = { calls: 1, evidence: "reported", usage: { input_tokens: 10, output_tokens: 50 } };

  test.each(Object.entries(usages))("%s, whole", async (path, answer) => {
    scenario.upstream.json(answer);
    await send(path, bodies[path] ?? {});
    expect(scenario.memory.events).toMatchObject([paid]);
  });

  test.each([
    [
      chatPath,
      [
        { choices: [{ index: 0, delta: {}, finish_reason: "length" }] },
        { choices: [], usage: usages[chatPath]?.usage },
        "[DONE]",
      ],
    ],
    ["/v1/responses", [{ type: "response.incomplete", response: usages["/v1/responses"] }]],
    [`/api/v1beta/models/${model}:streamGenerateContent?alt=sse`, [usages[generate]]],
  ] as [string, (object | string)[]][])("%s, streamed", async (path, frames) => {
    scenario.upstream.on(streamOf(...frames.map(frame)));
    const body = path.includes("alt=sse") ? contents : { ...bodies[path], stream: true };
    await send(path, body);
    expect(scenario.memory.events).toMatchObject([paid]);
  });
});

const subscription = {
  meter: "mtr_1",
  plan: "free",
  period: "monthly",
  started_at: 0,
  ends_at: null,
} as const;

test.each([
  ["input", { prompt_tokens: 100_000, completion_tokens: 4 }, ["overrun"]],
  ["output", { prompt_tokens: 10, completion_tokens: 50 }, ["overrun"]],
  ["neither", { prompt_tokens: 10, completion_tokens: 9 }, []],
])("more of %s than a subscription's request can come to is flagged", async (_, usage, flags) => {
  scenario.key = scenario.memory.addKey({ mode: "subscription" }, { subscription });
  scenario.upstream.json({ ...completion, usage });
  await scenario.chat({ body: { ...chatBody, max_tokens: 9 } });
  expect(scenario.memory.events).toMatchObject([{ mode: "subscription", flags, calls: 1 }]);
});

function expectEstimate(): void {
  const event = scenario.memory.events[0];
  expect(event).toMatchObject({ evidence: "estimated", flags: ["no_usage"], calls: 1 });
  expect(event?.usage.input_tokens).toBeGreaterThan(0);
  expect(event?.usage.output_tokens).toBeGreaterThan(0);
}
