/** What Anthropic demands of a request that comes from another protocol, and what no other model could answer. */
import { describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import type { Fields } from "#shared/base/json/fields.ts";
import type { ChatRequest } from "#shared/calls/chat/request.ts";
import { anthropicCrossing as crossing } from "#shared/calls/protocols/anthropic/crossing/index.ts";
import { asking, now, target } from "#test/support/anthropic-crossing.ts";

describe("a request on the wire", () => {
  const encoded = (said: Partial<ChatRequest>) => crossing.encodeRequest(asking(said), target);
  const refusal = (body: Fields): string | undefined => {
    try {
      crossing.decodeRequest({ max_tokens: 1, messages: [{ role: "user", content: "Hi" }], ...body });
    } catch (error) {
      return error instanceof GatewayError ? `${error.key} ${error.detail.param}` : String(error);
    }
    return undefined;
  };

  test("has every field in Anthropic's form", () => {
    const { body, dropped } = encoded({
      system: [{ type: "text", text: "Be brief." }],
      messages: [
        {
          role: "user",
          parts: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
            {
              type: "file",
              name: "a.pdf",
              source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
            },
            { type: "file", source: { type: "base64", media_type: "text/csv", data: "YSxi" } },
          ],
        },
      ],
      tools: [
        { name: "now", description: "Time" },
        { name: "put", parameters: { properties: {} }, strict: true },
      ],
      tool_choice: { type: "tool", name: "now" },
      parallel_tool_calls: false,
      max_output_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      stop: ["END"],
      format: {
        type: "json_schema",
        name: "x",
        schema: { type: "object", properties: { type: { type: "object" } } },
      },
      user: "u",
      stream: true,
    });
    expect(body).toEqual({
      model: "claude",
      max_tokens: 100,
      system: [{ type: "text", text: "Be brief." }],
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
            {
              type: "document",
              title: "a.pdf",
              source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
            },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "a,b" } },
          ],
        },
      ],
      tools: [
        { name: "now", description: "Time", input_schema: { type: "object", properties: {} } },
        { name: "put", strict: true, input_schema: { type: "object", properties: {} } },
      ],
      tool_choice: { type: "tool", name: "now", disable_parallel_tool_use: true },
      stop_sequences: ["END"],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      output_config: {
        format: {
          type: "json_schema",
          schema: {
            type: "object",
            properties: { type: { type: "object", additionalProperties: false } },
            additionalProperties: false,
          },
        },
      },
      metadata: { user_id: "u" },
      stream: true,
    });
    expect(dropped).toEqual(["format.name"]);
  });

  test.each([
    ["none given", undefined, 4096],
    ["less than the model's", 10, 10],
    ["more than the model's", 9999, 4096],
  ])("max_tokens is there: %s", (_, max_output_tokens, expected) => {
    const request = max_output_tokens === undefined ? {} : { max_output_tokens };
    expect(encoded(request).body.max_tokens).toBe(expected);
  });

  test.each([
    ["a budget", { budget_tokens: 2000 }, { type: "enabled", budget_tokens: 2000 }, []],
    [
      "too small a budget",
      { budget_tokens: 5 },
      { type: "enabled", budget_tokens: 1024 },
      ["reasoning.budget_tokens"],
    ],
    [
      "too large a budget",
      { budget_tokens: 4096 },
      { type: "enabled", budget_tokens: 4095 },
      ["reasoning.budget_tokens"],
    ],
    ["no budget at all", { budget_tokens: 0 }, { type: "disabled" }, []],
    ["an effort", { effort: "high", include: true }, { type: "adaptive", display: "summarized" }, []],
    ["none", { effort: "none" }, { type: "disabled" }, []],
    ["nothing but silence", { include: false }, undefined, []],
  ] as const)("reasoning with %s", (_, reasoning, thinking, dropped) => {
    const request = encoded({ reasoning });
    expect(request.body.thinking).toEqual(thinking);
    expect(request.dropped).toEqual(dropped);
  });

  test("a model that does not reason keeps its sampling", () => {
    const asked = asking({ reasoning: { effort: "low" }, temperature: 0.5 });
    const traits = { reasoning: { forms: [] } };
    const { body, dropped } = crossing.encodeRequest(asked, { ...target, traits });
    const fit = crossing.fitRequest(body, traits);
    expect(fit.body).toMatchObject({ temperature: 0.5 });
    expect(fit.body).not.toHaveProperty("thinking");
    expect(dropped).toEqual([]);
    expect(fit.changes.map(({ neutral }) => neutral)).toEqual(["reasoning", "reasoning.effort"]);
  });

  test("a budget that does not fit under max_tokens is dropped by name", () => {
    const { body, dropped } = encoded({ reasoning: { budget_tokens: 2000 }, max_output_tokens: 1024 });
    expect(body).not.toHaveProperty("thinking");
    expect(dropped).toEqual(["reasoning.budget_tokens"]);
  });

  test("thinking gives way to a forced tool, and sampling to thinking", () => {
    const forced = encoded({ tools: [now], tool_choice: { type: "required" }, reasoning: { effort: "low" } });
    expect(forced.body).not.toHaveProperty("thinking");
    expect(forced.body).toMatchObject({ tool_choice: { type: "any" }, output_config: { effort: "low" } });
    expect(forced.dropped).toEqual(["reasoning"]);
    const sampled = encoded({ reasoning: {}, temperature: 0.1, top_p: 0.5 });
    expect(sampled.body).toMatchObject({ thinking: { type: "adaptive" } });
    expect(sampled.body).not.toHaveProperty("temperature");
    expect(sampled.dropped).toEqual(["temperature", "top_p"]);
  });

  test("a temperature above 1 is 1, by name", () => {
    expect(encoded({ temperature: 1.7 })).toMatchObject({
      body: { temperature: 1 },
      dropped: ["temperature"],
    });
  });

  test("what Anthropic has no place for is dropped by name", () => {
    const { dropped } = encoded({
      seed: 0,
      format: { type: "json" },
      tool_choice: { type: "auto" },
      parallel_tool_calls: true,
      messages: [
        {
          role: "user",
          parts: [
            {
              type: "image",
              source: { type: "url", url: "https://media.example/a" },
              detail: "low",
              name: "a",
            },
          ],
        },
      ],
    });
    expect(dropped.toSorted()).toEqual([
      "format",
      "messages.parts.detail",
      "messages.parts.name",
      "parallel_tool_calls",
      "seed",
      "tool_choice",
    ]);
  });

  test("sound, and files Anthropic cannot read, are refused", () => {
    const source = { type: "base64", media_type: "audio/wav", data: "UklG" } as const;
    for (const type of ["audio", "file"] as const) {
      expect(() => encoded({ messages: [{ role: "user", parts: [{ type, source }] }] })).toThrow(
        GatewayError,
      );
    }
  });

  test("the first turn is the user's", () => {
    const { body } = encoded({
      messages: [{ role: "assistant", parts: [{ type: "text", text: "Welcome" }] }],
    });
    expect(body.messages).toMatchObject([{ role: "user" }, { role: "assistant" }]);
    expect(encoded({ messages: [] }).body.messages).toMatchObject([{ role: "user" }]);
  });

  test.each([
    ["a tool of no kind", { tools: [{ type: 1, name: "x" }] }, "tools[0].type"],
    ["a block of an answer", blockOf("server_tool_use"), "messages[0].content[0].type"],
    [
      "an uploaded file",
      blockOf("image", { source: { type: "file", file_id: "f" } }),
      "messages[0].content[0].source.type",
    ],
    ["a place to compute", { inference_geo: "eu" }, "inference_geo"],
    ["an unknown role", { messages: [{ role: "tool", content: "x" }] }, "messages[0].role"],
    ["an unknown tool choice", { tool_choice: { type: "toString" } }, "tool_choice.type"],
  ])("%s is refused: another model would answer without it", (_, body, param) => {
    expect(refusal(body)).toBe(`invalid_request ${param}`);
  });
});

function blockOf(type: string, fields: Fields = {}): Fields {
  return { messages: [{ role: "user", content: [{ type, ...fields }] }] };
}
