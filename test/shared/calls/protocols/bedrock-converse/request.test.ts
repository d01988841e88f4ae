/** Tools, settings and the fields of single makers (protocols.md §8.1, §8.4). */
import { describe, expect, test } from "vitest";
import type { Traits } from "#shared/books/catalog/traits.ts";
import type { ChatRequest } from "#shared/calls/chat/request.ts";
import { answered, result, said, text, tools, written } from "#test/support/converse.ts";

describe("tools", () => {
  const none = { tool_choice: { type: "none" } } as const;

  test("are left out where none may be called", () => {
    const { body, dropped } = written({ tools, ...none });
    expect([body.toolConfig, dropped]).toEqual([undefined, ["tools"]]);
  });

  test("stay in a conversation with calls, and the choice is lost by name", () => {
    const { body, dropped } = written({
      tools,
      ...none,
      messages: [said(text("A")), answered, said(result())],
    });
    expect(body.toolConfig?.tools).toHaveLength(1);
    expect(body.toolConfig?.toolChoice).toBeUndefined();
    expect(dropped).toEqual(["tool_choice"]);
  });

  test("have a choice in Converse's words", () => {
    const choiceOf = (tool_choice: NonNullable<ChatRequest["tool_choice"]>) =>
      written({ tools, tool_choice }).body.toolConfig?.toolChoice;
    expect(choiceOf({ type: "auto" })).toEqual({ auto: {} });
    expect(choiceOf({ type: "required" })).toEqual({ any: {} });
    expect(choiceOf({ type: "tool", name: "f" })).toEqual({ tool: { name: "f" } });
    expect(written({ tool_choice: { type: "auto" } }).dropped).toEqual(["tool_choice"]);
  });

  test("have no empty description, and say that they are strict", () => {
    const [spec] =
      written({ tools: [{ name: "f", description: "", strict: true }] }).body.toolConfig?.tools ?? [];
    expect(spec).toEqual({
      toolSpec: { name: "f", strict: true, inputSchema: { json: { type: "object", properties: {} } } },
    });
  });
});

describe("settings", () => {
  test("that Converse does not have are named", () => {
    const { dropped } = written({
      seed: 7,
      user: "ann",
      top_k: 5,
      tools,
      parallel_tool_calls: false,
      format: { type: "json" },
      reasoning: { effort: "low" },
    });
    expect(dropped).toEqual(["format", "parallel_tool_calls", "reasoning", "seed", "top_k", "user"]);
  });

  test("lose nothing where a client wants no reasoning, and the model does none", () => {
    expect(written({ reasoning: { effort: "none" } }).dropped).toEqual([]);
    expect(written({ reasoning: { include: false } }).dropped).toEqual([]);
  });

  test("have a temperature of 1 at most", () => {
    expect(written({ temperature: 1.2 })).toMatchObject({
      body: { inferenceConfig: { temperature: 1 } },
      dropped: ["temperature"],
    });
  });

  test("bound the answer by the model's maximum", () => {
    expect(written({}).body.inferenceConfig.maxTokens).toBe(4_000);
    expect(written({ max_output_tokens: 9_000 }).body.inferenceConfig.maxTokens).toBe(4_000);
    expect(written({ max_output_tokens: 9 }).body.inferenceConfig.maxTokens).toBe(9);
  });

  test("go through the catalog's guardrail", () => {
    expect(written({}, { guardrail: { id: "abc", version: "1" } }).body.guardrailConfig).toEqual({
      guardrailIdentifier: "abc",
      guardrailVersion: "1",
    });
  });

  test("ask Claude alone which stop sequence it met", () => {
    const asked = (traits: Traits) =>
      written({ stop: ["END"] }, traits).body.additionalModelResponseFieldPaths;
    expect(asked({ family: "claude" })).toEqual(["/stop_sequence"]);
    expect(asked({ family: "nova" })).toBeUndefined();
  });
});

describe("fields of one maker", () => {
  const own = (more: Partial<ChatRequest>, traits: Traits) => {
    const { body, dropped } = written(more, traits);
    return [body.additionalModelRequestFields, dropped];
  };
  const claude: Traits = { family: "claude" };
  const budgets: Traits = {
    family: "claude",
    reasoning: { forms: ["budget"], budget_tokens: { min: 1_024, max: 8_000 } },
  };

  test.each<[Traits["family"], object]>([
    ["claude", { top_k: 5 }],
    ["nova", { inferenceConfig: { topK: 5 } }],
  ])("%s takes top_k", (family, fields) => {
    expect(own({ top_k: 5 }, { family: family as "claude" })).toEqual([fields, []]);
    const refused: Traits = { family: family as "claude", sampling: { refused: ["top_k"] } };
    expect(own({ top_k: 5 }, refused)).toEqual([undefined, ["top_k"]]);
  });

  test.each<[string, ChatRequest["reasoning"], Traits, object | undefined, string[]]>([
    [
      "a word",
      { effort: "high" },
      claude,
      { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
      [],
    ],
    [
      "a word that Claude does not have",
      { effort: "minimal" },
      claude,
      { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
      ["reasoning.effort"],
    ],
    [
      "a budget, for words",
      { budget_tokens: 2_000 },
      claude,
      { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
      ["reasoning.budget_tokens"],
    ],
    [
      "a budget",
      { budget_tokens: 2_000 },
      budgets,
      { thinking: { type: "enabled", budget_tokens: 2_000 } },
      [],
    ],
    [
      "a budget beyond the most",
      { budget_tokens: 9_000 },
      budgets,
      { thinking: { type: "enabled", budget_tokens: 3_999 } },
      ["reasoning.budget_tokens"],
    ],
    [
      "a word, for budgets",
      { effort: "low" },
      budgets,
      { thinking: { type: "enabled", budget_tokens: 1_024 } },
      [],
    ],
    ["none", { effort: "none" }, claude, undefined, []],
    [
      "none, where it reasons by default",
      { effort: "none" },
      { ...claude, reasoning: { forms: ["adaptive"], by_default: true } },
      { thinking: { type: "disabled" } },
      [],
    ],
    [
      "none, where it always reasons",
      { effort: "none" },
      { family: "gpt_oss", reasoning: { forms: ["effort"], efforts: ["low"], always: true } },
      undefined,
      ["reasoning.effort"],
    ],
    [
      "a word, for Nova",
      { effort: "medium" },
      { family: "nova" },
      { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } },
      [],
    ],
    [
      "a word with which Nova takes no maximum",
      { effort: "high" },
      { family: "nova" },
      { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } },
      ["reasoning.effort"],
    ],
    ["a word, for gpt-oss", { effort: "high" }, { family: "gpt_oss" }, { reasoning_effort: "high" }, []],
    [
      "anything, for a model that does not reason",
      { effort: "high" },
      { family: "nova", reasoning: { forms: [] } },
      undefined,
      ["reasoning"],
    ],
  ])("ask for reasoning by %s", (_, reasoning, traits, fields, dropped) => {
    expect(own({ ...(reasoning && { reasoning }) }, traits)).toEqual([fields, dropped]);
  });

  test("leave the sampling out while Claude thinks", () => {
    const asked = { temperature: 0.5, top_p: 0.9, top_k: 5, reasoning: { effort: "low" } } as const;
    const { body, dropped } = written(asked, claude);
    expect(body.inferenceConfig).toEqual({ maxTokens: 4_000 });
    expect(body.additionalModelRequestFields).not.toHaveProperty("top_k");
    expect(dropped).toEqual(["temperature", "top_k", "top_p"]);
    const stated: Traits = { ...claude, sampling: { refused_reasoning: ["temperature", "top_k"] } };
    expect(written(asked, stated).body.inferenceConfig).toEqual({ maxTokens: 4_000, topP: 0.9 });
  });

  test("give way to a forced call, and in a loop that began without thinking", () => {
    const forced = { tools, tool_choice: { type: "required" }, reasoning: { effort: "low" } } as const;
    expect(own(forced, claude)).toEqual([undefined, ["reasoning"]]);
    expect(own(forced, { family: "gpt_oss" })).toEqual([{ reasoning_effort: "low" }, []]);
    const loop: Partial<ChatRequest> = {
      tools,
      messages: [said(text("A")), answered, said(result())],
      reasoning: { effort: "low" },
    };
    expect(own(loop, budgets)).toEqual([undefined, ["reasoning"]]);
    expect(own(loop, claude)[0]).toMatchObject({ thinking: { type: "adaptive" } });
  });
});
