/**
 * DeepSeek, xAI, Moonshot and Alibaba. Usages and ids are those of recorded answers: the fixtures of vercel/ai of 2026-08-22
 * (packages/VENDOR), or the thread that is named.
 */
import type { Dialect } from "./dialect.ts";
import { error } from "./error.ts";

export const models: Dialect[] = [
  {
    vendor: "deepseek",
    model: "deepseek-v4-pro",
    source:
      "vercel/ai packages/deepseek; api-docs.deepseek.com/quick_start/error_codes, /guides/thinking_mode",
    reports: [
      {
        usage: {
          prompt_tokens: 339,
          completion_tokens: 83,
          total_tokens: 422,
          prompt_tokens_details: { cached_tokens: 320 },
          completion_tokens_details: { reasoning_tokens: 39 },
          prompt_cache_hit_tokens: 320,
          prompt_cache_miss_tokens: 19,
        },
        means: { input: 19, cached: 320, output: 83, reasoning: 39 },
      },
      {
        usage: {
          prompt_tokens: 18,
          completion_tokens: 219,
          total_tokens: 237,
          prompt_cache_hit_tokens: 0,
          prompt_cache_miss_tokens: 18,
        },
        means: { input: 18, output: 219 },
      },
    ],
    usageAt: "finish_chunk",
    reasoningAt: "reasoning_content",
    replayedAt: "reasoning_content",
    callId: "call_00_4Jk2pX9wQ1vRsYtU",
    traits: {
      reasoning: {
        forms: ["effort", "switch"],
        efforts: ["high", "max"],
        by_default: true,
        tool_choice: ["auto", "none"],
      },
    },
    beside: { system_fingerprint: "fp_eaab8d114b_prod0820_fp8_kvcache" },
    comments: [": keep-alive\n\n"],
    failures: {
      key: {
        status: 401,
        body: error("Authentication Fails (governor)", "authentication_error", "invalid_request_error"),
      },
      // Aider-AI/aider#4851
      money: { status: 402, body: error("Insufficient Balance", "unknown_error", "invalid_request_error") },
      context: {
        status: 400,
        body: error(
          "This model's maximum context length is 131072 tokens. However, you requested 139162 tokens (130970 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
          "invalid_request_error",
          "invalid_request_error",
        ),
      },
      limit: { status: 429, body: error("Rate limit reached", "rate_limit_error", "rate_limit_error") },
    },
  },
  {
    vendor: "xai",
    model: "grok-4.3",
    source: "vercel/ai packages/xai, convert-xai-chat-usage.test.ts",
    reports: [
      {
        usage: {
          prompt_tokens: 291,
          completion_tokens: 26,
          total_tokens: 513,
          prompt_tokens_details: { text_tokens: 291, audio_tokens: 0, image_tokens: 0, cached_tokens: 290 },
          completion_tokens_details: {
            reasoning_tokens: 196,
            audio_tokens: 0,
            accepted_prediction_tokens: 0,
            rejected_prediction_tokens: 0,
          },
          num_sources_used: 0,
          cost_in_usd_ticks: 1_330_500,
        },
        means: { input: 1, cached: 290, output: 222, reasoning: 196 },
      },
      {
        // The cache is larger than the prompt, so it is beside it.
        usage: {
          prompt_tokens: 4142,
          completion_tokens: 254,
          total_tokens: 8724,
          prompt_tokens_details: { cached_tokens: 4328 },
        },
        means: { input: 4142, cached: 4328, output: 254 },
      },
      {
        usage: {
          prompt_tokens: 4142,
          completion_tokens: 54,
          total_tokens: 8724,
          prompt_tokens_details: { cached_tokens: 4328 },
          completion_tokens_details: { reasoning_tokens: 200 },
        },
        means: { input: 4142, cached: 4328, output: 254, reasoning: 200 },
      },
    ],
    usageAt: "asked_chunk",
    reasoningAt: "reasoning_content",
    replayedAt: "reasoning_content",
    callId: "call_93562515",
    failures: {
      // continuedev/continue#10373
      money: {
        status: 429,
        body: {
          code: "Some resource has been exhausted",
          error:
            "Your team 16f2151a-40f4-4a80-8ad0-cae00c27e8dd has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit.",
        },
      },
      // cline/cline#3120
      context: {
        status: 400,
        body: {
          code: "Client specified an invalid argument",
          error: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
        },
      },
    },
  },
  {
    vendor: "moonshot",
    model: "kimi-k2.6",
    source: "northes/go-moonshot#17, earendil-works/pi#2017; vercel/ai packages/moonshotai",
    reports: [
      {
        usage: { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32, cached_tokens: 7 },
        means: { input: 12, cached: 7, output: 13 },
      },
      {
        usage: {
          prompt_tokens: 9,
          completion_tokens: 12,
          total_tokens: 21,
          completion_tokens_details: { reasoning_tokens: 7 },
        },
        means: { input: 9, output: 12, reasoning: 7 },
      },
    ],
    usageAt: "choice",
    reasoningAt: "reasoning_content",
    replayedAt: "reasoning_content",
    callId: "get_weather:0",
    failures: {
      // MoonshotAI/kimi-cli#2011
      context: {
        status: 400,
        body: error(
          "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
          "invalid_request_error",
        ),
      },
      money: {
        status: 429,
        body: error(
          "Your account org-abc is suspended, please check your plan and billing details",
          "exceeded_current_quota_error",
        ),
      },
      key: { status: 401, body: error("Invalid Authentication", "invalid_authentication_error") },
      limit: {
        status: 429,
        body: error("Your account reached max request", "rate_limit_reached_error"),
      },
    },
  },
  {
    vendor: "alibaba",
    model: "qwen3-max",
    source: "vercel/ai packages/alibaba",
    reports: [
      {
        usage: {
          prompt_tokens: 24,
          completion_tokens: 1355,
          total_tokens: 1379,
          completion_tokens_details: { reasoning_tokens: 1084 },
          prompt_tokens_details: { cached_tokens: 0 },
        },
        means: { input: 24, output: 1355, reasoning: 1084 },
      },
      {
        usage: {
          prompt_tokens: 2000,
          completion_tokens: 22,
          total_tokens: 2022,
          prompt_tokens_details: {
            cached_tokens: 1200,
            cache_creation_input_tokens: 500,
            cache_type: "ephemeral",
          },
        },
        means: { input: 300, cached: 1200, stored: 500, output: 22 },
      },
    ],
    usageAt: "asked_chunk",
    reasoningAt: "reasoning_content",
    replayedAt: "reasoning_content",
    callId: "call_8a5b1f0c4f1d4e0c9b7a1d2e",
    traits: { reasoning: { forms: ["switch"], tool_choice: ["auto", "none"] } },
    failures: {
      // agentscope-ai/QwenPaw#6255
      context: {
        status: 400,
        body: {
          ...error(
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]",
            "invalid_request_error",
            "invalid_parameter_error",
          ),
          request_id: "81a373d6-28bd-9968-8335-e22a2127c41b",
        },
      },
      money: {
        status: 400,
        body: error(
          "Access denied, please make sure your account is in good standing.",
          "Arrearage",
          "Arrearage",
        ),
      },
      key: {
        status: 401,
        body: error("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
      },
      limit: {
        status: 429,
        body: error("You exceeded your current requests list.", "limit_requests", "limit_requests"),
      },
    },
  },
];
