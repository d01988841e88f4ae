/** Calls that switch on what has a price of its own: models with every rate and with none, in every protocol. */
import { type Answer, call } from "./call.ts";
import { flat, perImage, switched } from "./prices.ts";
import { chatPath, messages, type Scenario } from "./scenario.ts";

export const priced = "test/priced";
export const bare = "test/bare";

const about = {
  created: 1_760_000_000,
  owned_by: "test",
  channels: [{ provider: "test", model: "upstream-model" }],
};
const chatting = {
  ...about,
  capabilities: ["chat", "stream"],
  context_tokens: 200_000,
  output_tokens: 8_192,
};

/** The tools that the protocols' tests switch on, at a price each; Google's is charged once a request. */
const tools = {
  web_search: "0.01",
  code_interpreter: "0.03",
  code_interpreter_4g: "0.12",
  image_generation: "0.25",
  code_execution: "0.05",
};
const rates = { ...switched.rates, cache_write_12h: "4", tools, tools_once: { google_search: "0.035" } };

/** A catalog with a model of each kind with all rates, one with none, and one that is only reached across. */
export function switchCatalog(url: string): object {
  const protocols = { openai: `${url}/v1`, responses: `${url}/v1`, anthropic: url, gemini: url };
  const talk = { protocols: { openai: `${url}/v1` }, secret: "TEST_API_KEY" };
  const image = { ...about, capabilities: ["images"], context_tokens: 0, output_tokens: 0 };
  const across = [{ provider: "talk", model: "upstream-model" }];
  return {
    version: "2026-11-21",
    providers: { test: { protocols, secret: "TEST_API_KEY" }, talk },
    models: [
      { id: priced, display_name: "Priced", price: { ...flat, rates }, ...chatting },
      { id: bare, display_name: "Bare", price: flat, ...chatting },
      { id: "test/across", display_name: "Across", price: flat, ...chatting, channels: across },
      { id: "test/drawn", display_name: "Drawn", price: { ...perImage, rates: { tools } }, ...image },
      { id: "test/bare-drawn", display_name: "Bare drawn", price: perImage, ...image },
    ],
    plans: {},
  };
}

/** Where each protocol is spoken, and its plainest body. Gemini's model stands in the path. */
export const ways = {
  chat: { path: () => chatPath, body: { messages } },
  anthropic: { path: () => "/v1/messages", body: { messages, max_tokens: 100 } },
  responses: { path: () => "/v1/responses", body: { input: "Hello" } },
  gemini: {
    path: (model: string, stream = false) =>
      `/api/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  },
  images: { path: () => "/v1/images/generations", body: { prompt: "a cat" } },
} as const;

export type Way = keyof typeof ways;

/** A call in a protocol with what it switches on. */
export function switchOn(
  scenario: Scenario,
  way: Way,
  model: string,
  change: object = {},
  stream = false,
): Promise<Answer> {
  const { path, body } = ways[way];
  const named = way === "gemini" ? {} : { model, ...(stream && { stream: true }) };
  return call(scenario.serve, path(model, stream), {
    headers: scenario.bearer(),
    body: { ...named, ...body, ...change },
  });
}
