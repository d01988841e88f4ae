/** Mistral and Cohere, from the same places as `facts-models.ts`. */
import type { Dialect } from "./dialect.ts";

export const labs: Dialect[] = [
  {
    vendor: "mistral",
    model: "mistral-small-latest",
    source: "vercel/ai packages/mistral; nearai/ironclaw#1241, anon-kode#53",
    reports: [
      {
        usage: {
          prompt_tokens: 171,
          total_tokens: 185,
          completion_tokens: 14,
          prompt_tokens_details: { cached_tokens: 128 },
        },
        means: { input: 43, cached: 128, output: 14 },
      },
      {
        usage: { prompt_tokens: 10, total_tokens: 56, completion_tokens: 46, num_cached_tokens: 4 },
        means: { input: 6, cached: 4, output: 46 },
      },
      {
        usage: {
          prompt_tokens: 10,
          total_tokens: 56,
          completion_tokens: 46,
          prompt_token_details: { cached_tokens: 3 },
        },
        means: { input: 7, cached: 3, output: 46 },
      },
    ],
    usageAt: "finish_chunk",
    reasoningAt: "thinking_parts",
    replayedAt: "thinking_parts",
    callId: "gSIMJiOkT",
    traits: { reasoning: { forms: ["effort"], efforts: ["none", "high"] } },
    failures: {
      context: {
        status: 400,
        body: {
          object: "error",
          message:
            "Prompt contains 300000 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
          type: "invalid_request_prompt",
          param: null,
          code: "3051",
        },
      },
      key: { status: 401, body: { detail: "Unauthorized" } },
      limit: {
        status: 429,
        headers: { "ratelimitbysize-remaining": "0", "ratelimitbysize-reset": "28" },
        body: {
          object: "error",
          message: "Rate limit exceeded",
          type: "rate_limited",
          param: null,
          code: "1300",
        },
        wait_ms: 28_000,
      },
    },
  },
  {
    vendor: "cohere",
    model: "command-a-reasoning-08-2025",
    source: "docs.cohere.com/docs/compatibility-api; UKGovernmentBEIS/inspect_ai (words of a long prompt)",
    reports: [
      {
        usage: { prompt_tokens: 11, completion_tokens: 29, total_tokens: 40 },
        means: { input: 11, output: 29 },
      },
    ],
    usageAt: "asked_chunk",
    callId: "weather_9hx5qc1n4mfd",
    traits: { reasoning: { forms: ["effort"], efforts: ["none", "high"] } },
    failures: {
      context: {
        status: 400,
        body: { id: "5d1f", message: "too many tokens: size limit exceeded by 1021 tokens." },
      },
      key: { status: 401, body: { id: "5d1f", message: "invalid api token" } },
      limit: { status: 429, body: { id: "5d1f", message: "trial token rate limit exceeded" } },
    },
  },
];
