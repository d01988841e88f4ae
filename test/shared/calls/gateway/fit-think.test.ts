/** Reasoning that a model writes into its text, through the gateway: taken out on crossings, left alone otherwise. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { framesIn, least, pathOf } from "#test/support/crossed.ts";
import { createMemory } from "#test/support/memory.ts";
import { sse } from "#test/support/scenario.ts";
import { catalogAt } from "#test/support/traits.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

const model = "minimax/MiniMax-M2";
const usage = { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 };
const content = "<think>\nTwo and two.\n</think>\n\nFour.";

let upstream: Upstream;
let serve: Pipeline;
let headers: Record<string, string>;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());
beforeEach(() => {
  upstream.reset();
  const memory = createMemory(catalogAt(upstream.url));
  headers = { authorization: `Bearer ${memory.addKey()}`, "content-type": "application/json" };
  serve = createPipeline({} as LocalAnswers, memory.deps);
});

function answerWhole(): string {
  const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
  const reply = { id: "c", object: "chat.completion", created: 1, model: "m", choices, usage };
  upstream.json(reply);
  return JSON.stringify(reply);
}

function answerStreamed(): string {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const pieces = content.match(/[\s\S]{1,3}/g) ?? [];
  const chunks = [...pieces.map((piece) => chunk({ content: piece })), { ...chunk({}, "stop"), usage }];
  const text = `${chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("")}data: [DONE]\n\n`;
  upstream.on((_, response) => void response.writeHead(200, sse).end(text));
  return text;
}

test("crosses as reasoning, whole", async () => {
  answerWhole();
  const answer = await call(serve, pathOf("responses", model, false), {
    headers,
    body: { model, ...least.responses },
  });
  expect(answer.json().output).toMatchObject([
    { type: "reasoning" },
    { type: "message", content: [{ text: "Four." }] },
  ]);
  expect(answer.text).toContain("Two and two.");
  expect(answer.text).not.toContain("think>");
});

test("crosses as reasoning, streamed, wherever the tags are cut", async () => {
  answerStreamed();
  const answer = await call(serve, pathOf("gemini", model, true), { headers, body: least.gemini });
  const parts = framesIn(answer.text).flatMap((frame) => {
    const [candidate] = frame.candidates as {
      content?: { parts?: { text?: string; thought?: true }[] };
    }[];
    return candidate?.content?.parts ?? [];
  });
  const textOf = (thought: boolean) =>
    parts
      .filter((part) => (part.thought ?? false) === thought)
      .map(({ text = "" }) => text)
      .join("");
  expect(textOf(true)).toBe("Two and two.");
  expect(textOf(false)).toBe("Four.");
});

test("is left as it came for a client of the provider's own protocol", async () => {
  const reply = answerWhole();
  const body = { model, ...least.openai };
  expect((await call(serve, pathOf("openai", model, false), { headers, body })).text).toBe(reply);
  const text = answerStreamed();
  const streamed = await call(serve, pathOf("openai", model, true), {
    headers,
    body: { ...body, stream: true },
  });
  expect(streamed.text).toBe(text);
});
