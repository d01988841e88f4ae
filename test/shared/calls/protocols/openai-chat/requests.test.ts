/** OpenAI chat requests across protocols: what is refused, and the pitfalls of protocols.md §6.6 about requests. */
import { describe, expect, test } from "vitest";
import type { Fields } from "#shared/base/json/fields.ts";
import type { ChatRequest } from "#shared/calls/chat/request.ts";
import { wordless } from "#shared/calls/chat/wordless.ts";
import { openaiChatCrossing as crossing } from "#shared/calls/protocols/openai-chat/crossing/index.ts";

const base: ChatRequest = { system: [], messages: [wordless], tools: [], stop: [], stream: false };

const bodyOf = (request: Partial<ChatRequest>) =>
  crossing.encodeRequest({ ...base, ...request }, { model: "up", output_tokens: 4096 });

describe("what would change the meaning is refused", () => {
  const messages = [{ role: "user", content: "Hi" }];
  const user = (part: object) => ({ messages: [{ role: "user", content: [part] }] });
  const assistant = (fields: object) => ({ messages: [{ role: "assistant", ...fields }] });
  const cases: [param: string, body: Fields][] = [
    ["n", { messages, n: 2 }],
    ["logprobs", { messages, logprobs: true }],
    ["top_logprobs", { messages, top_logprobs: 3 }],
    ["modalities", { messages, modalities: ["text", "audio"] }],
    ["audio", { messages, audio: { voice: "alloy", format: "wav" } }],
    ["function_call", { messages, function_call: "auto" }],
    ["tools[0].type", { messages, tools: [{ function: { name: "f" } }] }],
    ["tool_choice", { messages, tool_choice: { type: "retrieval" } }],
    ["response_format.type", { messages, response_format: { type: "grammar" } }],
    ["reasoning_effort", { messages, reasoning_effort: "constructor" }],
    ["thinking.type", { messages, thinking: { type: "odd" } }],
    ["messages[0].role", { messages: [{ role: "critic", name: "f", content: "1" }] }],
    ["messages[0].content[0].type", user({ type: "video_url", video_url: { url: "https://v.example/a" } })],
    ["messages[0].content[0].file.file_data", user({ type: "file", file: { file_id: "file-1" } })],
    ["messages[0].content[0].image_url.url", user({ type: "image_url", image_url: { url: "data:,x" } })],
    [
      "messages[0].content",
      { messages: [{ role: "system", content: [{ type: "image_url", image_url: "https://i.example/a" }] }] },
    ],
    ["messages[0].audio", assistant({ audio: { id: "audio-1" } })],
    ["messages[0].function_call", assistant({ function_call: { name: "f", arguments: "{}" } })],
    [
      "messages[0].tool_calls[0].id",
      assistant({ tool_calls: [{ type: "function", function: { name: "f" } }] }),
    ],
    ["messages[0].tool_call_id", { messages: [{ role: "tool", content: "1" }] }],
  ];
  test.each(cases)("%s", (param, body) => {
    const refused = expect.objectContaining({
      key: "invalid_request",
      detail: expect.objectContaining({ param }),
    });
    expect(() => crossing.decodeRequest(body)).toThrow(refused);
  });
});

describe("requests to a provider", () => {
  test("the maximum counts the reasoning, and a stream asks for its usage", () => {
    const { body } = bodyOf({ max_output_tokens: 9, stream: true });
    expect(body).toEqual({
      model: "up",
      messages: [{ role: "user", content: "." }],
      max_completion_tokens: 9,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("pitfall 15: results of one turn follow their calls before anything else the user says", () => {
    const { body } = bodyOf({
      messages: [
        {
          role: "user",
          parts: [
            { type: "text", text: "And?" },
            { type: "tool_result", call_id: "a", content: [{ type: "text", text: "1" }] },
            {
              type: "tool_result",
              call_id: "b",
              content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
            },
          ],
        },
      ],
    });
    expect(body.messages).toEqual([
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: "" },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "text", text: "And?" },
        ],
      },
    ]);
  });

  test("pitfall 16: empty texts are never sent, nor messages of nothing else", () => {
    const empty = { type: "text" as const, text: "" };
    const { body } = bodyOf({
      system: [empty],
      messages: [
        { role: "user", parts: [empty] },
        { role: "assistant", parts: [empty] },
        { role: "user", parts: [empty, { type: "text", text: "Hi" }] },
      ],
    });
    expect(body.messages).toEqual([{ role: "user", content: "Hi" }]);
  });

  test("pitfall 18: text of a turn that also calls tools stays", () => {
    const call = { type: "tool_call" as const, id: "a", name: "f", arguments: "{}" };
    const { body } = bodyOf({
      messages: [{ role: "assistant", parts: [{ type: "text", text: "Wait." }, call] }],
    });
    expect(body.messages).toMatchObject([{ role: "assistant", content: "Wait.", tool_calls: [{ id: "a" }] }]);
  });

  test("pitfall 10: a signed call takes its signature along", () => {
    const call = { type: "tool_call" as const, id: "a", name: "f", arguments: "{}", signature: "c2ln" };
    const { body } = bodyOf({ messages: [{ role: "assistant", parts: [call] }] });
    expect(body.messages).toMatchObject([
      { content: null, tool_calls: [{ extra_content: { google: { thought_signature: "c2ln" } } }] },
    ]);
  });

  test.each([
    [0, "none"],
    [1024, "low"],
    [8192, "medium"],
    [32_000, "high"],
  ])("a budget of %i thinking tokens goes as effort %s", (budget_tokens, effort) => {
    const { body, dropped } = bodyOf({ reasoning: { budget_tokens } });
    expect(body.reasoning_effort).toBe(effort);
    expect(dropped).toEqual(["reasoning.budget_tokens"]);
  });

  test("what only goes with tools is dropped without them", () => {
    const { body, dropped } = bodyOf({ tool_choice: { type: "auto" }, parallel_tool_calls: false });
    expect(body).toEqual({ model: "up", messages: [{ role: "user", content: "." }], stream: false });
    expect(dropped).toEqual(["tool_choice", "parallel_tool_calls"]);
  });

  test("a file by address has no form and is refused", () => {
    const file = { type: "file" as const, source: { type: "url" as const, url: "https://f.example/a.pdf" } };
    const refused = expect.objectContaining({ key: "invalid_request" });
    expect(() => bodyOf({ messages: [{ role: "user", parts: [file] }] })).toThrow(refused);
  });

  test("pitfall 36: a maximum of zero or less is refused, never taken for none", () => {
    for (const max_tokens of [0, -1]) {
      const refused = expect.objectContaining({ key: "invalid_request" });
      expect(() => crossing.decodeRequest({ messages: [], max_tokens })).toThrow(refused);
    }
  });
});
