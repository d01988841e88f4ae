/** Bodies that break the rules of Anthropic, and bodies next to them that do not. */

import type { Json } from "#infra/local/demo/strictness/rule.ts";
import { issueSignature } from "#infra/local/demo/strictness/signatures.ts";
import { type Case, hello } from "./cases.ts";

const format = (schema: Json) => ({ output_config: { format: { type: "json_schema", schema } } });
const thinking = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } });
/** A conversation of Claude's whose last turn is the result of a tool. */
const claudeLoop = (blocks: Json[], id = "toolu_1") => ({
  tools: [{ name: "weather", input_schema: { type: "object" } }],
  messages: [
    ...hello,
    { role: "assistant", content: [...blocks, { type: "tool_use", id, name: "weather", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "sunny" }] },
  ],
});
const thought = (signature?: string) => ({
  type: "thinking",
  thinking: "It rains.",
  ...(signature === undefined ? {} : { signature }),
});

export const claudeCases: Case[] = [
  ["unknown members", "claude-opus-4-8", { n: 1 }, { metadata: {} }],
  ["no max_tokens", "claude-haiku-4-5", { max_tokens: undefined }, {}],
  [
    "sampling in the version of 2026-10-21",
    "claude-haiku-4-5",
    { temperature: 1 },
    {},
    { "anthropic-version": "2026-10-21" },
  ],
  ["effort", "claude-haiku-4-5-20251001", { output_config: { effort: "low" } }, thinking(1024)],
  [
    "an unknown word for effort",
    "claude-opus-4-8",
    { output_config: { effort: "minimal" } },
    { output_config: { effort: "xhigh" } },
  ],
  [
    "xhigh",
    "claude-sonnet-4-6",
    { output_config: { effort: "xhigh" } },
    { output_config: { effort: "max" } },
  ],
  [
    "adaptive thinking",
    "claude-haiku-4-5",
    { thinking: { type: "adaptive" } },
    { thinking: { type: "disabled" } },
  ],
  [
    "a budget where thinking is adaptive",
    "claude-opus-4-8",
    thinking(1024),
    { thinking: { type: "adaptive" } },
  ],
  [
    "thinking turned off",
    "claude-fable-5",
    { thinking: { type: "disabled" } },
    { thinking: { type: "adaptive" } },
  ],
  ["a budget below 1024", "claude-sonnet-4-6", thinking(1023), thinking(1024)],
  ["a budget above max_tokens", "claude-haiku-4-5", thinking(2000), thinking(1999)],
  ["sampling where it is gone", "claude-fable-5", { top_k: 5 }, { temperature: 1 }],
  ["temperature beside top_p", "claude-sonnet-4-6", { temperature: 0.2, top_p: 0.9 }, { top_p: 0.9 }],
  [
    "sampling beside thinking",
    "claude-haiku-4-5",
    { ...thinking(1024), temperature: 0.2 },
    { ...thinking(1024), top_p: 0.97 },
  ],
  ["temperature above 1", "claude-haiku-4-5", { temperature: 1.5 }, { temperature: 1 }],
  [
    "a forced tool beside a budget",
    "claude-sonnet-4-6",
    { ...thinking(1024), tool_choice: { type: "any" } },
    { thinking: { type: "adaptive" }, tool_choice: { type: "any" } },
  ],
  [
    "keywords of a schema",
    "claude-haiku-4-5",
    format({ type: "integer", minimum: 1 }),
    {
      tools: [
        {
          name: "weather",
          input_schema: { type: "object", properties: { n: { type: "integer", minimum: 1 } } },
        },
      ],
    },
  ],
  [
    "open objects in a schema",
    "claude-haiku-4-5",
    format({ type: "object" }),
    format({ type: "object", additionalProperties: false }),
  ],
  [
    "a first turn that is not the user's",
    "claude-haiku-4-5",
    { messages: [{ role: "assistant", content: "Hi" }, ...hello] },
    {},
  ],
  ["texts without a word", "claude-haiku-4-5", { messages: [{ role: "user", content: "" }] }, {}],
  [
    "a last turn that is the model's",
    "claude-sonnet-4-6",
    { messages: [...hello, { role: "assistant", content: "Hi" }] },
    { messages: [...hello, { role: "assistant", content: "Hi" }, ...hello] },
  ],
  ["ids of tools", "claude-haiku-4-5", claudeLoop([], "call.1"), claudeLoop([], "call_1")],
  [
    "calls without results",
    "claude-haiku-4-5",
    { ...claudeLoop([]), messages: [...claudeLoop([]).messages.slice(0, 2), ...hello] },
    claudeLoop([]),
  ],
  [
    "results without calls",
    "claude-haiku-4-5",
    { ...claudeLoop([]), messages: claudeLoop([]).messages.slice(2) },
    claudeLoop([]),
  ],
  [
    "an id of two calls",
    "claude-haiku-4-5",
    { ...claudeLoop([]), messages: [...claudeLoop([]).messages, ...claudeLoop([]).messages.slice(1)] },
    {
      ...claudeLoop([]),
      messages: [...claudeLoop([]).messages, ...claudeLoop([], "toolu_2").messages.slice(1)],
    },
  ],
  ["calls without tools", "claude-haiku-4-5", { messages: claudeLoop([]).messages }, claudeLoop([])],
  [
    "thinking without a signature",
    "claude-haiku-4-5",
    claudeLoop([thought()]),
    claudeLoop([thought(issueSignature("anthropic", "It rains."))]),
  ],
  [
    "a foreign signature",
    "claude-haiku-4-5",
    claudeLoop([thought(issueSignature("gemini", "It rains."))]),
    claudeLoop([thought(issueSignature("anthropic", "It rains."))]),
  ],
  [
    "a loop of tools without its thinking",
    "claude-haiku-4-5",
    { ...thinking(1024), ...claudeLoop([]) },
    { ...thinking(1024), ...claudeLoop([thought(issueSignature("anthropic", "It rains."))]) },
  ],
];
