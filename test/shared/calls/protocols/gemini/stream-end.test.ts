/**
 * Gemini's streams have no last frame. Google has written a finish reason on every chunk, and some translations
 * write one first, on an empty chunk. So an answer is whatever came until the provider closed.
 */
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { framesIn, modelOf, useCrossed } from "#test/support/crossed.ts";
import { sse } from "#test/support/scenario.ts";

type Json = Record<string, unknown>;

const crossed = useCrossed();
const words = ["One", " two", " three"];
const chunk = (parts: Json[], output: number): Json => ({
  responseId: "r",
  candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: output },
});
const spoken = words.map((text, index) => chunk([{ text }], index + 1));
const called = chunk([{ functionCall: { name: "now", args: {} } }], 4);
const usageAlone = { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 9 } };

/** A provider whose chunks come one read after the other. */
function sends(chunks: Json[], end: (response: ServerResponse) => void = (response) => response.end()): void {
  crossed.upstream.on(async (_, response) => {
    response.writeHead(200, sse);
    for (const each of chunks) {
      response.write(`data: ${JSON.stringify(each)}\n\n`);
      await pause(10);
    }
    end(response);
  });
}

const usage = () => crossed.memory.events[0]?.usage;

describe.each([
  ["on every chunk", spoken, 3],
  ["first on an empty chunk", [chunk([], 0), ...spoken], 3],
  ["before the usage", [...spoken, usageAlone], 9],
])("a finish reason %s", (_, chunks, output_tokens) => {
  test("passes through whole, and is billed for all of it", async () => {
    sends(chunks);
    const reply = await crossed.ask("gemini", "gemini", {}, true);
    expect(framesIn(reply.text)).toEqual(chunks);
    expect(crossed.memory.events[0]).toMatchObject({ outcome: "completed", evidence: "reported" });
    expect(usage()).toMatchObject({ input_tokens: 10, output_tokens });
  });

  test("crosses whole, and ends once", async () => {
    sends(chunks);
    const { text } = await crossed.ask("openai", "gemini", {}, true);
    const choices = framesIn(text).flatMap((each) => each.choices as Json[]);
    expect(choices.map(({ delta }) => (delta as Json).content ?? "").join("")).toBe(words.join(""));
    expect(choices.flatMap(({ finish_reason }) => finish_reason ?? [])).toEqual(["stop"]);
    expect(usage()).toMatchObject({ output_tokens });
  });
});

test("a call behind a finish reason is why the answer stops", async () => {
  sends([...spoken, called]);
  const { text } = await crossed.ask("anthropic", "gemini", {}, true);
  expect(framesIn(text).find(({ type }) => type === "message_delta")).toMatchObject({
    delta: { stop_reason: "tool_use" },
  });
});

test.each([
  ["keeps the socket open", () => {}],
  ["breaks the socket off", (response: ServerResponse) => response.destroy()],
])("a provider that %s after its finish reason has answered", async (_, end) => {
  sends(spoken.slice(0, 1), end);
  const reply = await crossed.ask("gemini", "gemini", {}, true);
  expect(framesIn(reply.text)).toEqual(spoken.slice(0, 1));
  expect(crossed.memory.events[0]).toMatchObject({
    outcome: "completed",
    model: modelOf("gemini"),
    usage: { output_tokens: 1 },
  });
});
