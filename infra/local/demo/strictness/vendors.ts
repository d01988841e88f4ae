/** What single vendors of OpenAI's chat form refuse, by the names with which their providers' addresses begin. */
import {
  at,
  isObject,
  isOther,
  type Json,
  listOf,
  type NamedRule,
  type Rule,
  rulesFor,
  textOf,
  unknownKey,
} from "./rule.ts";

const any = /^/;
const turnsOf = (body: Json, role: string) => listOf(body.messages).filter((turn) => turn.role === role);
const isForced = (choice: unknown) => choice === "required" || isObject(choice);
const hasReasoning = ({ reasoning_content: text }: Json) => typeof text === "string" && text !== "";
const isThinking = (body: Json) =>
  at(body, "thinking.type") !== "disabled" && at(body, "reasoning_effort") !== "none";

/** A rule against members of a body, whatever their value. */
function unsupported(source: string, names: readonly string[], says: (name: string) => string): NamedRule {
  return {
    source,
    refuses: (body) => {
      const name = names.find((each) => at(body, each) !== undefined);
      return name && says(name);
    },
  };
}
const groqTurn = ["role", "content", "name", "tool_calls", "tool_call_id", "reasoning", "function_call"];

/** The rules of each, in the order in which they are asked. */
export const vendorRules = {
  deepseek: rulesFor(any, {
    "a turn without its reasoning": {
      source: "mnfst/modelparams.dev#29, NousResearch/hermes-agent#15228",
      models: /^deepseek-v4/,
      refuses: (body) =>
        isThinking(body) &&
        !turnsOf(body, "assistant").every(hasReasoning) &&
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
    },
    "a forced tool while it thinks": {
      source: "tickernelz/opencode-mem#253",
      models: /^deepseek-v4/,
      refuses: (body) =>
        isThinking(body) &&
        isForced(at(body, "tool_choice")) &&
        "Thinking mode does not support this tool_choice",
    },
    "more than sixteen stops": {
      source: "api-docs.deepseek.com/api/create-chat-completion",
      refuses: (body) => [at(body, "stop") ?? []].flat().length > 16 && "Invalid stop: at most 16 sequences",
    },
  }),
  moonshot: rulesFor(any, {
    "calls without their reasoning": {
      source: "continuedev/continue#11806, mastra-ai/mastra#12592",
      models: /^kimi-k2\.[567]/,
      refuses: (body) => {
        const index = listOf(body.messages).findIndex(
          (turn) => turn.role === "assistant" && listOf(turn.tool_calls).length > 0 && !hasReasoning(turn),
        );
        return (
          index >= 0 &&
          isThinking(body) &&
          `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`
        );
      },
    },
    "a tool that must be called": {
      source: "platform.moonshot.ai (migrating from OpenAI), as LiteLLM 1.110 cites it",
      refuses: (body) => at(body, "tool_choice") === "required" && "tool_choice 'required' is not supported",
    },
    "a temperature above 1": {
      source: "LiteLLM 1.110 llms/moonshot",
      refuses: (body) => Number(at(body, "temperature") ?? 0) > 1 && "invalid temperature: must be in [0, 1]",
    },
    "both ways to ask for reasoning": {
      source: "HKUDS/nanobot#3939",
      refuses: (body) =>
        at(body, "thinking") !== undefined &&
        at(body, "reasoning_effort") !== undefined &&
        "cannot specify both 'thinking' and 'reasoning_effort'",
    },
  }),
  alibaba: rulesFor(any, {
    "a forced tool while it thinks": {
      source: "cloudwego/eino#994, QwenLM/qwen-code#7659",
      refuses: (body) =>
        at(body, "enable_thinking") === true &&
        isForced(at(body, "tool_choice")) && {
          message:
            "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
          code: "invalid_parameter_error",
        },
    },
  }),
  xai: rulesFor(/^grok-(?:3-mini|4|code-fast)/, {
    "members that are not supported": unsupported(
      "LiteLLM 1.110 llms/xai (seen by its authors): stop and frequency_penalty",
      ["stop", "frequency_penalty"],
      (name) => `Argument not supported on this model: ${name}`,
    ),
  }),
  cohere: rulesFor(any, {
    "members that are not supported": unsupported(
      "docs.cohere.com/docs/compatibility-api (unsupported parameters)",
      ["store", "metadata", "logit_bias", "top_logprobs", "service_tier", "parallel_tool_calls"],
      (name) => `unsupported parameter: ${name}`,
    ),
    "an effort between none and high": {
      source: "cohere-ai/cohere-developer-experience#649",
      refuses: (body) =>
        isOther(at(body, "reasoning_effort"), ["none", "high"]) && "invalid reasoning_effort",
    },
  }),
  groq: rulesFor(any, {
    "unknown members of a turn": {
      source: "janhq/jan#8136, tashfeenahmed/freellmapi#1070",
      refuses: (body) => {
        for (const [index, turn] of listOf(body.messages).entries()) {
          const key = unknownKey(turn, groqTurn);
          const place = `'messages.${index}'`;
          if (key)
            return `${place} : for 'role:${textOf(turn.role)}' the following must be satisfied[(${place} : property '${key}' is unsupported)]`;
        }
        return undefined;
      },
    },
    "members that are not supported": unsupported(
      "fanenr/chatbot#21, odysseus-dev/odysseus#200, musistudio/llms#64; console.groq.com/docs/openai",
      ["store", "metadata", "logit_bias", "logprobs", "top_logprobs", "thinking"],
      (name) => `property '${name}' is unsupported`,
    ),
  }),
  cerebras: rulesFor(any, {
    "a temperature above 1.5": {
      source: "theopenco/llmgateway#1322, of Cerebras' API reference",
      refuses: (body) =>
        Number(at(body, "temperature") ?? 0) > 1.5 && {
          message: "temperature: Input should be less than or equal to 1.5",
          code: "wrong_api_format",
        },
    },
  }),
  openrouter: rulesFor(any, {
    "an effort and a budget": {
      source: "openrouter.ai/docs/use-cases/reasoning-tokens",
      refuses: (body) =>
        at(body, "reasoning.effort") !== undefined &&
        at(body, "reasoning.max_tokens") !== undefined &&
        'Only one of "reasoning.effort" and "reasoning.max_tokens" can be specified',
    },
  }),
  siliconflow: rulesFor(any, {
    "a budget out of its range": {
      source: "docs.siliconflow.cn (chat completions): 128 to 32768",
      refuses: (body) => {
        const budget = at(body, "thinking_budget");
        return (
          budget !== undefined &&
          !(Number(budget) >= 128 && Number(budget) <= 32_768) &&
          "thinking_budget must be between 128 and 32768"
        );
      },
    },
  }),
  deepinfra: rulesFor(any, {
    "a choice of tool other than auto and none": {
      source: "deepinfra.com/docs/advanced/function_calling, as LiteLLM 1.110 cites it",
      refuses: (body) => isForced(at(body, "tool_choice")) && "tool_choice must be 'auto' or 'none'",
    },
  }),
} as const satisfies Record<string, readonly Rule[]>;
