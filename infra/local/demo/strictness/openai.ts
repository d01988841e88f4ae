/** What OpenAI refuses in Chat Completions. Sentences in quotation marks are OpenAI's own. */
import {
  at,
  type Json,
  listOf,
  type NamedRule,
  rulesFor,
  unknownKey,
  type VendorError,
  words,
} from "./rule.ts";

const everyModel = /^/;
const any = /^(?:gpt-|o\d|chatgpt-)/;
/** The families that reason; the chat variants of GPT-5 do not. */
export const reasoningModels = /^(?:o\d|gpt-5(?!-chat)|gpt-6)/;
/** They reason only where they are asked to (pydantic-ai profiles/openai.py, verified on the API in 2026-07). */
const reasonsOnRequest = /^gpt-5\.[1-4](?!\d|-chat)/;
const withoutStop = /^(?:o\d|gpt-5(?:-(?!chat)|$)|gpt-5\.[1-4](?!\d))/;
/** They take function tools beside reasoning in the Responses API only. */
const toolsOnlyWithoutReasoning = /^(?:gpt-5\.[4-6](?!\d)|gpt-6)/;
/**
 * GPT-5.6, GPT-5.5 and GPT-5.2 say the same; GPT-5.4 does not reason when it is not asked. Three of GPT-6 always reason
 * (pydantic-ai 2.68 profiles/openai.py; OpenAI's page of GPT-6.2 Sol).
 */
const wordsOf: [models: RegExp, words: string[]][] = [
  [/^gpt-6(?:-astra|\.[12]-sol)/, ["low", "medium", "high", "xhigh", "max"]],
  [/^gpt-6/, ["none", "low", "medium", "high", "xhigh", "max"]],
  [/^gpt-5\.[2-6](?!\d)/, ["none", "low", "medium", "high", "xhigh"]],
  [/^gpt-5\.1(?!\d)/, ["none", "low", "medium", "high"]],
  [/^gpt-5(?:-|$)/, ["minimal", "low", "medium", "high"]],
  [/^o\d/, ["low", "medium", "high"]],
];

/** The words for effort that a model takes; none for a model that does not reason. */
function effortsOf(model: string): string[] {
  return reasoningModels.test(model) ? (wordsOf.find(([models]) => models.test(model))?.[1] ?? []) : [];
}

/** Whether a model reasons when it is asked with this word, or without any. */
export function reasons(model: string, effort: unknown): boolean {
  if (!reasoningModels.test(model)) return false;
  return effort === undefined ? !reasonsOnRequest.test(model) : effort !== "none";
}

/** The rule against a word for effort, at this path, that a model does not take. */
export function unknownEffort(param: string, says: (effort: unknown, model: string) => string): NamedRule {
  return {
    source: "livekit/agents#7169",
    models: reasoningModels,
    refuses: (body, _, model) => {
      const effort = at(body, param);
      const words = effortsOf(model);
      if (effort === undefined || words.includes(String(effort))) return undefined;
      const supported = words.map((word) => `'${word}'`).join(", ");
      const message = `Unsupported value: ${says(effort, model)}. Supported values are: ${supported}.`;
      return { message, param, code: "unsupported_value" };
    },
  };
}

/** A parameter that a model does not take at all. */
export const unsupported = (param: string): VendorError => ({
  message: `Unsupported parameter: '${param}' is not supported with this model.`,
  param,
  code: "unsupported_parameter",
});

const members = words(
  "model messages stream stream_options max_tokens max_completion_tokens n stop seed temperature top_p",
  "frequency_penalty presence_penalty logit_bias logprobs top_logprobs tools tool_choice",
  "parallel_tool_calls functions function_call response_format verbosity reasoning_effort modalities",
  "audio prediction metadata store service_tier user prompt_cache_key prompt_cache_options",
  "prompt_cache_retention safety_identifier web_search_options moderation",
);

const samplers = ["top_p", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs"];

const effortIn = (body: Json) => at(body, "reasoning_effort");
const stopsIn = (body: Json) => [at(body, "stop") ?? []].flat();

export const openaiRules = rulesFor(any, {
  "unknown members": {
    source: "OpenAI's API reference and the API's message",
    refuses: (body) => {
      const param = unknownKey(body, members);
      return param && { message: `Unrecognized request argument supplied: ${param}` };
    },
  },
  max_tokens: {
    source: "fish2018/YPrompt#26, griptape-ai/ComfyUI-Griptape#312",
    models: reasoningModels,
    refuses: (body) =>
      at(body, "max_tokens") !== undefined && {
        ...unsupported("max_tokens"),
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      },
  },
  "effort at a model that does not reason": {
    source: "the API's message",
    models: /^(?:gpt-[34]|gpt-5(?:\.\d+)?-chat)/,
    refuses: (body) =>
      effortIn(body) !== undefined && { message: "Unrecognized request argument supplied: reasoning_effort" },
  },
  "an unknown word for effort": unknownEffort(
    "reasoning_effort",
    (effort) => `'reasoning_effort' does not support '${effort}' with this model`,
  ),
  "tools beside reasoning": {
    source: "pipecat-ai/pipecat#4043, openai/openai-openapi#541, BerriAI/litellm#34569",
    models: toolsOnlyWithoutReasoning,
    refuses: (body, _, model) =>
      listOf(body.tools).some(({ type }) => type === "function") &&
      reasons(model, effortIn(body)) && {
        message: `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
        param: "reasoning_effort",
      },
  },
  "temperature while reasoning": {
    source: "QwenLM/qwen-code#921",
    models: reasoningModels,
    refuses: (body, _, model) => {
      const temperature = at(body, "temperature");
      if (temperature === undefined || temperature === 1 || !reasons(model, effortIn(body))) return undefined;
      return {
        message: `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
        param: "temperature",
        code: "unsupported_value",
      };
    },
  },
  "sampling while reasoning": {
    source: "pydantic-ai profiles/openai.py, vercel/ai openai-chat-language-model.ts",
    models: reasoningModels,
    refuses: (body, _, model) => {
      const param = samplers.find((name) => at(body, name) !== undefined && at(body, name) !== false);
      return param !== undefined && reasons(model, effortIn(body)) && unsupported(param);
    },
  },
  stop: {
    source:
      "smolagents#1671 and #1868, FlowiseAI/Flowise#5046, crewAIInc/crewAI#5144; not said of GPT-5.5 and 5.6",
    models: withoutStop,
    refuses: (body) => stopsIn(body).length > 0 && unsupported("stop"),
  },
  "more than four stops": {
    source: "continuedev/continue#2461",
    models: everyModel,
    refuses: (body) => {
      const { length } = stopsIn(body);
      return (
        length > 4 && {
          message: `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length ${length} instead.`,
          param: "stop",
          code: "array_above_max_length",
        }
      );
    },
  },
  "calls without results": {
    source: "the API's message",
    refuses: (body) => {
      const messages = listOf(body.messages);
      for (const [index, message] of messages.entries()) {
        const results = followers(messages, index).map((each) => each.tool_call_id);
        const left = listOf(message.tool_calls)
          .map(({ id }) => id)
          .filter((id) => !results.includes(id));
        if (left.length > 0) {
          return {
            message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${left.join(", ")}`,
            param: `messages.[${index + 1}].role`,
          };
        }
      }
      return undefined;
    },
  },
  "results without calls": {
    source: "the API's message",
    refuses: (body) => {
      const messages = listOf(body.messages);
      const stray = messages.findIndex(({ role }, index) => {
        const before = messages.slice(0, index).findLast((each) => each.role !== "tool");
        return role === "tool" && listOf(before?.tool_calls).length === 0;
      });
      return (
        stray >= 0 && {
          message:
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          param: `messages.[${stray}].role`,
        }
      );
    },
  },
});

/** The messages of tools that follow a message at once. */
function followers(messages: Json[], index: number): Json[] {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== "tool");
  return end < 0 ? rest : rest.slice(0, end);
}
