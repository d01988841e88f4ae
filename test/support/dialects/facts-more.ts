/**
 * Vendors of whose counting no source says anything but what OpenAI does. Their usages are OpenAI's, and their models,
 * reasoning and errors those of the source.
 */
import type { Dialect, Failure } from "./dialect.ts";
import { error } from "./error.ts";

/** A report in OpenAI's own form. */
const report: Dialect["reports"][number] = {
  usage: {
    prompt_tokens: 300,
    completion_tokens: 41,
    total_tokens: 341,
    prompt_tokens_details: { cached_tokens: 200 },
    completion_tokens_details: { reasoning_tokens: 30 },
  },
  means: { input: 100, cached: 200, output: 41, reasoning: 30 },
};

const badKey: Failure = {
  status: 401,
  body: error("Invalid API key", "invalid_request_error", "invalid_api_key"),
};

const common = {
  reports: [report],
  usageAt: "asked_chunk",
  reasoningAt: "reasoning_content",
  replayedAt: "reasoning_content",
  callId: "call_5f1b2c",
} as const satisfies Partial<Dialect>;

export const more: Dialect[] = [
  {
    ...common,
    vendor: "cerebras",
    model: "gpt-oss-120b",
    source: "inference-docs.cerebras.ai (chat completions, rate limits); aaif-goose/goose#10362",
    usageAt: "finish_chunk",
    reasoningAt: "reasoning",
    replayedAt: "reasoning",
    beside: { time_info: { queue_time: 0.0001, total_time: 0.02 } },
    failures: {
      key: {
        status: 401,
        body: {
          message: "Wrong API Key",
          type: "invalid_request_error",
          param: "api_key",
          code: "wrong_api_key",
        },
      },
      context: {
        status: 400,
        body: {
          message:
            "Please reduce the length of the messages or completion. Current length is 70000 while limit is 65536",
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded",
        },
      },
      limit: {
        status: 429,
        headers: {
          "x-ratelimit-remaining-requests-day": "9500",
          "x-ratelimit-reset-requests-day": "33011.382867",
          "x-ratelimit-remaining-tokens-minute": "0",
          "x-ratelimit-reset-tokens-minute": "11.382867",
        },
        body: {
          message: "Tokens per minute limit exceeded",
          type: "too_many_tokens_error",
          param: "quota",
          code: "token_quota_exceeded",
        },
        wait_ms: 11_383,
      },
    },
  },
  {
    ...common,
    vendor: "together",
    model: "openai/gpt-oss-120b",
    source:
      "LiteLLM 1.110 llms/together_ai; the words of a long prompt: pi's list of overflows (anomalyco/opencode#45834)",
    usageAt: "finish_chunk",
    reasoningAt: "reasoning",
    failures: {
      key: badKey,
      context: {
        status: 400,
        body: error(
          "The input (265330 tokens) is longer than the model's context length (262144 tokens).",
          "invalid_request_error",
        ),
      },
      limit: {
        status: 429,
        headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "3" },
        body: error(
          "You have reached the rate limit specific to this model",
          "model_rate_limit",
          "rate_limit",
        ),
        wait_ms: 3_000,
      },
    },
  },
  {
    ...common,
    vendor: "nvidia",
    model: "nvidia/nemotron-3-super-120b-a12b",
    source: "docs.api.nvidia.com/nim; LiteLLM 1.110 llms/nvidia_nim",
    failures: {
      key: { status: 401, body: { status: 401, title: "Unauthorized", detail: "Authentication failed" } },
    },
  },
  {
    ...common,
    vendor: "stepfun",
    model: "step-3.7-flash",
    source: "platform.stepfun.com",
    reasoningAt: "reasoning",
    failures: { key: badKey },
  },
  {
    ...common,
    vendor: "baidu",
    model: "ernie-5.0",
    source: "cloud.baidu.com/doc/qianfan",
    failures: { key: badKey },
  },
  {
    ...common,
    vendor: "tencent",
    model: "hy4",
    source: "LiteLLM 1.110 llms/tencent",
    failures: { key: badKey },
  },
  {
    ...common,
    vendor: "siliconflow",
    model: "Qwen/Qwen3.5-27B",
    source: "docs.siliconflow.cn; FoundationAgents/OpenManus#438",
    failures: {
      key: { status: 401, body: "Invalid token" },
      money: {
        status: 403,
        body: {
          code: 30_011,
          message:
            "The selected model requires paid balance. Your paid balance is insufficient. Please top up and try again.",
          data: null,
        },
      },
    },
  },
  {
    ...common,
    vendor: "deepinfra",
    model: "moonshotai/Kimi-K2.6",
    source: "LiteLLM 1.110 llms/deepinfra",
    failures: { key: { status: 401, body: { detail: "invalid token" } } },
  },
  {
    ...common,
    vendor: "novita",
    model: "deepseek/deepseek-v3.2",
    source: "novita.ai/docs (errors)",
    failures: {
      key: {
        status: 401,
        body: { code: 401, reason: "INVALID_API_KEY", message: "Invalid API key", metadata: {} },
      },
      money: {
        status: 403,
        body: { code: 403, reason: "NOT_ENOUGH_BALANCE", message: "not enough balance", metadata: {} },
      },
    },
  },
];
