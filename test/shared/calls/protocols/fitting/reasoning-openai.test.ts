/** Every way of asking for reasoning in OpenAI's two protocols: what is sent, and what is named as changed. */
import { describe } from "vitest";
import { reasoningRows } from "#test/support/reasoning-rows.ts";

type Json = Record<string, unknown>;

describe("OpenAI chat's forms", () => {
  const word = (reasoning_effort: string) => ({ reasoning_effort });
  const thinking = (type: string, more: Json = {}) => ({ thinking: { type, ...more } });
  reasoningRows("openai-chat", { model: "m", messages: [], max_completion_tokens: 10_000 }, [
    ["openai/gpt-5.6-sol", word("high"), word("high"), []],
    ["openai/gpt-5.6-sol", word("minimal"), word("low"), ["reasoning_effort"]],
    ["openai/gpt-5.6-sol", word("max"), word("xhigh"), ["reasoning_effort"]],
    ["openai/gpt-5.6-sol", word("none"), word("none"), []],
    ["openai/gpt-5.6-sol", thinking("disabled"), word("none"), ["thinking"]],
    ["openai/gpt-5.6-sol", thinking("enabled"), word("medium"), ["thinking"]],
    ["openai/gpt-5.6-sol", thinking("enabled", { budget_tokens: 9_000 }), word("high"), ["thinking"]],
    ["openai/gpt-5.6-sol", thinking("auto"), {}, ["thinking"]],
    ["openai/gpt-5.6-sol", { ...word("low"), ...thinking("enabled") }, word("low"), ["thinking"]],
    ["openai/gpt-4.1", word("high"), {}, ["reasoning_effort"]],
    ["openai/gpt-4.1", { ...word("none"), ...thinking("disabled") }, {}, ["reasoning_effort", "thinking"]],
    ["zhipu/glm-4-7", word("high"), thinking("enabled"), ["reasoning_effort"]],
    ["zhipu/glm-4-7", word("none"), thinking("disabled"), ["reasoning_effort"]],
    [
      "zhipu/glm-4-7",
      { ...word("high"), ...thinking("disabled") },
      thinking("disabled"),
      ["reasoning_effort"],
    ],
    [
      "zhipu/glm-4-7",
      thinking("enabled", { budget_tokens: 9_000 }),
      thinking("enabled"),
      ["thinking.budget_tokens"],
    ],
    ["volcengine/doubao-seed-1-8-251228", word("xhigh"), word("high"), ["reasoning_effort"]],
    ["volcengine/doubao-seed-1-8-251228", word("none"), thinking("disabled"), ["reasoning_effort"]],
    ["volcengine/doubao-seed-1-8-251228", thinking("auto"), thinking("auto"), []],
    ["volcengine/doubao-seed-1-8-251228", thinking("adaptive"), thinking("enabled"), ["thinking.type"]],
    [
      "volcengine/doubao-seed-1-8-251228",
      thinking("enabled", { budget_tokens: 9_000 }),
      { ...thinking("enabled"), ...word("high") },
      ["thinking.budget_tokens"],
    ],
    ["minimax/MiniMax-M2", word("high"), {}, ["reasoning_effort"]],
    ["minimax/MiniMax-M3", word("high"), thinking("adaptive"), ["reasoning_effort"]],
    ["minimax/MiniMax-M3", thinking("enabled"), thinking("adaptive"), ["thinking.type"]],
    ["minimax/MiniMax-M3", word("none"), thinking("disabled"), ["reasoning_effort"]],
    [
      { reasoning: { forms: ["budget"] } },
      word("high"),
      thinking("enabled", { budget_tokens: 9_999 }),
      ["reasoning_effort"],
    ],
    [
      { reasoning: { forms: ["effort"], efforts: ["low", "high"], always: true } },
      word("none"),
      word("low"),
      ["reasoning_effort"],
    ],
    [{}, { ...word("odd"), ...thinking("odd") }, { ...word("odd"), ...thinking("odd") }, []],
  ]);

  const tools = [{ type: "function", function: { name: "f" } }];
  reasoningRows("openai-chat", { model: "m", messages: [], tools }, [
    ["openai/gpt-5.6-sol", {}, word("none"), ["reasoning_effort"]],
    ["openai/gpt-5.6-sol", word("high"), word("none"), ["reasoning_effort"]],
    ["openai/gpt-5.4", {}, {}, []],
    ["openai/gpt-5.4", word("high"), word("none"), ["reasoning_effort"]],
    ["openai/gpt-4.1", {}, {}, []],
  ]);
});

describe("Responses' forms", () => {
  const reasoning = (word: string, more: Json = {}) => ({ reasoning: { effort: word, ...more } });
  const include = ["reasoning.encrypted_content"];
  reasoningRows("openai-responses", { model: "m", input: "?", max_output_tokens: 10_000 }, [
    [
      "openai/gpt-5.6-sol",
      reasoning("minimal", { summary: "auto" }),
      reasoning("low", { summary: "auto" }),
      ["reasoning.effort"],
    ],
    [
      "openai/gpt-5.6-sol",
      { ...reasoning("high"), tools: [{ type: "function", name: "f" }] },
      reasoning("high"),
      [],
    ],
    ["openai/gpt-4.1", { ...reasoning("high"), include }, {}, ["reasoning.effort", "include"]],
    [
      "openai/gpt-4.1",
      { reasoning: { summary: "auto" }, include: [...include, "x"] },
      { include: ["x"] },
      ["reasoning", "include"],
    ],
    [
      "volcengine/doubao-seed-1-8-251228",
      reasoning("none"),
      { thinking: { type: "disabled" } },
      ["reasoning.effort"],
    ],
  ]);
});
