/** Bodies by chance with everything that a model may not take, in each protocol's own form. */
import fc from "fast-check";
import { effortWords } from "#shared/books/catalog/effort.ts";
import type { Room, Spoken } from "../../../../support/traits.ts";

type Json = Record<string, unknown>;

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
/** A body with the members that have a value. */
const bodyOf = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Json> =>
  fc.record(members, { noNullPrototype: true }).map((body) => JSON.parse(JSON.stringify(body)) as Json);

const word = fc.constantFrom(...effortWords);
const tokens = fc.integer({ min: 1, max: 70_000 });
const maximum = fc.integer({ min: 16, max: 64_000 });
const warmth = fc.constantFrom(0, 0.3, 1, 1.7);
const share = fc.constantFrom(0.1, 0.95, 1);
const stops = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 6 });
/** Schemas that every vendor takes of a strict tool, but for keywords. */
const schema = fc.constantFrom<Json>(
  { type: "object", additionalProperties: false, properties: { n: { type: "integer" } }, required: ["n"] },
  {
    type: "object",
    additionalProperties: false,
    properties: {
      minimum: { type: "integer", minimum: 1, maximum: 9 },
      s: { type: ["string", "null"], minLength: 2 },
    },
    required: ["minimum", "s"],
  },
);
/** Some vendors answer with a list. */
const answerSchema = fc.oneof(
  schema,
  fc.constant<Json>({
    type: "array",
    maxItems: 3,
    items: { anyOf: [{ type: "number", multipleOf: 0.5 }, { enum: [{ minLength: 1 }] }] },
  }),
);

const thinking = fc.oneof(
  fc.constantFrom({ type: "disabled" }, { type: "adaptive" }, { type: "enabled" }, { type: "auto" }),
  tokens.map((budget_tokens) => ({ type: "enabled", budget_tokens })),
);
const openaiChoice = fc.constantFrom<unknown>("auto", "none", "required", {
  type: "function",
  function: { name: "f" },
});
const openaiTools = schema.map((parameters) => [
  { type: "function", function: { name: "f", strict: true, parameters } },
]);

export const bodies: Record<Room, fc.Arbitrary<Json>> = {
  "openai-chat": bodyOf({
    messages: fc.constant([{ role: "user", content: "Hello" }]),
    reasoning_effort: some(word),
    max_tokens: some(maximum),
    max_completion_tokens: some(maximum),
    temperature: some(warmth),
    top_p: some(share),
    frequency_penalty: some(warmth),
    logprobs: some(fc.boolean()),
    seed: some(fc.nat()),
    stop: some(fc.oneof(fc.constant("a"), stops)),
    parallel_tool_calls: some(fc.boolean()),
    tools: some(openaiTools),
    tool_choice: some(openaiChoice),
    response_format: some(
      fc.oneof(
        fc.constantFrom<Json>({ type: "text" }, { type: "json_object" }),
        schema.map((inner) => ({ type: "json_schema", json_schema: { name: "n", schema: inner } })),
      ),
    ),
    store: some(fc.boolean()),
    service_tier: some(fc.constantFrom("auto", "flex")),
    metadata: fc.constant({ a: "b" }),
  }),
  anthropic: bodyOf({
    messages: fc.constant([{ role: "user", content: "Hello" }]),
    max_tokens: maximum,
    thinking: some(
      fc.oneof(
        fc.constantFrom<Json>({ type: "disabled" }, { type: "adaptive" }),
        tokens.map((budget_tokens) => ({ type: "enabled", budget_tokens })),
      ),
    ),
    output_config: some(
      bodyOf({
        effort: some(fc.constantFrom("low", "medium", "high", "xhigh", "max")),
        format: some(answerSchema.map((inner) => ({ type: "json_schema", schema: inner }))),
      }).filter((config) => Object.keys(config).length > 0),
    ),
    temperature: some(warmth),
    top_p: some(share),
    top_k: some(fc.nat(40)),
    stop_sequences: some(stops),
    tools: some(schema.map((input_schema) => [{ name: "f", strict: true, input_schema }])),
    tool_choice: some(
      bodyOf({ type: fc.constantFrom("auto", "any", "none"), disable_parallel_tool_use: some(fc.boolean()) }),
    ),
    service_tier: some(fc.constantFrom("auto", "standard_only")),
    metadata: fc.constant({ user_id: "u" }),
  }),
  gemini: bodyOf({
    contents: fc.constant([{ role: "user", parts: [{ text: "Hello" }] }]),
    generationConfig: bodyOf({
      thinkingConfig: some(
        bodyOf({
          thinkingLevel: some(fc.constantFrom("MINIMAL", "LOW", "MEDIUM", "HIGH")),
          thinkingBudget: some(fc.oneof(tokens, fc.constantFrom(-1, 0))),
          includeThoughts: some(fc.boolean()),
        }),
      ),
      maxOutputTokens: some(maximum),
      temperature: some(warmth),
      topP: some(share),
      topK: some(fc.nat(40)),
      seed: some(fc.nat()),
      stopSequences: some(stops),
      responseMimeType: fc.constant("application/json"),
      responseJsonSchema: some(answerSchema),
    }),
    toolConfig: some(
      bodyOf({ functionCallingConfig: bodyOf({ mode: fc.constantFrom("AUTO", "ANY", "NONE") }) }),
    ),
  }),
  "openai-responses": bodyOf({
    input: fc.constant("Hello"),
    reasoning: some(bodyOf({ effort: some(word), summary: some(fc.constant("auto")) })),
    include: some(fc.constantFrom(["reasoning.encrypted_content"], [])),
    max_output_tokens: some(maximum),
    temperature: some(warmth),
    top_p: some(share),
    parallel_tool_calls: some(fc.boolean()),
    tools: some(schema.map((parameters) => [{ type: "function", name: "f", strict: true, parameters }])),
    tool_choice: some(fc.constantFrom<unknown>("auto", "none", "required")),
    text: some(schema.map((inner) => ({ format: { type: "json_schema", name: "n", schema: inner } }))),
    store: some(fc.boolean()),
    service_tier: some(fc.constantFrom("auto", "flex")),
  }),
};

/** Bodies for a model. OpenAI knows nothing of `thinking`, which is its vendors' own. */
export const bodyFor = ({ room, vendor }: Spoken): fc.Arbitrary<Json> =>
  vendor === "ark" || vendor === "zhipu" || vendor === "minimax"
    ? room === "openai-chat"
      ? fc
          .tuple(bodies[room], some(thinking))
          .map(([body, said]) => ({ ...body, ...(said && { thinking: said }) }))
      : bodies[room]
    : bodies[room];
