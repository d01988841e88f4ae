/** What OpenAI refuses in the Responses API. Sentences in quotation marks are OpenAI's own. */
import { reasoningModels, reasons, unknownEffort, unsupported } from "./openai.ts";
import { at, type Json, listOf, rulesFor, unknownKey, words } from "./rule.ts";
import { isIssued } from "./signatures.ts";

const any = /^(?:gpt-|o\d|chatgpt-)/;

const members = [
  ...words(
    "model input instructions stream stream_options max_output_tokens max_tool_calls temperature top_p",
    "top_logprobs tools tool_choice parallel_tool_calls text reasoning include store previous_response_id",
    "conversation metadata truncation background prompt user safety_identifier service_tier",
    "context_management prompt_cache_key moderation prompt_cache_options prompt_cache_retention",
  ),
  // In no reference: Codex sends it to OpenAI with every request (openai/codex, client_common.rs).
  "client_metadata",
];

const effortIn = (body: Json) => at(body, "reasoning.effort");
const itemsOf = (body: Json, type: string) => listOf(body.input).filter((item) => item.type === type);

export const responsesRules = rulesFor(any, {
  "unknown members": {
    source: "OpenAI's API reference and the API's message",
    refuses: (body) => {
      const param = unknownKey(body, members);
      return param && { message: `Unknown parameter: '${param}'.`, param, code: "unknown_parameter" };
    },
  },
  "no input": {
    source: "symfony/ai#2303, pydantic/pydantic-ai#3470",
    refuses: (body) =>
      (body.input === "" || (Array.isArray(body.input) && body.input.length === 0)) &&
      body.previous_response_id === undefined &&
      "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.",
  },
  "reasoning at a model that does not reason": {
    source: "the API's message",
    models: /^(?:gpt-[34]|gpt-5(?:\.\d+)?-chat)/,
    refuses: (body) => effortIn(body) !== undefined && unsupported("reasoning.effort"),
  },
  "an unknown word for effort": unknownEffort(
    "reasoning.effort",
    (effort, model) => `'${effort}' is not supported with the '${model}' model`,
  ),
  "sampling while reasoning": {
    source: "OpenHands/software-agent-sdk#992 and #1837; a temperature of 1 is taken",
    models: reasoningModels,
    refuses: (body, _, model) => {
      const param = ["temperature", "top_p", "top_logprobs"].find(
        (name) => at(body, name) !== undefined && !(name !== "top_logprobs" && at(body, name) === 1),
      );
      if (param === undefined || !reasons(model, effortIn(body))) return undefined;
      return { message: unsupported(param).message, param };
    },
  },
  "fewer than 16 tokens": {
    source: "modelparams.dev and the API's message",
    refuses: (body) => {
      const most = at(body, "max_output_tokens");
      return (
        most !== undefined &&
        Number(most) < 16 && {
          message: `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${most} instead.`,
          param: "max_output_tokens",
          code: "integer_below_min_value",
        }
      );
    },
  },
  "foreign encrypted content": {
    source: "openai/codex#8119 and #8145, Wei-Shaw/sub2api#2863",
    refuses: (body) => {
      const foreign = itemsOf(body, "reasoning")
        .map((item) => item.encrypted_content ?? undefined)
        .find((content) => content !== undefined && !isIssued("openai", content));
      if (foreign === undefined) return undefined;
      const text = String(foreign);
      return {
        message: `The encrypted content ${text.slice(0, 4)}...${text.slice(-4)} could not be verified.`,
        code: "invalid_encrypted_content",
      };
    },
  },
  "calls without results": {
    source: "the API's message",
    refuses: (body) => {
      const answered = itemsOf(body, "function_call_output").map((item) => item.call_id);
      const left = itemsOf(body, "function_call").find((item) => !answered.includes(item.call_id));
      return left && { message: `No tool output found for function call ${left.call_id}.`, param: "input" };
    },
  },
  "results without calls": {
    source: "the API's message",
    refuses: (body) => {
      if (at(body, "previous_response_id") !== undefined || at(body, "conversation") !== undefined)
        return undefined;
      const called = itemsOf(body, "function_call").map((item) => item.call_id);
      const stray = itemsOf(body, "function_call_output").find((item) => !called.includes(item.call_id));
      return (
        stray && {
          message: `No tool call found for function call output with call_id ${stray.call_id}.`,
          param: "input",
        }
      );
    },
  },
});
