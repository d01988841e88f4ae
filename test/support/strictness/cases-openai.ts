/** Bodies that break the rules of OpenAI's two protocols, and bodies next to them that do not. */

import { issueSignature } from "#infra/local/demo/strictness/signatures.ts";
import { type Case, hello, stops } from "./cases.ts";

const functions = [{ type: "function", function: { name: "weather" } }];
const called = {
  role: "assistant",
  tool_calls: [{ id: "call_1", type: "function", function: { name: "weather" } }],
};
const result = { role: "tool", tool_call_id: "call_1", content: "sunny" };
const item = { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" };
const output = { type: "function_call_output", call_id: "call_1", output: "sunny" };

export const chatCases: Case[] = [
  ["unknown members", "gpt-4.1", { top_k: 5 }, { seed: 5 }],
  ["max_tokens", "gpt-5.6-sol", { max_tokens: 100 }, { max_completion_tokens: 100 }],
  ["effort at a model that does not reason", "gpt-4o-mini", { reasoning_effort: "low" }, { max_tokens: 100 }],
  [
    "an unknown word for effort",
    "gpt-5.6-luna",
    { reasoning_effort: "minimal" },
    { reasoning_effort: "xhigh" },
  ],
  [
    "tools beside reasoning",
    "gpt-5.6-terra",
    { tools: functions },
    { tools: functions, reasoning_effort: "none" },
  ],
  ["tools beside reasoning", "gpt-5.4", { tools: functions, reasoning_effort: "low" }, { tools: functions }],
  [
    "temperature while reasoning",
    "gpt-5.6-sol",
    { temperature: 0.2 },
    { temperature: 0.2, reasoning_effort: "none" },
  ],
  [
    "temperature while reasoning",
    "gpt-5.4-mini",
    { temperature: 0.2, reasoning_effort: "low" },
    { temperature: 0.2 },
  ],
  ["sampling while reasoning", "o3", { top_p: 0.9 }, { temperature: 1 }],
  ["stop", "gpt-5.4", { stop: "END" }, {}],
  ["more than four stops", "gpt-4.1", { stop: stops(5) }, { stop: stops(4) }],
  [
    "calls without results",
    "gpt-4.1",
    { messages: [...hello, called, ...hello] },
    { messages: [...hello, called, result] },
  ],
  [
    "results without calls",
    "gpt-4.1",
    { messages: [...hello, result] },
    { messages: [...hello, called, result] },
  ],
];

export const responsesCases: Case[] = [
  ["unknown members", "gpt-5.6-sol", { stop: ["END"] }, { store: false }],
  ["reasoning at a model that does not reason", "gpt-4.1", { reasoning: { effort: "low" } }, {}],
  [
    "an unknown word for effort",
    "gpt-5.4",
    { reasoning: { effort: "max" } },
    { reasoning: { effort: "none" } },
  ],
  [
    "sampling while reasoning",
    "gpt-5.6-sol",
    { top_p: 0.9 },
    { temperature: 0.2, reasoning: { effort: "none" } },
  ],
  ["fewer than 16 tokens", "gpt-4.1", { max_output_tokens: 15 }, { max_output_tokens: 16 }],
  [
    "foreign encrypted content",
    "gpt-5.6-sol",
    {
      input: [
        { type: "reasoning", summary: [], encrypted_content: issueSignature("anthropic", "It rains.") },
      ],
    },
    { input: [{ type: "reasoning", summary: [], encrypted_content: issueSignature("openai", "It rains.") }] },
  ],
  ["no input", "gpt-5.6-sol", { input: [] }, { input: [], previous_response_id: "resp_1" }],
  ["calls without results", "gpt-5.6-sol", { input: [item] }, { input: [item, output] }],
  [
    "results without calls",
    "gpt-5.6-sol",
    { input: [output] },
    { input: [output], previous_response_id: "resp_1" },
  ],
];
