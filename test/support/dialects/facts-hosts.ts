/** Vendors that serve models of others, from the same places as `facts-models.ts`. */
import type { Dialect } from "./dialect.ts";

export const hosts: Dialect[] = [
  {
    vendor: "openrouter",
    model: "anthropic/claude-sonnet-4.6",
    source:
      "openrouter.ai/docs (usage accounting, reasoning tokens, errors); open-assistant-org/open-assistant#80",
    reports: [
      {
        usage: {
          prompt_tokens: 194,
          completion_tokens: 20,
          total_tokens: 214,
          cost: 0.00095,
          is_byok: false,
          prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 50, audio_tokens: 0 },
          cost_details: { upstream_inference_cost: null },
          completion_tokens_details: { reasoning_tokens: 8, image_tokens: 0 },
        },
        means: { input: 44, cached: 100, stored: 50, output: 20, reasoning: 8 },
      },
    ],
    usageAt: "last_chunk",
    reasoningAt: "details",
    replayedAt: "details",
    callId: "toolu_vrtx_01LZKXnBrwGoBVgQBEQ1EJRP",
    beside: { provider: "Anthropic" },
    comments: [": OPENROUTER PROCESSING\n\n"],
    failures: {
      money: {
        status: 402,
        body: {
          error: {
            message: "Insufficient credits. Add more using https://openrouter.ai/settings/credits",
            code: 402,
          },
        },
      },
      key: { status: 401, body: { error: { message: "No auth credentials found", code: 401 } } },
      context: {
        status: 400,
        body: {
          error: {
            message:
              'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 537812 tokens (537812 of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
            code: 400,
          },
        },
      },
      limit: {
        status: 429,
        headers: { "x-ratelimit-limit": "20", "x-ratelimit-remaining": "0" },
        body: { error: { message: "Rate limit exceeded: free-models-per-min.", code: 429 } },
      },
    },
  },
  {
    vendor: "groq",
    model: "qwen/qwen3-32b",
    source: "vercel/ai packages/groq; groq-python (service tiers)",
    reports: [
      {
        usage: {
          queue_time: 0.171721454,
          prompt_tokens: 17,
          prompt_time: 0.000792801,
          completion_tokens: 1107,
          completion_time: 3.206170277,
          total_tokens: 1124,
          total_time: 3.206963078,
          completion_tokens_details: { reasoning_tokens: 963 },
        },
        means: { input: 17, output: 1107, reasoning: 963 },
      },
      {
        usage: {
          prompt_tokens: 210,
          completion_tokens: 15,
          total_tokens: 225,
          prompt_tokens_details: { cached_tokens: 128 },
        },
        means: { input: 82, cached: 128, output: 15 },
      },
    ],
    usageAt: "x_groq",
    reasoningAt: "reasoning",
    replayedAt: "reasoning",
    callId: "tk85n1k4m",
    beside: { service_tier: "on_demand" },
    traits: { reasoning: { forms: ["effort"], efforts: ["none", "low", "medium", "high"] } },
    failures: {
      // thepersonalaicompany/amurex-backend#51
      context: {
        status: 400,
        body: {
          error: {
            message: "Please reduce the length of the messages or completion.",
            type: "invalid_request_error",
            param: "messages",
            code: "context_length_exceeded",
          },
        },
      },
      key: {
        status: 401,
        body: {
          error: { message: "Invalid API Key", type: "invalid_request_error", code: "invalid_api_key" },
        },
      },
      // elizaOS/eliza#4040
      limit: {
        status: 429,
        headers: {
          "retry-after": "5",
          "x-ratelimit-remaining-tokens": "0",
          "x-ratelimit-reset-tokens": "4.77s",
        },
        body: {
          error: {
            message:
              "Rate limit reached for model `llama-3.1-8b-instant` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.",
            type: "tokens",
            code: "rate_limit_exceeded",
          },
        },
        wait_ms: 5_000,
      },
    },
  },
];
