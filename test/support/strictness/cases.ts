/** What the cases of the rules share. */

import type { Json } from "#infra/local/demo/strictness/rule.ts";
import type { Addressed, Vendor } from "#infra/local/demo/strictness.ts";

/** The rule, a model and what it refuses beside the vendor's plain request; then what it takes in its place. */
export type Case = [
  rule: string,
  model: string,
  refused: Json,
  taken: Json,
  headers?: Record<string, string>,
];

export const hello = [{ role: "user", content: "Hello" }];

/** Vendors of OpenAI's chat form. */
const addressedVendors = [
  ...(["deepseek", "moonshot", "alibaba", "xai", "mistral", "cohere", "groq", "cerebras"] as const),
  ...(["openrouter", "siliconflow", "deepinfra"] as const),
] satisfies Addressed[];

const addressedBases = Object.fromEntries(
  addressedVendors.map((vendor) => [vendor, { messages: hello }]),
) as unknown as Record<Addressed, Json>;

/** A plain request of each vendor. */
export const bases: Record<Vendor, Json> = {
  ...addressedBases,
  openai: { messages: hello },
  responses: { input: "Hello" },
  anthropic: { max_tokens: 2000, messages: hello },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  converse: { messages: [{ role: "user", content: [{ text: "Hello" }] }] },
  zhipu: { messages: hello },
  ark: { messages: hello },
  minimax: { messages: hello },
};

export const stops = (count: number) => Array.from({ length: count }, (_, index) => `END${index}`);
