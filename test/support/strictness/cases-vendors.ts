/** The rules of single vendors of OpenAI's chat form: what each refuses, and what it takes in its place. */
import type { Json } from "#infra/local/demo/strictness/rule.ts";
import type { Addressed } from "#infra/local/demo/strictness.ts";
import { type Case, hello, stops } from "./cases.ts";

const call = { id: "abcdefghi", type: "function", function: { name: "f", arguments: "{}" } };
const result = { role: "tool", tool_call_id: "abcdefghi", content: "1" };
/** A conversation whose model's turn has this beside a call. */
const called = (turn: Json, ...behind: Json[]): Json => ({
  messages: [...hello, { role: "assistant", content: "", tool_calls: [call], ...turn }, result, ...behind],
});
const said = (turn: Json): Json => ({
  messages: [...hello, { role: "assistant", content: "Hi", ...turn }, ...hello],
});
const thought = { reasoning_content: "Hm." };
const off = { thinking: { type: "disabled" } };
const unsupported = "members that are not supported";
const forced = { tool_choice: "required" };

export const vendorCases: Record<Addressed, Case[]> = {
  deepseek: [
    ["a turn without its reasoning", "deepseek-v4-pro", said({}), said(thought)],
    ["a turn without its reasoning", "deepseek-v4-flash", said({}), { ...said({}), ...off }],
    ["a forced tool while it thinks", "deepseek-v4-pro", forced, { ...forced, ...off }],
    ["more than sixteen stops", "deepseek-v4-pro", { stop: stops(17) }, { stop: stops(16) }],
  ],
  moonshot: [
    ["calls without their reasoning", "kimi-k2.6", called({}), called(thought)],
    ["calls without their reasoning", "kimi-k2.5", called({}), { ...called({}), ...off }],
    ["a tool that must be called", "kimi-k2.6", forced, { tool_choice: "auto" }],
    ["a temperature above 1", "kimi-k2.6", { temperature: 1.1 }, { temperature: 1 }],
    [
      "both ways to ask for reasoning",
      "kimi-k2.6",
      { ...off, reasoning_effort: "high" },
      { reasoning_effort: "high" },
    ],
  ],
  alibaba: [
    ["a forced tool while it thinks", "qwen3-max", { ...forced, enable_thinking: true }, forced],
    [
      "a forced tool while it thinks",
      "qwen3-max",
      { tool_choice: { type: "function" }, enable_thinking: true },
      { tool_choice: "auto", enable_thinking: true },
    ],
  ],
  xai: [[unsupported, "grok-4.3", { stop: "END" }, { presence_penalty: 1 }]],
  mistral: [
    ["unknown members", "m", { stream_options: { include_usage: true } }, { random_seed: 1 }],
    ["unknown members", "m", { max_completion_tokens: 9 }, { max_tokens: 9 }],
    ["unknown members of a turn", "m", said(thought), said({})],
    ["ids of calls", "m", called({ tool_calls: [{ ...call, id: "call_1" }] }), called({})],
    [
      "the user after a tool",
      "m",
      called({}, ...hello),
      called({}, { role: "assistant", content: "OK" }, ...hello),
    ],
    ["an effort between none and high", "m", { reasoning_effort: "low" }, { reasoning_effort: "high" }],
  ],
  cohere: [
    [unsupported, "c", { parallel_tool_calls: false }, { user: "u" }],
    ["an effort between none and high", "c", { reasoning_effort: "low" }, { reasoning_effort: "none" }],
  ],
  groq: [
    ["unknown members of a turn", "g", said(thought), said({ reasoning: "Hm." })],
    [unsupported, "g", { metadata: {} }, { user: "u" }],
  ],
  cerebras: [["a temperature above 1.5", "c", { temperature: 1.6 }, { temperature: 1.5 }]],
  openrouter: [
    [
      "an effort and a budget",
      "o",
      { reasoning: { effort: "high", max_tokens: 2000 } },
      { reasoning: { max_tokens: 2000 } },
    ],
  ],
  siliconflow: [["a budget out of its range", "s", { thinking_budget: 127 }, { thinking_budget: 128 }]],
  deepinfra: [["a choice of tool other than auto and none", "d", forced, { tool_choice: "none" }]],
};
