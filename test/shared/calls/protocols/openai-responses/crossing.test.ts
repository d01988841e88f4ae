/** Requests of the Responses room: goldens both ways, identity on the neutral form, what is dropped and refused. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import { readJsonObject } from "#shared/base/json/body.ts";
import type { Fields } from "#shared/base/json/fields.ts";
import type { ChatRequest, DecodedRequest } from "#shared/calls/chat/request.ts";
import { openaiResponsesCrossing as crossing } from "#shared/calls/protocols/openai-responses/crossing/index.ts";
import { readRequest } from "#shared/calls/protocols/openai-responses/fields.ts";
import { neutralRequest } from "#test/support/neutral.ts";
import { cases, chance, json, read } from "#test/support/responses-golden.ts";

const requestTarget = { model: "upstream-model", output_tokens: 4096 };

/** What is refused, as the field it is blamed on. */
function refusedField(body: Fields): string | undefined {
  try {
    readRequest(readJsonObject(Buffer.from(JSON.stringify(body))));
    crossing.decodeRequest(body);
  } catch (error) {
    if (error instanceof GatewayError) return `${error.key}: ${error.detail.param}`;
    throw error;
  }
  return undefined;
}

/** Without what the protocol cannot carry; each loss stands in `dropped`. */
function carriedRequest(request: ChatRequest): { request: ChatRequest; dropped: string[] } {
  const dropped = new Set<string>();
  const { top_k, seed, ...kept } = structuredClone(request);
  if (top_k !== undefined) dropped.add("top_k");
  if (seed !== undefined) dropped.add("seed");
  // The gateway cuts the answer at them (calls/protocols/bounds).
  kept.stop = [];
  if (kept.max_output_tokens) kept.max_output_tokens = Math.max(16, kept.max_output_tokens);
  // Of a model of which nothing is known, the strongest word is not asked.
  if (kept.reasoning?.effort === "max") {
    dropped.add("reasoning.effort");
    kept.reasoning.effort = "xhigh";
  }
  // Not strict and silent about it are the same.
  for (const tool of kept.tools) if (!tool.strict) delete tool.strict;
  for (const message of kept.messages) {
    if (message.role === "assistant") {
      const signed = message.parts.filter((part) => part.type !== "reasoning" || part.signature);
      if (signed.length < message.parts.length) dropped.add("messages.parts.reasoning");
      message.parts = signed;
    }
    for (const part of message.parts) {
      if (part.type === "tool_result" && part.is_error) {
        dropped.add("messages.tool_result.is_error");
        delete part.is_error;
      }
      if (part.type === "tool_call" && part.signature !== undefined) {
        dropped.add("messages.parts.signature");
        delete part.signature;
      }
    }
  }
  return { request: kept, dropped: [...dropped].sort() };
}

describe("requests", () => {
  test.each(cases("requests", ".neutral.json"))("golden %s is decoded as it should be", (name) => {
    const body = json("requests", `${name}.json`);
    expect(() => readRequest(readJsonObject(read("requests", `${name}.json`)))).not.toThrow();
    const decoded = crossing.decodeRequest(body);
    const expected = json<DecodedRequest>("requests", `${name}.neutral.json`);
    expect(decoded.request).toEqual(expected.request);
    expect(decoded.dropped.toSorted()).toEqual(expected.dropped.toSorted());
    expect(decoded.native).toEqual(expected.native);
  });

  test.each(cases("requests", ".neutral.json"))("golden %s, encoded, is the same request", (name) => {
    const { request } = json<DecodedRequest>("requests", `${name}.neutral.json`);
    const { body } = crossing.encodeRequest(request, requestTarget);
    expect(crossing.decodeRequest(body as Fields).request).toEqual(carriedRequest(request).request);
  });

  test("any neutral request comes back, but for what is dropped by name", () => {
    fc.assert(
      fc.property(neutralRequest, (request) => {
        const { body, dropped } = crossing.encodeRequest(request, requestTarget);
        const expected = carriedRequest(request);
        expect(dropped.toSorted()).toEqual(expected.dropped);
        expect(crossing.decodeRequest(body)).toEqual({ request: expected.request, dropped: [] });
        expect(() => readRequest(readJsonObject(Buffer.from(JSON.stringify(body))))).not.toThrow();
      }),
      chance,
    );
  });

  test("a body for a provider names its model, stores nothing, and says `strict` of every tool", () => {
    const { request } = json<DecodedRequest>("requests", "x-tools.neutral.json");
    expect(crossing.encodeRequest(request, requestTarget).body).toEqual({
      model: "upstream-model",
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Weather in Rome?" }] }],
      tools: [
        { type: "function", strict: true, ...request.tools[0] },
        { type: "function", name: "now", parameters: null, strict: false },
      ],
      tool_choice: "required",
      parallel_tool_calls: false,
      store: false,
      stream: false,
    });
  });

  test("reasoning items go without ids, which the provider would look for in its storage, and none unsigned", () => {
    const { request } = json<DecodedRequest>("requests", "x-signatures.neutral.json");
    const { body, dropped } = crossing.encodeRequest(request, requestTarget);
    expect(dropped).toContain("messages.parts.reasoning");
    const items = (body.input as Fields[]).filter(({ type }) => type === "reasoning");
    expect(items).toEqual([
      {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "First.\n\nThen." }],
        encrypted_content: "c2lnbmVk",
      },
      {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "" }],
        encrypted_content: "b21pdHRlZA==",
      },
    ]);
    expect(body).toMatchObject({
      reasoning: { effort: "high", summary: "auto" },
      include: ["reasoning.encrypted_content"],
    });
  });

  test.each([
    [0, "none"],
    [1024, "low"],
    [4096, "medium"],
    [9000, "high"],
  ])("a budget of %i reasoning tokens is carried as effort %s, and named", (budget_tokens, effort) => {
    const { request } = json<DecodedRequest>("requests", "x-text.neutral.json");
    const encoded = crossing.encodeRequest({ ...request, reasoning: { budget_tokens } }, requestTarget);
    expect(encoded.body.reasoning).toEqual({ effort });
    expect(encoded.dropped).toEqual(["reasoning.budget_tokens"]);
  });

  const user = (content: unknown) => ({ input: [{ role: "user", content }] });
  const refused: [field: string, body: Fields][] = [
    ["background", { background: true }],
    ["conversation", { conversation: "conv_1" }],
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["prompt", { prompt: { id: "pmpt_1" } }],
    ["top_logprobs", { top_logprobs: 3 }],
    ["include", { include: ["message.output_text.logprobs"] }],
    ["input", { input: "" }],
    ["input", { input: [] }],
    ["input[0]", { input: ["x"] }],
    ["input[0].type", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["input[0].type", { input: [{ type: "constructor" }] }],
    ["input[0].role", { input: [{ role: "tool", content: "x" }] }],
    ["input[0].content[0].file_id", user([{ type: "input_image", file_id: "file_1" }])],
    ["input[0].content[0].file_id", user([{ type: "input_file", file_id: "file_1" }])],
    ["input[0].content[0].file_data", user([{ type: "input_file", file_data: "!" }])],
    ["input[0].content[0].image_url", user([{ type: "input_image", image_url: "data:text/plain,x" }])],
    ["input[0].content[0].type", user([{ type: "input_video" }])],
    [
      "input[0].content",
      { input: [{ role: "assistant", content: [{ type: "input_image", image_url: "a://b" }] }] },
    ],
    ["input[0].call_id", { input: [{ type: "function_call", name: "x", arguments: "{}" }] }],
    ["tool_choice", { tools: [{ type: "function", name: "f" }], tool_choice: { type: "web_search" } }],
    ["tools[0].type", { tools: [{ name: "f" }] }],
    ["tools[0].name", { tools: [{ type: "function" }] }],
    ["text.format", { text: { format: { type: "json_schema", name: "x" } } }],
    ["text.format", { text: { format: { type: "grammar" } } }],
    ["reasoning.effort", { reasoning: { effort: "toString" } }],
    ["max_output_tokens", { max_output_tokens: 0 }],
    ["user", { user: "é".repeat(129) }],
  ];
  test.each(refused)("%s is refused by its name (%#)", (field, body) => {
    expect(refusedField({ model: "m", input: "x", ...body })).toBe(`invalid_request: ${field}`);
  });

  test("who refers to an item that is not stored is told what to send instead", () => {
    const input = [
      { role: "user", content: "x" },
      { type: "item_reference", id: "msg_1" },
    ];
    expect(() => crossing.decodeRequest({ model: "m", input })).toThrow(/`input\[1\]` .* `store: false`/);
  });

  test("sound by address has no place, and is refused rather than left out", () => {
    const { request } = json<DecodedRequest>("requests", "x-text.neutral.json");
    const part = {
      type: "audio" as const,
      source: { type: "url" as const, url: "https://media.example/a.wav" },
    };
    const messages = [{ role: "user" as const, parts: [part] }];
    expect(() => crossing.encodeRequest({ ...request, messages }, requestTarget)).toThrow(GatewayError);
  });
});
