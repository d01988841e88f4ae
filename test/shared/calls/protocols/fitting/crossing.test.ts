/** Requests that cross, made to fit: models and providers of the default catalog refuse what the real ones refuse. */
import { describe, expect, test } from "vitest";
import type { Speech } from "#test/support/crossed.ts";
import { droppedIn, useFitting } from "#test/support/fit.ts";

type Json = Record<string, unknown>;

const haiku = "anthropic/claude-haiku-4-5";
const opus = "anthropic/claude-opus-4-8";
const glm = "zhipu/glm-4-7";
const doubao = "volcengine/doubao-seed-1-8-251228";
const minimax = "minimax/MiniMax-M2";
const tools = [{ name: "f", description: "", input_schema: { type: "object", properties: {} } }];
const openaiTools = [
  { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } },
];

const fitting = useFitting();

describe("a request that crosses", () => {
  test.each<[client: Speech, model: string, asked: Json, sent: Json, dropped: string[]]>([
    [
      "openai",
      haiku,
      { reasoning_effort: "high" },
      { thinking: { type: "enabled", budget_tokens: 24_576 } },
      [],
    ],
    [
      "responses",
      haiku,
      { reasoning: { effort: "low" } },
      { thinking: { type: "enabled", budget_tokens: 1_024 } },
      [],
    ],
    [
      "gemini",
      haiku,
      { generationConfig: { thinkingConfig: { thinkingLevel: "MEDIUM" } } },
      { thinking: { type: "enabled", budget_tokens: 8_192 } },
      [],
    ],
    [
      "openai",
      "anthropic/claude-sonnet-4-6",
      { reasoning_effort: "max" },
      { thinking: { type: "adaptive" }, output_config: { effort: "max" } },
      [],
    ],
    [
      "responses",
      "anthropic/claude-sonnet-4-6",
      { reasoning: { effort: "xhigh" } },
      { output_config: { effort: "high" } },
      ["reasoning.effort"],
    ],
    [
      "anthropic",
      "openai/gpt-5.6-sol",
      { thinking: { type: "adaptive" }, output_config: { effort: "max" } },
      { reasoning_effort: "xhigh" },
      ["reasoning.effort"],
    ],
    [
      "gemini",
      opus,
      { generationConfig: { thinkingConfig: { thinkingBudget: 4_000 } } },
      { thinking: { type: "adaptive" }, output_config: { effort: "medium" } },
      ["reasoning.budget_tokens"],
    ],
    ["openai", opus, { reasoning_effort: "none" }, { thinking: { type: "disabled" } }, []],
    [
      "openai",
      "anthropic/claude-fable-5",
      { reasoning_effort: "none" },
      { thinking: undefined },
      ["reasoning"],
    ],
    ["openai", haiku, { temperature: 0.2, top_p: 0.9 }, { temperature: 0.2, top_p: undefined }, ["top_p"]],
    [
      "openai",
      opus,
      { temperature: 0.2, top_p: 0.9 },
      { temperature: undefined, top_p: undefined },
      ["temperature", "top_p"],
    ],
    [
      "openai",
      haiku,
      { temperature: 0.2, top_p: 0.9, reasoning_effort: "low", max_completion_tokens: 900 },
      { temperature: 0.2, top_p: undefined, thinking: undefined, max_tokens: 900 },
      ["reasoning", "top_p"],
    ],
    [
      "openai",
      haiku,
      { reasoning_effort: "low", tools: openaiTools, tool_choice: "required" },
      { thinking: undefined, tool_choice: { type: "any" } },
      ["reasoning"],
    ],
    [
      "openai",
      opus,
      { reasoning_effort: "low", tools: openaiTools, tool_choice: "required" },
      { thinking: { type: "adaptive" }, tool_choice: { type: "any" } },
      [],
    ],
    [
      "anthropic",
      "openai/gpt-4.1",
      { thinking: { type: "enabled", budget_tokens: 2_000 }, top_k: 5 },
      { reasoning_effort: undefined },
      ["top_k", "reasoning.budget_tokens", "reasoning.effort"],
    ],
    [
      "anthropic",
      "openai/gpt-5.4",
      { thinking: { type: "enabled", budget_tokens: 2_000 }, temperature: 0.5 },
      { reasoning_effort: "low", temperature: undefined },
      ["reasoning.budget_tokens", "temperature"],
    ],
    ["anthropic", "openai/gpt-5.4", { stop_sequences: ["a"] }, { stop: undefined }, []],
    ["anthropic", glm, { stop_sequences: ["a", "b"] }, { stop: ["a"] }, []],
    [
      "anthropic",
      glm,
      { temperature: 1 },
      { max_tokens: 100, max_completion_tokens: undefined, temperature: 1 },
      [],
    ],
    ["anthropic", glm, { tools, tool_choice: { type: "any" } }, { tool_choice: undefined }, ["tool_choice"]],
    [
      "anthropic",
      glm,
      { tools, tool_choice: { type: "none" } },
      { tool_choice: undefined, tools: undefined },
      ["tool_choice", "tools"],
    ],
    ["responses", glm, { temperature: 1.5 }, { temperature: 1 }, ["temperature"]],
    [
      "responses",
      glm,
      { text: { format: { type: "json_schema", name: "n", schema: { type: "object" } } } },
      { response_format: { type: "json_object" } },
      ["format.schema"],
    ],
    [
      "anthropic",
      doubao,
      { thinking: { type: "disabled" } },
      { thinking: { type: "disabled" }, reasoning_effort: undefined },
      [],
    ],
    [
      "anthropic",
      "google/gemini-2.5-flash",
      { thinking: { type: "enabled", budget_tokens: 50_000 }, max_tokens: 60_000 },
      { generationConfig: { maxOutputTokens: 60_000, thinkingConfig: { thinkingBudget: 24_576 } } },
      ["reasoning.budget_tokens"],
    ],
    [
      "openai",
      "google/gemini-2.5-flash",
      { reasoning_effort: "medium" },
      { generationConfig: { thinkingConfig: { thinkingBudget: 8_192 } } },
      [],
    ],
    [
      "openai",
      "google/gemini-3.1-pro-preview",
      { reasoning_effort: "none" },
      { generationConfig: { thinkingConfig: { thinkingLevel: "LOW" } } },
      ["reasoning.effort"],
    ],
  ])("%s → %s: %j", async (client, model, asked, expected, names) => {
    const answer = await fitting.ask(client, model, asked);
    expect(answer.status, answer.text).toBe(200);
    for (const [name, value] of Object.entries(expected)) {
      if (value === undefined) expect(fitting.sent()).not.toHaveProperty(name);
      else if (Array.isArray(value) || typeof value !== "object") expect(fitting.sent()[name]).toEqual(value);
      else expect(fitting.sent()[name]).toMatchObject(value as Json);
    }
    expect(droppedIn(answer)).toEqual(names.toSorted());
  });

  test("keywords of a schema that the model refuses are left out by name", async () => {
    const schema = { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };
    const format = { type: "json_schema", json_schema: { name: "n", strict: true, schema } };
    const answer = await fitting.ask("openai", haiku, { response_format: format });
    expect(answer.status).toBe(200);
    expect(fitting.sent().output_config).toMatchObject({
      format: { schema: { properties: { n: { type: "integer" } } } },
    });
    expect(droppedIn(answer)).toEqual(["format.name", "format.schema.minimum"]);
  });

  test("with tools it reaches a model that takes them beside reasoning in the Responses API only there", async () => {
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    const answer = await fitting.ask("anthropic", "openai/gpt-5.6-sol", { thinking, tools });
    expect(answer.status).toBe(200);
    expect(fitting.vendors.requests.at(-1)?.path).toBe("/v1/responses");
    expect(fitting.sent().reasoning).toMatchObject({ effort: "low" });
    await fitting.ask("anthropic", "openai/gpt-5.6-sol", {});
    expect(fitting.vendors.requests.at(-1)?.path).toBe("/v1/chat/completions");
  });

  test.each<[client: Speech, body: Json, place: string]>([
    [
      "gemini",
      {
        contents: [
          {
            parts: [{ text: "?" }, { fileData: { fileUri: "https://a.test/b.png", mimeType: "image/png" } }],
          },
        ],
      },
      "contents[0].parts[1]",
    ],
    [
      "responses",
      {
        input: [
          { role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,aGk=" }] },
        ],
      },
      "input[0].content[0]",
    ],
  ])(
    "%s: a picture for a model that takes none is refused, and nothing is held",
    async (client, body, place) => {
      const answer = await fitting.ask(client, minimax, body);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(`\`${place}\` is an image`);
      expect(answer.text).toContain("This model takes no images.");
      expect(fitting.memory.holds).toEqual([]);
      expect(fitting.vendors.requests).toEqual([]);
    },
  );
});
