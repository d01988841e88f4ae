/**
 * Values that break code which takes a member for a word: an object whose `toString` is no function stands wherever a
 * client of a chat protocol may write. No request of that kind is an error of ours, wherever it is read.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tag } from "#shared/calls/chat/signature.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { messageBytes } from "#shared/calls/protocols/openai-chat/pass-through/reply.ts";
import { outputBytes } from "#shared/calls/protocols/openai-responses/pass-through/reply.ts";
import { call } from "#test/support/call.ts";
import { crossedCatalog, least, modelOf, pathOf, type Speech, speeches } from "#test/support/crossed.ts";
import { createMemory } from "#test/support/memory.ts";
import { startVendors, type Vendors } from "#test/support/vendors.ts";

type Json = Record<string, unknown>;

let vendors: Vendors;
let serve: Pipeline;
let authorization: string;
let logs: ReturnType<typeof createMemory>["logs"];
beforeAll(async () => {
  vendors = await startVendors();
  const memory = createMemory(crossedCatalog(vendors.url));
  authorization = `Bearer ${memory.addKey()}`;
  logs = memory.logs;
  serve = createPipeline({} as LocalAnswers, memory.deps);
});
afterAll(() => vendors?.stop());

const signature = tag("another.0123456789ab", { signature: "signed" });
const bytes = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };

/** What stands in a body beside the least, each alone. */
const members: Record<Speech, Json[]> = {
  openai: [
    { modalities: ["text"] },
    { tool_choice: { type: "function", function: { name: "f" } }, tools: [{ type: "function" }] },
    { thinking: { type: "enabled" }, reasoning_effort: "high", response_format: { type: "json_schema" } },
    { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "a" }, file_id: "a" }] }] },
    { messages: [{ role: "user", content: [{ type: "x", source: { type: "base64" } }] }] },
    { messages: [{ role: "assistant", reasoning_details: [{ type: "reasoning.text", signature }] }] },
  ],
  anthropic: [
    { thinking: { type: "enabled" }, tool_choice: { type: "tool" }, output_config: { effort: "high" } },
    { tools: [{ type: "custom", name: "f", input_schema: {} }] },
    { messages: [{ role: "user", content: [{ type: "image", source: bytes }] }] },
    {
      thinking: { type: "enabled", budget_tokens: 1_024 },
      messages: [
        { role: "assistant", content: [{ type: "text" }, { type: "thinking", signature }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
      ],
    },
    { messages: [{ role: "assistant", content: [{ type: "thinking", thinking: "t", signature, id: "a" }] }] },
  ],
  gemini: [
    { generationConfig: { responseModalities: ["TEXT"], thinkingConfig: { thinkingLevel: "LOW" } } },
    { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } } },
    { contents: [{ role: "model", parts: [{ text: "a", thoughtSignature: signature }] }] },
    { contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }] }] },
  ],
  responses: [
    { reasoning: { effort: "high" }, tool_choice: { type: "function" }, text: { format: { type: "text" } } },
    {
      input: [
        {
          type: "reasoning",
          summary: [{ text: "a" }],
          content: [{ text: "b" }],
          encrypted_content: signature,
        },
        { role: "user", content: [{ type: "input_file", file_id: "a" }] },
      ],
    },
    { input: [{ type: "function_call", name: "f", call_id: "a", arguments: "{}" }] },
  ],
};

/** The value with each of its parts replaced in turn. */
function* broken(value: unknown, by: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const other of [by, ...broken(item, by)]) yield value.with(index, other);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value))
      for (const other of [by, ...broken(member, by)]) yield { ...value, [name]: other };
  }
}

const wordless = { toString: 1, valueOf: 1 };
const wishes = { "x-gateway-adapt": "1", "x-gateway-allow-drop": "tools" };

test.each([wordless, { a: 1 }])(
  "a provider's arguments that are an object count by their JSON: %j",
  (given) => {
    const bytes = JSON.stringify(given).length;
    expect(messageBytes({ tool_calls: [{ function: { name: "f", arguments: given } }] })).toBe(bytes + 1);
    const call = { type: "function_call", name: "f", arguments: given };
    expect(outputBytes({ output: [call] })).toBe(bytes + 1);
    const message = { type: "message", content: [{ text: given }] };
    expect(outputBytes({ output: [message] })).toBe(bytes);
  },
);

describe.each(speeches)("a client of %s", (client) => {
  test.each(speeches)("whose model is at a provider of %s", async (provider) => {
    const model = modelOf(provider);
    const bodies = members[client].flatMap((member) =>
      [wordless, [wordless]].flatMap((by) => [...broken(member, by)]),
    );
    for (const body of bodies as Json[]) {
      for (const headers of [{ authorization }, { authorization, ...wishes }]) {
        const said = client === "gemini" ? {} : { model };
        const sent = { ...said, ...least[client], ...body };
        const { status } = await call(serve, pathOf(client, model, false), { headers, body: sent });
        expect(status, JSON.stringify(sent)).toBeLessThan(500);
      }
    }
    expect(logs.filter(({ event }) => event === "internal")).toEqual([]);
  });
});
