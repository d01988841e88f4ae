/**
 * Whose fault a refusal is: what a request can cause is told to its client, is asked of no other channel, and counts
 * against none (shared/calls/routing/README.md "Whose fault").
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { ReadyChannel } from "#shared/books/catalog/catalog.ts";
import { blameRow, blameRows } from "#shared/calls/upstreams/blame.ts";
import { readProviderError, withAwsName } from "#shared/calls/upstreams/provider-error.ts";
import { call } from "#test/support/call.ts";
import {
  chatBody,
  completion,
  delta,
  frame,
  messagesBody,
  sse,
  useScenario,
} from "#test/support/scenario.ts";

type Json = Record<string, unknown>;
const openai = (message: string, code: string | null = null, type = "invalid_request_error") => ({
  error: { message, type, code, param: null },
});
const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });
const google = (status: string, message: string) => ({ error: { code: 403, status, message } });
/** AWS names the error in a header, or by the event of a stream. */
const aws = (name: string, message: string): Json =>
  JSON.parse(
    withAwsName(Buffer.from(JSON.stringify({ message })), `${name}:http://internal.amazon.com/`).toString(),
  );
const none = { ids: false };
const unknownBeta = anthropic(
  "invalid_request_error",
  "Unexpected value(s) `skills-2025-10-02`, `effort-2025-11-24` for the `anthropic-beta` header. Please consult our documentation.",
);
const ids = { ids: true };

type Case = [
  name: string,
  status: number,
  body: object,
  whose: string | undefined,
  carried?: { ids: boolean },
];
const cases: Case[] = [
  ["OpenAI's file that is not there", 404, openai("No such File object: file-abc"), "request"],
  ["OpenAI's container that is not there", 404, openai("Container with id 'cntr_1' not found."), "request"],
  ["OpenAI's vector store", 404, openai("Vector store with id ['vs_1'] not found."), "request"],
  ["OpenAI's item", 404, openai("Item with id 'rs_1' not found. Items are not persisted"), "request"],
  ["OpenAI's prompt", 404, openai("Prompt with id 'pmpt_1' not found."), "request"],
  ["an earlier answer, by its code", 404, openai("Gone.", "previous_response_not_found"), "request"],
  ["OpenAI's model", 404, openai("The model `gpt-9` does not exist", "model_not_found"), undefined],
  ["OpenAI's model in a call with an id", 404, openai("No.", "model_not_found"), undefined, ids],
  ["Anthropic's file", 404, anthropic("not_found_error", "File not found: file_1"), "request"],
  ["Anthropic's model", 404, anthropic("not_found_error", "model: claude-9"), undefined],
  [
    "Google's file of somebody else",
    403,
    google("PERMISSION_DENIED", "You do not have permission to access the File abc or it may not exist."),
    "request",
  ],
  [
    "Google's cache",
    403,
    google("PERMISSION_DENIED", "CachedContent not found (or permission denied)"),
    "request",
  ],
  [
    "Google's model",
    404,
    google("NOT_FOUND", "models/gemini-9 is not found for API version v1beta"),
    undefined,
  ],
  ["a prompt that moderation flags", 403, openai("Your input was flagged by moderation"), "request"],
  ["an obstacle by law", 451, {}, "request"],
  [
    "a tool server that does not answer",
    424,
    openai("Error retrieving tool list from MCP server"),
    "request",
  ],
  ["headers that are too large", 431, {}, "request"],
  [
    "a request larger than a minute",
    429,
    openai("Request too large for gpt-5 in org on TPM", null, "tokens"),
    "request",
  ],
  ["a minute that is used up", 429, openai("Rate limit reached for gpt-5", "rate_limit_exceeded"), undefined],
  ["nothing behind an id", 404, { detail: "Not Found" }, "request", ids],
  ["nothing behind a path", 404, { detail: "Not Found" }, undefined, none],
  ["a refusal that a stream repeats", 200, openai("No such parameter."), "request"],
  ["a limit that a stream reports", 200, openai("Slow down.", "rate_limit_exceeded", "tokens"), "limit"],
  ["a failure inside of a stream", 200, openai("It broke.", "server_error", "server_error"), undefined],
  [
    "a context that is too long, as a 500",
    500,
    openai("prompt is too long: 9 tokens > 8 maximum"),
    "request",
  ],
  ["a server that broke", 500, openai("It broke."), undefined],
  ["a beta that Vertex AI does not know", 400, unknownBeta, "request"],
  ["a model of Bedrock that failed", 424, aws("ModelErrorException", "It broke."), "channel"],
  [
    "a model that Bedrock sells by profile alone",
    400,
    aws(
      "ValidationException",
      "Invocation of model ID a.b-v1:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.",
    ),
    "channel",
  ],
  [
    "a name that Bedrock does not know",
    400,
    aws("ValidationException", "The provided model identifier is invalid."),
    "channel",
  ],
  ["a quota of our account at AWS", 400, aws("ServiceQuotaExceededException", "Too many."), "limit"],
  ["a request that Converse refuses", 400, aws("ValidationException", "The text field is blank."), undefined],
  ["the same in a stream", 200, aws("validationException", "The text field is blank."), "request"],
  ["a limit that a stream of Converse reports", 200, aws("throttlingException", "Too many."), "limit"],
  ["a failure in a stream of Converse", 200, aws("modelStreamErrorException", "It broke."), undefined],
  [
    "a context that is too long for a model of Bedrock",
    400,
    aws(
      "ValidationException",
      "The model returned the following errors: Input is too long for requested model.",
    ),
    "request",
  ],
];

describe("whose fault a refusal is", () => {
  const blame = ([, status, body, , carried = none]: Case) =>
    blameRow(status, readProviderError(Buffer.from(JSON.stringify(body))), carried);

  test.each(cases)("%s", (...each) => {
    expect(blame(each)?.whose).toBe(each[3]);
  });

  test("every row of the table is met by one of these", () => {
    const met = new Set(cases.map(blame));
    expect(blameRows.filter((row) => !met.has(row))).toEqual([]);
  });
});

describe("through the gateway", () => {
  const scenario = useScenario();
  const windows = async () => (await scenario.memory.boards.read("test/model-1", Date.now())).windows;
  beforeEach(() => {
    const model = scenario.memory.deps.catalog.find("test/model-1");
    const [first] = model?.channels ?? [];
    model?.channels.push({ ...first, id: "second", model: "second", priority: 2 } as ReadyChannel);
  });

  test.each(cases.filter(([, status, , whose, carried]) => status > 400 && whose === "request" && !carried))(
    "%s is told as a 400 and counts for nothing",
    async (_, status, body) => {
      scenario.upstream.on((_request, response) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      );
      const reply = await scenario.chat();
      expect(reply.status).toBe(400);
      expect(await windows()).toEqual([]);
      // Only what is larger than one channel's limit may fit another one's.
      expect(scenario.upstream.requests).toHaveLength(status === 429 ? 2 : 1);
    },
  );

  test("a beta that one channel does not know is asked of the next one, and counts against none", async () => {
    scenario.upstream.on((_request, response) => {
      const isFirst = scenario.upstream.requests.length === 1;
      response.writeHead(isFirst ? 400 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(isFirst ? unknownBeta : completion));
    });
    expect((await scenario.chat()).status).toBe(200);
    expect(scenario.upstream.requests).toHaveLength(2);
    expect(await windows()).toEqual([]);
  });

  const tooLong = { message: "Your input exceeds the context window", code: "context_length_exceeded" };
  const streams: [name: string, path: string, body: object, frames: string[], told: object][] = [
    [
      "the first frame of a chat",
      "/v1/chat/completions",
      chatBody,
      [frame({ error: { ...tooLong, type: "invalid_request_error" } })],
      { error: { code: "context_length_exceeded" } },
    ],
    [
      "the first event of messages",
      "/v1/messages",
      messagesBody,
      [
        `event: error\n${frame(anthropic("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"))}`,
      ],
      { error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" } },
    ],
  ];

  test.each(streams)(
    "a refusal in %s is a 400 with the provider's code",
    async (_, path, body, frames, told) => {
      scenario.upstream.on((_request, response) => response.writeHead(200, sse).end(frames.join("")));
      const reply = await call(scenario.serve, path, {
        headers: scenario.bearer(),
        body: { ...body, stream: true },
      });
      expect(reply.status).toBe(400);
      expect(reply.json()).toMatchObject(told);
      expect(scenario.upstream.requests).toHaveLength(1);
      expect(await windows()).toEqual([]);
    },
  );

  /** A stream that ends with this frame once its client has the first one. */
  async function brokenBy(last: object) {
    let end: (() => void) | undefined;
    scenario.upstream.on((_, response) => {
      response.writeHead(200, sse).write(delta("Hi"));
      end = () => response.end(frame(last));
    });
    return await scenario.chat({ body: { ...chatBody, stream: true }, onChunk: () => end?.() });
  }

  test("a refusal in a later frame ends the stream with the provider's code, and is no fault", async () => {
    const reply = await brokenBy({ error: { ...tooLong, type: "invalid_request_error" } });
    expect(reply.status).toBe(200);
    const last = reply.text.trim().split("\n\n").at(-1)?.slice("data: ".length) ?? "";
    expect(JSON.parse(last)).toMatchObject({ error: { code: "context_length_exceeded" } });
    expect(await windows()).toEqual([]);
    expect(scenario.memory.logs.map(({ event }) => event)).toContain("request_refused");
  });

  test("a failure in a later frame is a fault of the channel, as one witness has seen it", async () => {
    await brokenBy({ error: { message: "It broke." } });
    const counts = Object.values((await windows())[0]?.channels ?? {});
    expect(counts.map(({ faults, seen_by = {} }) => [faults, Object.values(seen_by)])).toEqual([[1, [1]]]);
  });

  test("an answer that is an error inside of a 200 is a 400 with the provider's code", async () => {
    scenario.upstream.json({ error: { ...tooLong, type: "invalid_request_error" } });
    const reply = await scenario.chat();
    expect([reply.status, reply.json().error]).toMatchObject([400, { code: "context_length_exceeded" }]);
    expect(await windows()).toEqual([]);
  });

  test("a refusal of our key counts for all: no request can cause it", async () => {
    scenario.upstream.on((_, response) => response.writeHead(401).end("{}"));
    await scenario.chat();
    const counts = Object.values((await windows())[0]?.channels ?? {});
    expect(counts.map(({ faults, seen_by }) => [faults, seen_by])).toEqual([
      [1, undefined],
      [1, undefined],
    ]);
  });
});
