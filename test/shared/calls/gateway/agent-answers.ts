/**
 * What Perplexity's Agent API answers, from its OpenAPI document and a stream that the AI SDK's tests have recorded
 * (docs.perplexity.ai/api-reference/agent-post; vercel/ai packages/perplexity, agent-web-search).
 */
import type { Json } from "../../../support/vendor-answers.ts";

export const words = ["It is", " sunny."];
const query = "weather in Paris";
const results = [{ id: 1, url: "https://a.example", title: "A", snippet: "Sunny.", source: "web" }];
const callId = "call_20a572ff-9a87-4df3-9fb1-ea54e5688352";

/** The report of a call: 3,007 tokens of input with 3,004 out of the cache, and as many searches. */
export const report = (searches: number): Json => ({
  input_tokens: 3007,
  input_tokens_details: {
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 3004,
    cached_tokens: 3004,
  },
  output_tokens: 37,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 3044,
  cost: {
    currency: "USD",
    input_cost: 0,
    output_cost: 0.00009,
    cache_read_cost: 0.00019,
    total_cost: 0.00028,
  },
  ...(searches > 0 && { tool_calls_details: { search_web: { invocation: searches, cost_usd: 0.0025 } } }),
});

/** What such a call costs in points, with each search. */
export const costs = [
  { searches: 0, points: "0.000281" },
  { searches: 1, points: "0.002781" },
  { searches: 3, points: "0.007781" },
] as const;

const found = { type: "search_results", queries: [query], results };
const message = {
  ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
  content: [{ type: "output_text", text: words.join(""), annotations: [] }],
};
export const calls = {
  ...{ type: "function_call", id: "fc_1", call_id: callId, name: "get_weather", status: "completed" },
  arguments: '{"city":"Paris"}',
};

/** A response of these items. */
export const response = (output: Json[], usage: Json | null, status = "completed"): Json => ({
  ...{ id: "resp_5619693e", object: "response", created_at: 1_790_374_575, model: "perplexity/sonar" },
  ...{ status, output, usage, error: null, service_tier: "default", tools: [], store: false },
});

/** A whole answer after so many searches. */
export const answered = (searches: number): Json =>
  response([...(searches > 0 ? [found] : []), message], report(searches));

/** The same as the frames of a stream. A search is shown as the call of a function first. */
export function framesOf(last: Json): string[] {
  const items = last.output as Json[];
  const searched = items.includes(found);
  const begun = response([], null, "in_progress");
  const shown = { ...calls, name: "search_web", arguments: JSON.stringify({ queries: [query] }) };
  const at = (item: Json): Json => ({ output_index: items.indexOf(item) });
  const events: Json[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...(searched
      ? [
          { type: "response.output_item.added", ...at(found), item: shown },
          { type: "response.reasoning.search_queries", queries: [query], thought: "Searching the web..." },
          { type: "response.reasoning.search_results", results, thought: "Found 1 results" },
          { type: "response.output_item.done", ...at(found), item: found },
        ]
      : []),
    ...items.flatMap((item) => (item === found ? [] : partsOf(item, at(item)))),
    { type: "response.completed", response: last },
  ];
  return events.map((event, sequence_number) => `data: ${JSON.stringify({ ...event, sequence_number })}\n\n`);
}

function partsOf(item: Json, at: Json): Json[] {
  const isCall = item.type === "function_call";
  const deltas = isCall ? [] : words;
  return [
    { type: "response.output_item.added", ...at, item: isCall ? item : { ...item, content: null } },
    ...deltas.map((delta) => ({
      ...{ type: "response.output_text.delta", ...at, item_id: item.id, content_index: 0, delta },
    })),
    { type: "response.output_item.done", ...at, item },
  ];
}
