/** Requests that need every rule of a dialect, as clients of each protocol send them. */
import type { Speech } from "#test/support/crossed.ts";
import type { Json } from "#test/support/vendor-answers.ts";
import { callArguments } from "./played.ts";

const schema = { type: "object", properties: { city: { type: "string" } } };
const id = "toolu_01LZKXnBrwGoBVgQBEQ1EJRP";
const user = (text: string) => ({ role: "user", content: text });
/** As many stop sequences as no vendor takes. */
const stops = Array.from({ length: 20 }, (_, index) => `END${index}`);

/**
 * A conversation that few vendors take as it is. Its model has called a tool without readable reasoning. Words of the user
 * follow the result, and some wishes are granted by few.
 */
export const hard: Record<Exclude<Speech, "openai">, Json> = {
  anthropic: {
    max_tokens: 4000,
    metadata: { user_id: "somebody" },
    stop_sequences: stops,
    thinking: { type: "enabled", budget_tokens: 2000 },
    tools: [{ name: "get_weather", input_schema: schema }],
    messages: [
      user("Hello"),
      user("What is the weather in Paris?"),
      {
        role: "assistant",
        content: [{ type: "tool_use", id, name: "get_weather", input: JSON.parse(callArguments) as Json }],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: id, content: "Sunny" },
          { type: "text", text: "And tomorrow?" },
        ],
      },
    ],
  },
  responses: {
    max_output_tokens: 4000,
    store: false,
    parallel_tool_calls: false,
    tools: [{ type: "function", name: "get_weather", parameters: schema, strict: false }],
    tool_choice: "required",
    input: [
      user("Hello"),
      { role: "developer", content: "Be brief." },
      { type: "function_call", call_id: id, name: "get_weather", arguments: callArguments },
      { type: "function_call_output", call_id: id, output: "Sunny" },
      user("And tomorrow?"),
    ],
  },
  gemini: {
    generationConfig: {
      seed: 7,
      temperature: 1.9,
      maxOutputTokens: 4000,
      responseMimeType: "application/json",
      responseJsonSchema: schema,
      thinkingConfig: { thinkingLevel: "low" },
    },
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
  },
};

/** What clients of OpenAI's form send to a model that is to take it (`x-gateway-adapt`). */
export const adapted: Json = {
  max_completion_tokens: 4000,
  store: false,
  metadata: { a: "b" },
  service_tier: "auto",
  user: "somebody",
  seed: 7,
  temperature: 1.9,
  logit_bias: { 1: 1 },
  logprobs: true,
  top_logprobs: 2,
  frequency_penalty: 0.5,
  parallel_tool_calls: false,
  reasoning_effort: "low",
  tool_choice: "required",
  tools: [{ type: "function", function: { name: "get_weather", parameters: schema } }],
  messages: [
    user("Hello"),
    {
      role: "assistant",
      content: "",
      reasoning_content: "Hm.",
      tool_calls: [
        { id: "abcdefghi", type: "function", function: { name: "get_weather", arguments: callArguments } },
      ],
    },
    { role: "tool", tool_call_id: "abcdefghi", content: "Sunny" },
  ],
};
