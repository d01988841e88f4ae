/** Requests in the provider's own protocol: byte for byte, or made to fit where the client asks for it. */
import { describe, expect, test } from "vitest";
import type { Speech } from "#test/support/crossed.ts";
import { adapt, droppedIn, useFitting } from "#test/support/fit.ts";

type Json = Record<string, unknown>;

const haiku = "anthropic/claude-haiku-4-5";
const opus = "anthropic/claude-opus-4-8";
const glm = "zhipu/glm-4-7";
const minimax = "minimax/MiniMax-M2";
const openaiTools = [
  { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } },
];

const fitting = useFitting();

describe("a request in the provider's own protocol", () => {
  const asked =
    '{ "max_tokens": 9000,\n "messages":[{"role":"user","content":"Hi"}] , "temperature":0.10, "metadata":{"user_id":"u"},"model":"anthropic/claude-opus-4-8","thinking":{"type":"enabled","budget_tokens":2000,"display":"omitted"}, "big":12345678901234567890}';

  test("is sent byte for byte, whatever the model takes", async () => {
    const answer = await fitting.ask("anthropic", opus, asked);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(fitting.sent())).toBe(
      JSON.stringify({ ...JSON.parse(asked), model: "claude-opus-4-8" }),
    );
  });

  test("changes only in what does not fit where the client asks for it, and the change is named", async () => {
    const bytes = asked.replace(', "big":12345678901234567890', "");
    const answer = await fitting.ask("anthropic", opus, bytes, adapt);
    expect(answer.status).toBe(200);
    expect(fitting.sent()).toEqual({
      max_tokens: 9_000,
      messages: [{ role: "user", content: "Hi" }],
      metadata: { user_id: "u" },
      model: "claude-opus-4-8",
      thinking: { type: "adaptive", display: "omitted" },
      output_config: { effort: "low" },
    });
    expect(droppedIn(answer)).toEqual(["temperature", "thinking.budget_tokens"]);
    expect(fitting.vendors.requests.at(-1)?.headers).not.toHaveProperty("x-gateway-adapt");
  });

  test("that fits already is sent byte for byte with the header too", async () => {
    const bytes =
      '{"model":"openai/gpt-5.6-luna", "messages":[{"role":"user","content":"Hi"}],"seed": 1.0e2 }';
    const answer = await fitting.ask("openai", "", bytes, adapt);
    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty("x-gateway-dropped");
  });

  test.each<[client: Speech, model: string, asked: Json, sent: Json, dropped: string[]]>([
    [
      "openai",
      "openai/gpt-5.4",
      { max_tokens: 50, stop: ["a"] },
      { max_completion_tokens: 50 },
      ["max_tokens", "stop"],
    ],
    [
      "openai",
      "openai/gpt-5.6-sol",
      { tools: openaiTools, reasoning_effort: "high" },
      { reasoning_effort: "none" },
      ["reasoning_effort"],
    ],
    [
      "openai",
      glm,
      { tool_choice: "required", tools: openaiTools, temperature: 1.4 },
      { temperature: 1 },
      ["tool_choice", "temperature"],
    ],
    [
      "gemini",
      "google/gemini-2.5-pro",
      { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } },
      { generationConfig: { thinkingConfig: { thinkingBudget: 128 } } },
      ["generationConfig.thinkingConfig.thinkingBudget"],
    ],
    ["responses", "openai/gpt-4.1", { reasoning: { effort: "low" } }, {}, ["reasoning.effort"]],
    ["anthropic", haiku, { temperature: 0.1, top_p: 0.9 }, { temperature: 0.1 }, ["top_p"]],
  ])("%s at %s with the header: %j", async (client, model, asked, expected, names) => {
    const plain = await fitting.ask(client, model, asked);
    expect(plain.status).toBe(400);
    const answer = await fitting.ask(client, model, asked, adapt);
    expect(answer.status).toBe(200);
    expect(fitting.sent()).toMatchObject(expected);
    expect(droppedIn(answer)).toEqual(names.toSorted());
  });

  test.each(["0", "true", ""])("a header of %j is refused, and nothing is held", async (value) => {
    const answer = await fitting.ask("openai", "openai/gpt-4.1", {}, { "x-gateway-adapt": value });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("The only value of x-gateway-adapt is `1`.");
    expect(fitting.memory.holds).toEqual([]);
  });

  test("a picture that the model does not take is refused before anything is held", async () => {
    const source = { type: "url", url: "https://a.test/b.png" };
    const body = { messages: [{ role: "user", content: [{ type: "image", source }] }] };
    const answer = await fitting.ask("anthropic", minimax, body, adapt);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("`messages[0].content[0]` is an image by its address.");
    expect(fitting.memory.holds).toEqual([]);
  });

  test("more stop sequences than the model takes are refused, and the message says how many it takes", async () => {
    const answer = await fitting.ask("openai", glm, { stop: ["a", "b"] }, adapt);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("`stop` has 2 stop sequences, and this model takes at most 1.");
    expect(fitting.memory.holds).toEqual([]);
  });
});
