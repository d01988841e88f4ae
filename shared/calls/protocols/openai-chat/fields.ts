/** The fields of a chat request in OpenAI's form, also Ark's and Zhipu's. `field-table.ts` explains a row. */

import type { OutlinedBody } from "../../../base/json/body.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalArray,
  optionalBoolean,
  optionalExactInteger,
  optionalStop,
  optionalString,
} from "../../../base/json/fields.ts";
import { isText } from "../../../base/json/long-text.ts";
import { limits } from "../../../base/limits.ts";
import type { ChatCall } from "../../../books/billing/call.ts";
import { members } from "../dropped.ts";
import { fieldTable, integer, items, number } from "../field-table.ts";
import { notServed, servedOff } from "../unsupported.ts";
import { readUser } from "../user.ts";
import { readSwitches } from "./switches.ts";

export const fields = fieldTable({
  model: { acts: true, carried: true },
  // OpenRouter takes these. They choose another model than the one that is paid for, its host, or what else is sold.
  models: notServed,
  plugins: notServed,
  preset: notServed,
  provider: notServed,
  // Searches that Alibaba, Tencent and xAI sell, and that no answer counts.
  enable_search: servedOff,
  enable_enhancement: servedOff,
  search_parameters: servedOff,
  messages: {
    check: items(checkMessage),
    acts: true,
    carried: ["system", "messages"],
    members: {
      ...members("role", "refusal", "tool_calls", "tool_call_id", "function_call", "cache_control"),
      ...members("reasoning_content", "reasoning", "reasoning_details"),
      content: {
        ...members("type", "text", "refusal", "cache_control"),
        image_url: members("url", "detail"),
        input_audio: members("data", "format", "url"),
        file: members("file_data", "filename"),
      },
    },
  },
  temperature: { check: number(0, 2), carried: true },
  top_p: { check: number(0, 1), carried: true },
  stop: { check: optionalStop, carried: true },
  tools: {
    check: optionalArray,
    acts: true,
    carried: true,
    members: {
      ...members("type", "cache_control"),
      function: members("name", "description", "parameters", "strict"),
      custom: {
        ...members("name", "description"),
        format: { ...members("type"), grammar: members("syntax", "definition") },
      },
    },
  },
  max_tokens: { check: integer(1), acts: true, carried: "max_output_tokens" },
  max_completion_tokens: { check: integer(1), acts: true, carried: "max_output_tokens" },
  n: {
    check: integer(1, limits.choicesMax),
    acts: true,
    refused: mustBe("1 with this model"),
    unless: [1],
  },
  stream: { check: optionalBoolean, acts: true, carried: true },
  user: { check: readUser, read: optionalString, acts: true, carried: true },
  stream_options: { check: readStreamOptions, acts: new Set(["include_usage"]), carried: "stream" },
  service_tier: { check: optionalString, acts: true, carried: "ways" },
  prompt_cache_options: { acts: true },
  web_search_options: { acts: true, hosted: true },
  logprobs: { refused: mustBe("false with this model"), unless: [false] },
  top_logprobs: { refused: mustBe("0 with this model"), unless: [0] },
  modalities: {
    acts: true,
    refused: mustBe('["text"] with this model'),
    unless: (value) => Array.isArray(value) && value.every((modality) => modality === "text"),
  },
  audio: { refused: mustBe("absent with this model") },
  functions: {
    read: optionalArray,
    carried: "tools",
    members: members("name", "description", "parameters"),
  },
  function_call: { carried: "tool_choice" },
  top_k: { read: integer(-1), carried: true },
  tool_choice: { carried: true },
  parallel_tool_calls: { read: optionalBoolean, carried: true },
  response_format: {
    carried: "format",
    members: { ...members("type"), json_schema: members("name", "schema", "strict") },
  },
  reasoning_effort: { carried: "reasoning" },
  thinking: { carried: "reasoning", members: members("type", "budget_tokens") },
  seed: { read: optionalExactInteger, carried: true },
});

/** Checks a request and reads what admission and metering need. Throws `invalid_request`. */
export function readRequest(body: OutlinedBody): ChatCall {
  const { outline } = body;
  const { thinking } = outline;
  const {
    stream,
    user,
    max_tokens,
    max_completion_tokens,
    n = 1,
    stream_options,
  } = fields.check(outline, body);
  return {
    stream: stream ?? false,
    // Of these two, one vendor reads the first and another the second. A request with both is held for the larger.
    max_output_tokens: largest(max_tokens, max_completion_tokens),
    answer_only: max_completion_tokens === undefined && max_tokens !== undefined,
    thoughtless: isObject(thinking) && thinking.type === "disabled",
    choices: n,
    user,
    hide_usage: stream_options === false,
    switches: readSwitches(outline, n),
  };
}

function mustBe(must: string) {
  return (name: string) => invalidField(name, must);
}

function largest(...maxima: (number | undefined)[]): number | null {
  const given = maxima.filter((maximum) => maximum !== undefined);
  return given.length > 0 ? Math.max(...given) : null;
}

/** The client's `include_usage`, or undefined where it said nothing. */
function readStreamOptions(fields: Fields, name: string): boolean | undefined {
  const options = fields[name];
  if (isAbsent(options)) return undefined;
  if (!isObject(options)) throw invalidField(name, "an object");
  return optionalBoolean(options, "include_usage");
}

function checkMessage(message: unknown, name: string): void {
  if (!isObject(message)) throw invalidField(name, "an object");
  const { role, content } = message;
  if (typeof role !== "string") throw invalidField(`${name}.role`, "a string");
  if (isAbsent(content) || isText(content) || Array.isArray(content)) return;
  throw invalidField(`${name}.content`, "a string or an array of parts");
}
