/** Every way of asking Claude and Gemini for reasoning: what is sent, and what is named as changed. */
import { describe, expect, test } from "vitest";
import type { Traits } from "#shared/books/catalog/traits.ts";
import { reasoningRows } from "#test/support/reasoning-rows.ts";
import { fitted, traitsOf } from "#test/support/traits.ts";

type Json = Record<string, unknown>;

const haiku = "anthropic/claude-haiku-4-5";
const sonnet = "anthropic/claude-sonnet-4-6";
const opus = "anthropic/claude-opus-4-8";
const fable = "anthropic/claude-fable-5";
const adaptive = { type: "adaptive" };
const budget = (budget_tokens: number) => ({ type: "enabled", budget_tokens });
const effort = (word: string) => ({ output_config: { effort: word } });
/** Claude Opus 4.5 takes words and budgets, and decides nothing itself. */
const opus45: Traits = {
  reasoning: {
    forms: ["effort", "budget"],
    efforts: ["low", "medium", "high"],
    budget_tokens: { min: 1024, max: 63999 },
  },
};

describe("Anthropic's forms", () => {
  reasoningRows("anthropic", { model: "m", max_tokens: 40_000, messages: [] }, [
    [
      haiku,
      { thinking: adaptive, ...effort("high") },
      { thinking: budget(24_576) },
      ["thinking.type", "output_config.effort"],
    ],
    [
      haiku,
      { thinking: adaptive, ...effort("low") },
      { thinking: budget(1_024) },
      ["thinking.type", "output_config.effort"],
    ],
    [haiku, { thinking: adaptive }, { thinking: budget(8_192) }, ["thinking.type"]],
    [
      haiku,
      { thinking: { type: "adaptive", display: "omitted" } },
      { thinking: { ...budget(8_192), display: "omitted" } },
      ["thinking.type"],
    ],
    [haiku, { thinking: budget(2_000) }, { thinking: budget(2_000) }, []],
    [haiku, { thinking: budget(100_000) }, { thinking: budget(39_999) }, ["thinking.budget_tokens"]],
    [haiku, { thinking: budget(500) }, { thinking: budget(1_024) }, ["thinking.budget_tokens"]],
    [haiku, { max_tokens: 1_024, thinking: adaptive }, {}, ["thinking.type", "thinking"]],
    [haiku, { ...effort("high") }, {}, ["output_config.effort"]],
    [haiku, { thinking: { type: "disabled" } }, { thinking: { type: "disabled" } }, []],
    [sonnet, { thinking: budget(2_000) }, { thinking: budget(2_000) }, []],
    [
      sonnet,
      { thinking: adaptive, ...effort("xhigh") },
      { thinking: adaptive, ...effort("high") },
      ["output_config.effort"],
    ],
    [sonnet, { thinking: adaptive, ...effort("max") }, { thinking: adaptive, ...effort("max") }, []],
    [opus, { thinking: budget(2_000) }, { thinking: adaptive, ...effort("low") }, ["thinking.budget_tokens"]],
    [
      opus,
      { thinking: budget(8_000) },
      { thinking: adaptive, ...effort("medium") },
      ["thinking.budget_tokens"],
    ],
    [
      opus,
      { thinking: budget(32_000) },
      { thinking: adaptive, ...effort("high") },
      ["thinking.budget_tokens"],
    ],
    [
      opus,
      { thinking: budget(2_000), ...effort("max") },
      { thinking: adaptive, ...effort("max") },
      ["thinking.budget_tokens"],
    ],
    [opus, { thinking: { type: "disabled" } }, { thinking: { type: "disabled" } }, []],
    [opus, effort("high"), effort("high"), []],
    [fable, { thinking: { type: "disabled" } }, {}, ["thinking"]],
    [
      fable,
      { thinking: budget(2_000) },
      { thinking: adaptive, ...effort("low") },
      ["thinking.budget_tokens"],
    ],
    [
      opus45,
      { thinking: adaptive, ...effort("high") },
      { thinking: budget(24_576), ...effort("high") },
      ["thinking.type"],
    ],
    [
      opus45,
      { thinking: budget(2_000), ...effort("max") },
      { thinking: budget(2_000), ...effort("high") },
      ["output_config.effort"],
    ],
    [
      { reasoning: { forms: [] } },
      { thinking: budget(2_000), ...effort("low") },
      {},
      ["thinking", "output_config.effort"],
    ],
    ["minimax/MiniMax-M2", { thinking: budget(2_000) }, {}, ["thinking"]],
    ["minimax/MiniMax-M3", { thinking: budget(2_000) }, { thinking: adaptive }, ["thinking.budget_tokens"]],
    [{}, { thinking: budget(1), ...effort("odd") }, { thinking: budget(1), ...effort("odd") }, []],
  ]);

  const loop = [
    { role: "user", content: "?" },
    { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] },
  ];
  const signed = { type: "thinking", thinking: "hm", signature: "s" };
  const signedLoop = loop.map((turn, at) =>
    at === 1 ? { ...turn, content: [signed, ...(turn.content as Json[])] } : turn,
  );
  const tools = [{ name: "f", input_schema: { type: "object" } }];

  reasoningRows("anthropic", { model: "m", max_tokens: 40_000, tools, messages: loop }, [
    [haiku, { thinking: adaptive }, {}, ["thinking.type", "thinking"]],
    [haiku, { thinking: adaptive, messages: signedLoop }, { thinking: budget(8_192) }, ["thinking.type"]],
    [sonnet, { thinking: budget(2_000) }, {}, ["thinking"]],
    [sonnet, { thinking: adaptive }, { thinking: adaptive }, []],
  ]);

  test("a loop of tools without its signed thinking goes without a budget", () => {
    const body = { max_tokens: 9_000, messages: loop, thinking: budget(2_000) };
    expect(fitted("anthropic", body, traitsOf(haiku)).body).not.toHaveProperty("thinking");
    const { body: kept } = fitted("anthropic", { ...body, messages: signedLoop }, traitsOf(haiku));
    expect(kept).toMatchObject({ thinking: budget(2_000) });
  });

  const forced = { tool_choice: { type: "any" }, messages: [] };
  reasoningRows("anthropic", { model: "m", max_tokens: 40_000, tools, ...forced }, [
    [haiku, { thinking: budget(2_000) }, {}, ["thinking"]],
    [sonnet, { thinking: budget(2_000) }, {}, ["thinking"]],
    [sonnet, { thinking: adaptive }, { thinking: adaptive }, []],
    [opus, { thinking: adaptive }, { thinking: adaptive }, []],
  ]);
});

describe("Gemini's forms", () => {
  const config = (thinkingConfig: Json, more: Json = {}) => ({
    generationConfig: { ...more, thinkingConfig },
  });
  const level = (word: string) => config({ thinkingLevel: word });
  const tokens = (count: number) => config({ thinkingBudget: count });
  const at = (name: string) => `generationConfig.thinkingConfig.${name}`;
  const pro25 = "google/gemini-2.5-pro";
  const flash25 = "google/gemini-2.5-flash";
  const pro3 = "google/gemini-3.1-pro-preview";
  reasoningRows("gemini", { contents: [] }, [
    [pro25, level("HIGH"), tokens(24_576), [at("thinkingLevel")]],
    [pro25, level("low"), tokens(1_024), [at("thinkingLevel")]],
    [pro25, tokens(0), tokens(128), [at("thinkingBudget")]],
    [pro25, tokens(100_000), tokens(32_768), [at("thinkingBudget")]],
    [pro25, tokens(-1), tokens(-1), []],
    [flash25, tokens(0), tokens(0), []],
    [flash25, level("MINIMAL"), tokens(512), [at("thinkingLevel")]],
    [flash25, config({ thinkingBudget: 900, thinkingLevel: "LOW" }), tokens(900), [at("thinkingLevel")]],
    [
      flash25,
      config({ thinkingLevel: "HIGH" }, { maxOutputTokens: 1_000 }),
      config({ thinkingBudget: 999 }, { maxOutputTokens: 1_000 }),
      [at("thinkingLevel")],
    ],
    [
      pro25,
      config({ thinkingLevel: "HIGH" }, { maxOutputTokens: 100 }),
      config({ thinkingBudget: 128 }, { maxOutputTokens: 100 }),
      [at("thinkingLevel")],
    ],
    [pro3, level("MINIMAL"), level("LOW"), [at("thinkingLevel")]],
    [pro3, level("HIGH"), level("HIGH"), []],
    [pro3, tokens(0), level("LOW"), [at("thinkingBudget")]],
    [pro3, tokens(4_000), level("MEDIUM"), [at("thinkingBudget")]],
    [pro3, tokens(-1), {}, [at("thinkingBudget")]],
    [
      pro3,
      config({ thinkingBudget: -1, includeThoughts: true }),
      config({ includeThoughts: true }),
      [at("thinkingBudget")],
    ],
    [pro3, config({ thinkingBudget: 100, thinkingLevel: "HIGH" }), level("HIGH"), [at("thinkingBudget")]],
    [
      { reasoning: { forms: [] } },
      config({ includeThoughts: true, thinkingBudget: 9 }),
      {},
      ["generationConfig.thinkingConfig"],
    ],
    [{}, level("odd"), level("odd"), []],
  ]);

  test("members keep the spelling they came in", () => {
    const body = { generation_config: { top_k: 3, thinking_config: { thinking_level: "HIGH" } } };
    expect(fitted("gemini", body, traitsOf(flash25)).body).toEqual({
      generation_config: { top_k: 3, thinking_config: { thinkingBudget: 24_576 } },
    });
  });
});
