/** Calls by Bedrock's `InvokeModel` through the pipeline: to Anthropic's providers, across, refused and cut. */
import { beforeEach, describe, expect, test } from "vitest";
import type { BodyPump } from "#shared/base/http/message.ts";
import { formatPoints } from "#shared/books/billing/points.ts";
import { call, open } from "#test/support/call.ts";
import { messagesOf } from "#test/support/event-stream.ts";
import {
  completion,
  delta,
  done,
  frame,
  messageFrames,
  messages,
  namedFrame,
  sse,
  streamOf,
  usageFrame,
  useScenario,
} from "#test/support/scenario.ts";

const scenario = useScenario();

const body = { anthropic_version: "bedrock-2023-05-31", max_tokens: 100, messages };
const path = (action = "invoke", model = "test/model-1") => `/model/${encodeURIComponent(model)}/${action}`;
const streaming = path("invoke-with-response-stream");
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "upstream-model",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 4 },
};
const ending = [
  namedFrame({ type: "content_block_stop", index: 0 } as never),
  namedFrame({
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage: { output_tokens: 4 },
  } as never),
  namedFrame({ type: "message_stop" } as never),
];

const chatEnd = frame({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });

const ask = (to: string, given: object = body, headers: Record<string, string> = {}) =>
  call(scenario.serve, to, { headers: { ...scenario.bearer(), ...headers }, body: given });

/** What each message of a stream of Bedrock's holds: an event of Anthropic's, or the name of an exception. */
const messagesIn = (chunks: Buffer[]) =>
  messagesOf(Buffer.concat(chunks)).map(({ headers, payload }) => {
    if (headers[":event-type"] !== "chunk") return { type: headers[":exception-type"] };
    const { bytes } = JSON.parse(payload) as { bytes: string };
    return JSON.parse(Buffer.from(bytes, "base64").toString()) as { type: string };
  });
const eventsIn = (chunks: Buffer[]) => messagesIn(chunks).map(({ type }) => type);

const charged = () => scenario.memory.settled.map(({ settlement: { points } }) => formatPoints(points));

describe("to a provider of Anthropic's protocol", () => {
  beforeEach(() => scenario.upstream.json(message));

  test("the body is Anthropic's, and the flags are a header", async () => {
    const answer = await ask(path(), { ...body, anthropic_beta: ["a-1", "b-2"] });
    expect([answer.status, answer.json()]).toEqual([200, message]);
    expect(answer.headers["content-type"]).toBe("application/json");
    const [sent] = scenario.upstream.requests;
    expect(sent?.path).toBe("/v1/messages");
    expect(JSON.parse(String(sent?.body))).toEqual({ max_tokens: 100, messages, model: "upstream-model" });
    expect(sent?.headers).toMatchObject({ "anthropic-version": "2023-06-01", "anthropic-beta": "a-1,b-2" });
  });

  test("costs what the same call by `/v1/messages` costs, to the last digit", async () => {
    await ask(path());
    await scenario.message();
    expect(charged()).toEqual(["0.000065", "0.000065"]);
  });

  test("a model is found by a name of Bedrock's", async () => {
    for (const name of [
      "us.test.model-1-20250929-v1:0",
      "arn:aws:bedrock:us-east-1:1:foundation-model/test.model-1",
    ])
      expect((await ask(path("invoke", name))).status).toBe(200);
    expect(scenario.memory.events.map(({ model }) => model)).toEqual(["test/model-1", "test/model-1"]);
  });

  test("a stream leaves as chunks, with the events that came", async () => {
    scenario.upstream.on(streamOf(...messageFrames, ...ending));
    const { status, headers, chunks } = await ask(streaming);
    expect([status, headers["content-type"]]).toEqual([200, "application/vnd.amazon.eventstream"]);
    expect(eventsIn(chunks)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    const sent = JSON.parse(String(scenario.upstream.requests[0]?.body));
    expect(sent).toMatchObject({ model: "upstream-model", stream: true });
    expect(charged()).toEqual(["0.000065"]);
  });

  test("a stream that breaks off ends with an exception, and is billed as one by `/v1/messages`", async () => {
    scenario.upstream.on((_, response) => {
      response.writeHead(200, sse).write(messageFrames.join(""), () => response.destroy());
    });
    const { chunks } = await ask(streaming);
    expect(eventsIn(chunks).at(-1)).toBe("modelStreamErrorException");
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
    expect(charged()).toEqual(["0.000065"]);
    expect(scenario.memory.events).toMatchObject([{ outcome: "completed", evidence: "reported" }]);
  });
});

describe("the counters of an answer", () => {
  const counted = {
    input_tokens: 10,
    cache_read_input_tokens: 30,
    cache_creation_input_tokens: 20,
    output_tokens: 4,
  };
  const inHeaders = {
    "x-amzn-bedrock-input-token-count": "10",
    "x-amzn-bedrock-output-token-count": "4",
    "x-amzn-bedrock-cache-read-input-token-count": "30",
    "x-amzn-bedrock-cache-write-input-token-count": "20",
  };
  const metrics = {
    inputTokenCount: 10,
    outputTokenCount: 4,
    cacheReadInputTokenCount: 30,
    cacheWriteInputTokenCount: 20,
  };
  const start = { id: "m", content: [], usage: { ...counted, output_tokens: 1 } };
  const frames = (last: object = {}) => [
    namedFrame({ type: "message_start", message: start } as never),
    ...messageFrames.slice(1),
    ...ending.slice(0, 2),
    namedFrame({ type: "message_stop", ...last } as never),
  ];

  test("stand in its headers too", async () => {
    scenario.upstream.json({ ...message, usage: counted });
    const answer = await ask(path());
    expect([answer.status, answer.headers]).toMatchObject([200, inHeaders]);
    expect(answer.json()).toEqual({ ...message, usage: counted });
    const direct = await scenario.message();
    expect(Object.keys(direct.headers).filter((name) => name.startsWith("x-amzn"))).toEqual([]);
  });

  test("stand in those of a repetition", async () => {
    scenario.upstream.json({ ...message, usage: counted });
    for (let n = 0; n < 2; n++)
      expect((await ask(path(), body, { "idempotency-key": "k" })).headers).toMatchObject(inHeaders);
    expect(scenario.upstream.requests).toHaveLength(1);
  });

  test("stand in those of an answer that has crossed", async () => {
    const provider = scenario.memory.deps.catalog.provider("test");
    if (provider) provider.protocols = { openai: `${scenario.upstream.url}/v1` };
    scenario.upstream.json(completion);
    const { "x-amzn-bedrock-input-token-count": input, "x-amzn-bedrock-output-token-count": output } = (
      await ask(path())
    ).headers;
    expect([input, output]).toEqual(["10", "4"]);
  });

  test("are not in the headers of an answer without any, nor of an error", async () => {
    const { usage: _, ...silent } = message;
    scenario.upstream.json(silent);
    expect(Object.keys((await ask(path())).headers)).not.toContain("x-amzn-bedrock-input-token-count");
    expect(Object.keys((await ask(path(), {})).headers)).not.toContain("x-amzn-bedrock-input-token-count");
  });

  test("are in a stream's last chunk too", async () => {
    scenario.upstream.on(streamOf(...frames()));
    const told = messagesIn((await ask(streaming)).chunks);
    expect(told.at(-1)).toEqual({ type: "message_stop", "amazon-bedrock-invocationMetrics": metrics });
    expect(told.filter((event) => "amazon-bedrock-invocationMetrics" in event)).toHaveLength(1);
  });

  test("of a stream that has crossed are not the estimate that it begins with", async () => {
    const provider = scenario.memory.deps.catalog.provider("test");
    if (provider) provider.protocols = { openai: `${scenario.upstream.url}/v1` };
    scenario.upstream.on(streamOf(delta("Hi"), chatEnd, usageFrame, done));
    const long = { ...body, messages: [{ role: "user", content: "Hello ".repeat(100) }] };
    const told = messagesIn((await ask(streaming, long)).chunks);
    const [start] = told as { message?: { usage: { input_tokens: number } } }[];
    expect(start?.message?.usage.input_tokens).toBeGreaterThan(50);
    const own = { inputTokenCount: 10, outputTokenCount: 4 };
    expect(told.at(-1)).toMatchObject({ "amazon-bedrock-invocationMetrics": own });
  });

  test("are as Bedrock itself has told them", async () => {
    const own = { "amazon-bedrock-invocationMetrics": { inputTokenCount: 9, firstByteLatency: 1 } };
    scenario.upstream.on(streamOf(...frames(own)));
    expect(messagesIn((await ask(streaming)).chunks).at(-1)).toEqual({ type: "message_stop", ...own });
  });
});

describe("across", () => {
  test("nothing is told to be dropped, because a version and flags are Anthropic's alone", async () => {
    const { deps } = scenario.memory;
    const provider = deps.catalog.provider("test");
    if (provider) provider.protocols = { openai: `${scenario.upstream.url}/v1` };
    scenario.upstream.json({
      id: "c",
      choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 },
    });
    const answer = await ask(path(), { ...body, anthropic_beta: ["a-1"] });
    expect(answer.json()).toMatchObject({ type: "message", content: [{ type: "text", text: "Hi" }] });
    expect(answer.headers["x-gateway-dropped"]).toBeUndefined();
    expect(scenario.upstream.requests[0]?.headers["anthropic-beta"]).toBeUndefined();
  });
});

describe("an error", () => {
  const told = async (to: string, given: object = body, headers: Record<string, string> = {}) => {
    const answer = await ask(to, given, headers);
    return [answer.status, answer.headers["x-amzn-errortype"], answer.json().code];
  };

  test.each([
    [
      "a key that is none",
      401,
      "UnrecognizedClientException",
      40101,
      path(),
      { authorization: "Bearer sk-payg-no" },
    ],
    ["a model that is none", 404, "ResourceNotFoundException", 40400, path("invoke", "none.such-v1:0"), {}],
    ["an action that is none", 404, "ResourceNotFoundException", 40400, path("invoke-twice"), {}],
    ["a guardrail", 400, "ValidationException", 40000, path(), { "x-amzn-bedrock-guardrailidentifier": "g" }],
  ])("%s is %i %s", async (_, status, type, code, to, headers) => {
    expect(await told(to, body, headers)).toEqual([status, type, code]);
    expect(scenario.upstream.requests).toEqual([]);
  });

  test("a body without a maximum is refused, and one that a provider refuses keeps its words", async () => {
    expect(await told(path(), { messages })).toEqual([400, "ValidationException", 40000]);
    scenario.upstream.on((_, response) => {
      const error = { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" };
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ type: "error", error }));
    });
    expect((await ask(path())).json()).toMatchObject({ message: "prompt is too long: 9 tokens > 8 maximum" });
  });

  test("of the provider is one of the model", async () => {
    scenario.upstream.on((_, response) => response.writeHead(503).end("{}"));
    expect(await told(path())).toEqual([500, "ModelErrorException", 50001]);
    expect(await told(streaming)).toEqual([500, "ModelErrorException", 50001]);
  });

  test("has the id of its request where AWS's SDKs look for it", async () => {
    const { id, headers } = await ask(path("invoke", "none"));
    expect(headers["x-amzn-requestid"]).toBe(id);
  });
});
