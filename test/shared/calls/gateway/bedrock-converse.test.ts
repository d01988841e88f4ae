/** Calls by Bedrock's Converse through the pipeline: to providers of it, across, refused, and what they cost. */
import { beforeEach, describe, expect, test } from "vitest";
import type { BodyPump } from "#shared/base/http/message.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import { call, open } from "#test/support/call.ts";
import { messagesOf } from "#test/support/event-stream.ts";
import { messageFrames, messages, namedFrame, sse, streamOf, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();

const body = {
  messages: [{ role: "user", content: [{ text: "Hello" }] }],
  inferenceConfig: { maxTokens: 100 },
};
const path = (action = "converse", model = "test/model-1") => `/model/${encodeURIComponent(model)}/${action}`;
const streaming = path("converse-stream");
const usage = {
  input_tokens: 10,
  cache_read_input_tokens: 3,
  cache_creation_input_tokens: 2,
  output_tokens: 4,
};
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "upstream-model",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage,
};
const counted = {
  inputTokens: 10,
  outputTokens: 4,
  totalTokens: 19,
  cacheReadInputTokens: 3,
  cacheWriteInputTokens: 2,
};
const ending = [
  namedFrame({ type: "content_block_stop", index: 0 } as never),
  namedFrame({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage } as never),
  namedFrame({ type: "message_stop" } as never),
];

const ask = (to: string, given: object | string = body, headers: Record<string, string> = {}) =>
  call(scenario.serve, to, { headers: { ...scenario.bearer(), ...headers }, body: given });

/** The provider speaks this protocol alone. */
function speak(protocol: "anthropic" | "converse"): void {
  const provider = scenario.memory.deps.catalog.provider("test");
  if (provider) provider.protocols = { [protocol]: scenario.upstream.url };
}

const told = (chunks: Buffer[]) =>
  messagesOf(Buffer.concat(chunks)).map(({ headers, payload }): [string, unknown] => [
    String(headers[":event-type"] ?? headers[":exception-type"]),
    JSON.parse(payload) as unknown,
  ]);

const charged = () => scenario.memory.settled.map(({ settlement: { points } }) => formatPoints(points));

describe("to a provider of Anthropic's protocol", () => {
  beforeEach(() => {
    speak("anthropic");
    scenario.upstream.json(message);
  });

  test("the request is carried, and the answer is Converse's", async () => {
    const answer = await ask(path());
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      output: { message: { role: "assistant", content: [{ text: "Hi" }] } },
      stopReason: "end_turn",
      usage: counted,
      metrics: { latencyMs: expect.any(Number) },
    });
    const [sent] = scenario.upstream.requests;
    expect(JSON.parse(String(sent?.body))).toMatchObject({
      model: "upstream-model",
      max_tokens: 100,
      messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
    });
  });

  test.each(["", "with what it cost"])(
    "costs what the same call by `/v1/messages` costs, to the last digit %s",
    async (tells) => {
      const headers = tells ? { "x-gateway-usage": "cost" } : {};
      const answer = await ask(path(), body, headers);
      await scenario.message();
      const [one, other] = charged();
      expect(one).toBe(other);
      expect(Number(one)).toBeGreaterThan(0);
      if (tells) expect(answer.json().usage).toEqual({ ...counted, cost_points: one });
    },
  );

  test("a stream costs the same, and its last event has the usage", async () => {
    scenario.upstream.on(streamOf(...messageFrames, ...ending));
    const { status, headers, chunks } = await ask(streaming, body, { "x-gateway-usage": "cost" });
    expect([status, headers["content-type"]]).toEqual([200, "application/vnd.amazon.eventstream"]);
    await scenario.message({ body: { model: "test/model-1", max_tokens: 100, messages, stream: true } });
    const [one, other] = charged();
    expect(one).toBe(other);
    expect(told(chunks)).toEqual([
      ["messageStart", { role: "assistant" }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: expect.any(String) } }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["messageStop", { stopReason: "end_turn" }],
      ["metadata", { usage: { ...counted, cost_points: one }, metrics: { latencyMs: expect.any(Number) } }],
    ]);
  });

  test("a stream that breaks off ends with an exception, and is billed as one by `/v1/messages`", async () => {
    scenario.upstream.on((_, response) => {
      response.writeHead(200, sse).write(messageFrames.join(""), () => response.destroy());
    });
    const { chunks } = await ask(streaming);
    expect(told(chunks).at(-1)).toEqual([
      "modelStreamErrorException",
      expect.objectContaining({ code: 50001 }),
    ]);
    await scenario.message({ body: { model: "test/model-1", max_tokens: 100, messages, stream: true } });
    const [one, other] = charged();
    expect(one).toBe(other);
    expect(one).not.toBe("0");
  });

  test("a client that goes away pays for the whole answer", async () => {
    scenario.upstream.on(streamOf(...messageFrames, ...ending));
    const { reply } = await open(scenario.serve, streaming, { headers: scenario.bearer(), body });
    // It takes the first bytes and never reads on.
    void (reply.body as BodyPump)({ write: () => new Promise(() => {}) });
    await reply.after?.();
    expect(scenario.memory.events).toMatchObject([{ outcome: "completed", evidence: "reported" }]);
  });

  test("what has no counterpart is named", async () => {
    const answer = await ask(path(), { ...body, requestMetadata: { team: "a" } });
    expect(answer.headers["x-gateway-dropped"]).toBe("requestMetadata");
  });
});

describe("to a provider of Converse", () => {
  beforeEach(() => speak("converse"));
  const text =
    '{ "messages": [{"role":"user","content":[{"text":"Hello"}]}], "inferenceConfig": {"temperature":0.50} }';
  const reply = {
    output: { message: { role: "assistant", content: [{ text: "Hi" }] } },
    stopReason: "end_turn",
    usage: { inputTokens: 10, outputTokens: 4, totalTokens: 14 },
    metrics: { latencyMs: 9 },
    trace: { later: true },
  };

  test("body and answer stay byte for byte", async () => {
    scenario.upstream.json(reply);
    const answer = await ask(path(), text);
    expect([answer.status, answer.text]).toEqual([200, JSON.stringify(reply)]);
    const [sent] = scenario.upstream.requests;
    expect([sent?.path, String(sent?.body)]).toEqual(["/model/upstream-model/converse", text]);
    expect(charged()).toEqual(["0.000065"]);
  });

  test("a stream has its events, and is billed by its last", async () => {
    const event = (name: string, payload: object) => `event: ${name}\ndata: ${JSON.stringify(payload)}\n\n`;
    const events: [string, object][] = [
      ["messageStart", { role: "assistant", p: "ab" }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["messageStop", { stopReason: "end_turn" }],
      ["metadata", { usage: reply.usage, metrics: { latencyMs: 9 } }],
    ];
    scenario.upstream.on(streamOf(...events.map((each) => event(...each))));
    const { chunks } = await ask(streaming, text);
    expect(told(chunks)).toEqual(events);
    expect(scenario.upstream.requests[0]?.path).toBe("/model/upstream-model/converse-stream");
    expect(charged()).toEqual(["0.000065"]);
  });

  test("reasoning of another model is taken out, by name", async () => {
    scenario.upstream.json(reply);
    const signature = Buffer.from("gateway-signature:1.other.0123456789ab.s.0123456789ab:x").toString(
      "base64",
    );
    const turn = {
      role: "assistant",
      content: [{ reasoningContent: { reasoningText: { text: "Hm.", signature } } }, { text: "Hi" }],
    };
    const turns = [...body.messages, turn, ...body.messages];
    const answer = await ask(path(), { messages: turns });
    expect(answer.headers["x-gateway-dropped"]).toBe("messages.parts.reasoning");
    expect(JSON.parse(String(scenario.upstream.requests[0]?.body)).messages[1].content).toEqual([
      { text: "Hi" },
    ]);
  });

  test.each<[string, object]>([
    ["a tier that has no price", { serviceTier: { type: "priority" } }],
    [
      "a tool of Amazon's that has no price",
      { toolConfig: { tools: [{ systemTool: { name: "nova_grounding" } }] } },
    ],
    ["a guardrail", { guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" } }],
  ])("%s is refused, and nothing is sent", async (_, more) => {
    const answer = await ask(path(), { ...body, ...more });
    expect([answer.status, answer.json().code]).toEqual([400, 40000]);
    expect([scenario.upstream.requests, scenario.memory.settled]).toEqual([[], []]);
  });
});

describe("an error", () => {
  test.each([
    [
      "a key that is none",
      401,
      "UnrecognizedClientException",
      40101,
      path(),
      { authorization: "Bearer sk-payg-no" },
    ],
    ["a model that is none", 404, "ResourceNotFoundException", 40400, path("converse", "none.such-v1:0"), {}],
    ["a guardrail", 400, "ValidationException", 40000, path(), { "x-amzn-bedrock-guardrailidentifier": "g" }],
  ])("%s is %i %s", async (_, status, type, code, to, headers) => {
    const answer = await ask(to, body, headers);
    expect([answer.status, answer.headers["x-amzn-errortype"], answer.json().code]).toEqual([
      status,
      type,
      code,
    ]);
    expect(scenario.upstream.requests).toEqual([]);
  });

  test("of the provider is one of the model", async () => {
    scenario.upstream.on((_, response) => response.writeHead(503).end("{}"));
    const answer = await ask(streaming);
    expect([answer.status, answer.headers["x-amzn-errortype"]]).toEqual([500, "ModelErrorException"]);
  });
});
