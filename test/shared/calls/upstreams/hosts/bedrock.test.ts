/** Amazon Bedrock's form of Anthropic's messages, through the gateway: requests, streams, exceptions, counts. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeEach, describe, expect, test } from "vitest";
import type { IncomingReply } from "#shared/base/platform/http-call.ts";
import { ArrivingBody } from "#shared/base/platform/reply-body.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { bedrock } from "#shared/calls/upstreams/hosts/bedrock.ts";
import { call } from "#test/support/call.ts";
import { eventOf, exceptionOf } from "#test/support/event-stream.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { messageFrames, messages, messagesBody, namedFrame, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const profile = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3";
const frames = [
  ...messageFrames,
  namedFrame({ type: "content_block_stop", index: 0 } as never),
  namedFrame({
    ...{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
  }),
  namedFrame({ type: "message_stop" }),
];
/** Anthropic's events, as JSON. */
const events = frames.map((frame) => frame.replace(/^event: .*\ndata: /, "").trim());
const chunkOf = (json: string) => eventOf("chunk", { bytes: Buffer.from(json).toString("base64"), p: "abc" });
const chunks = events.map(chunkOf);
const reply = {
  ...{ id: "msg_bdrk_1", type: "message", role: "assistant", model: "claude", stop_reason: "end_turn" },
  content: [{ type: "text", text: "Hi" }],
  usage: { input_tokens: 10, output_tokens: 4 },
};

/** What Bedrock does with each request. */
let answer: (response: ServerResponse, path: string) => void;
const json =
  (body: object, status = 200, headers = {}) =>
  (response: ServerResponse) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
const stream = (bytes: Buffer[]) => (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
  response.end(Buffer.concat(bytes));
};

/** The gateway with a model at Bedrock under this name, in a protocol, and perhaps at another provider. */
function serveWith(model: string, hasNext = false, protocol = "anthropic") {
  const { url } = scenario.upstream;
  const catalog = testCatalog(url) as {
    providers: Record<string, object>;
    models: { channels: object[] }[];
  };
  catalog.providers.bedrock = { protocols: { [protocol]: url }, host: "bedrock", auth: "aws_role" };
  const next = { provider: "test", model: "next", priority: 2 };
  catalog.models[0]?.channels.splice(0, 1, { provider: "bedrock", model }, ...(hasNext ? [next] : []));
  scenario.memory = createMemory(catalog);
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as never, scenario.memory.deps);
}

beforeEach(() => {
  serveWith("us.anthropic.claude-opus-4-8-v1:0");
  scenario.upstream.on((request: IncomingMessage, response: ServerResponse) =>
    answer(response, request.url ?? ""),
  );
});

const asked = () => {
  const [request] = scenario.upstream.requests;
  if (!request) throw new Error("nobody was asked");
  return { ...request, body: request.body.toString() };
};

describe("a request", () => {
  test("keeps all bytes but those of model, stream, and what Bedrock refuses", async () => {
    answer = json(reply);
    const body = ` {"max_tokens" : 1e2, "model":"test/model-1","metadata":{"user_id":"u"},\n "messages":[ {"role":"user","content":"\\u00e9 1.0"} ], "stream": false , "stop_sequences":[ "x" ]}`;
    const answered = await scenario.message({ body });
    expect(answered.status).toBe(200);
    expect(asked()).toMatchObject({
      path: "/model/us.anthropic.claude-opus-4-8-v1%3A0/invoke",
      body: `{"anthropic_version":"bedrock-2023-05-31","max_tokens" : 1e2,"messages":[ {"role":"user","content":"\\u00e9 1.0"} ],"stop_sequences":[ "x" ]}`,
    });
    expect(asked().headers).not.toHaveProperty("anthropic-version");
    expect(answered.headers["x-gateway-dropped"]).toBe("metadata");
    expect(answered.json()).toEqual(reply);
  });

  test("brings the betas that Bedrock has, under its names, and tells that others were left out", async () => {
    answer = json(reply);
    const beta = "interleaved-thinking-2025-05-14, advanced-tool-use-2025-11-20,files-api-2025-04-14";
    const headers = { ...scenario.bearer(), "anthropic-beta": beta };
    const answered = await scenario.message({ headers });
    expect(JSON.parse(asked().body)).toMatchObject({
      anthropic_beta: ["interleaved-thinking-2025-05-14", "tool-search-tool-2025-10-19"],
    });
    expect(asked().headers).not.toHaveProperty("anthropic-beta");
    expect(answered.headers["x-gateway-dropped"]).toBe("anthropic-beta");
  });

  test("names an inference profile by its ARN", async () => {
    serveWith(profile);
    answer = stream(chunks);
    await scenario.message({ body: { ...messagesBody, stream: true } });
    expect(asked().path).toBe(`/model/${encodeURIComponent(profile)}/invoke-with-response-stream`);
    expect(asked().headers.accept).toBe("application/vnd.amazon.eventstream");
    expect(JSON.parse(asked().body)).toEqual({
      ...{ anthropic_version: "bedrock-2023-05-31", max_tokens: 100, messages },
    });
  });

  test("of another protocol crosses to it", async () => {
    answer = json(reply);
    const answered = await scenario.chat();
    expect(answered.json()).toMatchObject({ choices: [{ message: { content: "Hi" } }] });
    expect(JSON.parse(asked().body)).toMatchObject({ anthropic_version: "bedrock-2023-05-31" });
    expect(JSON.parse(asked().body)).not.toHaveProperty("model");
    expect(scenario.memory.events[0]?.usage).toMatchObject({ input_tokens: 10, output_tokens: 4 });
  });
});

describe("a stream", () => {
  const streamed = { ...messagesBody, stream: true };

  test("is Anthropic's, event by event, and is billed by its usage", async () => {
    answer = stream([eventOf("initial-response", {}), ...chunks]);
    const answered = await scenario.message({ body: streamed });
    expect(answered.headers["content-type"]).toBe("text/event-stream");
    expect(answered.text).toBe(frames.join(""));
    expect(scenario.memory.events[0]).toMatchObject({ outcome: "completed", usage: { output_tokens: 4 } });
  });

  test("is the same wherever the network cuts it", async () => {
    const bytes = Buffer.concat(chunks);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const body = new ArrivingBody({ pause() {}, resume() {}, destroy() {} });
      const headers = { "content-type": "application/vnd.amazon.eventstream" };
      const framed = await bedrock.reply?.({ status: 200, headers, body } as IncomingReply, {
        ...{ protocol: "anthropic", model: "m", stream: true },
      });
      const pieces: Buffer[] = [];
      body.push(Buffer.from(bytes.subarray(0, cut)));
      pieces.push(framed?.body.take() ?? Buffer.alloc(0));
      body.push(Buffer.from(bytes.subarray(cut)));
      body.end();
      for (let read = await framed?.body.next(); read; read = await framed?.body.next()) pieces.push(read);
      expect(Buffer.concat(pieces).toString()).toBe(frames.join(""));
    }
  });

  const opened = chunks.slice(0, 3);
  const damaged = Buffer.from(chunks[3] ?? []);
  damaged[20] = (damaged[20] ?? 0) ^ 1;
  test.each([
    ["an exception", exceptionOf("modelStreamErrorException", `the model ${profile} failed`)],
    ["a message with a wrong checksum", damaged],
    ["the end of its connection within a message", Buffer.from(chunks[3]?.subarray(0, -3) ?? [])],
  ])(
    "that %s ends after output is billed as far as it came, with the protocol's own error",
    async (_, end) => {
      let goOn = (): void => {};
      answer = (response) => {
        response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
        response.write(Buffer.concat(opened));
        goOn = () => response.end(end);
      };
      const answered = await scenario.message({ body: streamed, onChunk: () => goOn() });
      const [error, ...before] = answered.text.split("\n\n").filter(Boolean).toReversed();
      expect(before.toReversed().join("\n\n")).toBe(messageFrames.slice(0, 3).join("").trim());
      expect(error).toMatch(/^event: error\ndata: \{"type":"error"/);
      expect(answered.text).not.toContain("123456789012");
      expect(scenario.memory.events).toHaveLength(1);
      expect(scenario.memory.events[0]).toMatchObject({ outcome: "truncated" });
      expect(scenario.memory.events[0]?.usage.output_tokens).toBeGreaterThan(0);
    },
  );

  test("whose first message is an exception is the next channel's", async () => {
    serveWith("anthropic.claude-opus-4-8-v1:0", true);
    answer = (response, path) =>
      path.startsWith("/model/")
        ? stream([exceptionOf("throttlingException", "Too many tokens")])(response)
        : response.writeHead(200, { "content-type": "text/event-stream" }).end(frames.join(""));
    const answered = await scenario.message({ body: streamed });
    expect(answered.headers).toMatchObject({ "x-gateway-provider": "test", "x-gateway-attempts": "2" });
    expect(answered.text).toBe(frames.join(""));
  });
});

describe("a client of Bedrock's", () => {
  const body = { max_tokens: 9, messages };
  const invoke = (name: string) =>
    call(scenario.serve, `/model/${encodeURIComponent(name)}/invoke`, {
      headers: scenario.bearer(),
      body,
    });

  test.each([profile, "us.anthropic.claude-of-ours-v1:0"])(
    "finds the model that is served as %s",
    async (name) => {
      serveWith(name);
      answer = json(reply);
      expect((await invoke(name)).status).toBe(200);
      expect(scenario.memory.events[0]).toMatchObject({ model: "test/model-1" });
      expect((await invoke(`${name}x`)).status).toBe(404);
    },
  );

  test("finds none by the name that another provider has for it", async () => {
    serveWith(profile, true);
    expect((await invoke("next")).status).toBe(404);
  });
});

describe("Converse", () => {
  const events: [name: string, payload: object][] = [
    ["messageStart", { role: "assistant" }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } }],
    ["contentBlockStop", { contentBlockIndex: 0 }],
    ["messageStop", { stopReason: "end_turn" }],
    ["metadata", { usage: { inputTokens: 10, outputTokens: 4, totalTokens: 14 } }],
  ];
  const streamed = { body: { ...messagesBody, stream: true, max_tokens: undefined } };

  beforeEach(() => serveWith("us.amazon.nova-lite-v1:0", false, "converse"));

  test("streams in AWS's frames, whatever the client speaks", async () => {
    answer = stream(events.map(([name, payload]) => eventOf(name, payload)));
    const answered = await scenario.chat(streamed);
    expect(asked().path).toBe("/model/us.amazon.nova-lite-v1%3A0/converse-stream");
    expect(asked().headers.accept).toBe("application/vnd.amazon.eventstream");
    expect(answered.text).toContain('"content":"Hi"');
    expect(answered.text.trim()).toMatch(/data: \[DONE\]$/);
    expect(scenario.memory.events[0]).toMatchObject({
      ...{ outcome: "completed", usage: { input_tokens: 10, output_tokens: 4 } },
    });
  });

  test("whose stream begins with an exception has failed", async () => {
    answer = stream([exceptionOf("modelStreamErrorException", "the model failed")]);
    expect((await scenario.chat(streamed)).json()).toMatchObject({ error: { code: "50001" } });
    expect(scenario.memory.events[0]).toMatchObject({ outcome: "failed", usage: { output_tokens: 0 } });
  });
});

describe("a count of tokens", () => {
  test("is Bedrock's, asked for the model without its group of regions", async () => {
    answer = json({ inputTokens: 42 });
    const { max_tokens: _, ...body } = messagesBody;
    const counted = await scenario.message({ path: "/v1/messages/count_tokens", body });
    expect(counted.json()).toEqual({ input_tokens: 42 });
    expect(asked().path).toBe("/model/anthropic.claude-opus-4-8-v1%3A0/count-tokens");
    const { input } = JSON.parse(asked().body) as { input: { invokeModel: { body: string } } };
    expect(JSON.parse(Buffer.from(input.invokeModel.body, "base64").toString())).toEqual({
      ...{ max_tokens: 1, anthropic_version: "bedrock-2023-05-31", messages },
    });
  });
});
