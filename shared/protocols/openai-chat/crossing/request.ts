/** OpenAI chat requests to the neutral form and back (protocols.md §1.1, §6.1, §6.2). */

import { type EffortWord, effortOfBudget, effortWords, isEffort, plainEffort } from "../../../chat/effort.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ChatRequest, DecodedRequest, EncodedRequest, OutputFormat } from "../../../chat/request.ts";
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalBoolean,
  optionalExactInteger,
  optionalInteger,
  optionalNumber,
  optionalStop,
  optionalString,
} from "../../../json/fields.ts";
import type { RequestTarget } from "../../crossing.ts";
import { uncarriedFields, unreadFields } from "./dropped.ts";
import { decodeMessages, encodeMessages } from "./messages.ts";
import { portable } from "./native.ts";
import { decodeTools, encodeTool, encodeToolChoice } from "./tools.ts";

/** Fields that change what the call means and cannot cross, save with the value that asks for nothing. */
const refused: readonly [name: string, harmless: (value: unknown) => boolean, must: string][] = [
  ["n", (value) => value === 1, "1 with this model"],
  ["logprobs", (value) => value === false, "false with this model"],
  ["top_logprobs", (value) => value === 0, "0 with this model"],
  [
    "modalities",
    (value) => Array.isArray(value) && value.every((modality) => modality === "text"),
    '["text"] with this model',
  ],
  ["audio", () => false, "absent with this model"],
  ["functions", () => false, "replaced by `tools` with this model"],
  ["function_call", () => false, "replaced by `tool_choice` with this model"],
];

/** Efforts of Ark's and Zhipu's `thinking.type`; `auto` leaves it to the model. */
const thinkingEfforts = new Map<unknown, EffortWord | undefined>([
  ["enabled", "medium"],
  ["disabled", "none"],
  ["auto", undefined],
]);

/** The client's body, already checked by `readRequest`. Throws `invalid_request`. */
export function decodeRequest(given: Fields): DecodedRequest {
  const { body, native } = portable(given);
  for (const [name, harmless, must] of refused) {
    if (!isAbsent(body[name]) && !harmless(body[name])) throw invalidField(name, must);
  }
  const whole = optionalInteger(body, "max_completion_tokens", 1);
  const topK = optionalInteger(body, "top_k", -1);
  const request: ChatRequest = omitUndefined({
    ...decodeMessages(Array.isArray(body["messages"]) ? body["messages"].filter(isObject) : []),
    ...decodeTools(body),
    parallel_tool_calls: optionalBoolean(body, "parallel_tool_calls"),
    max_output_tokens: whole ?? optionalInteger(body, "max_tokens", 1),
    temperature: optionalNumber(body, "temperature", 0, 2),
    top_p: optionalNumber(body, "top_p", 0, 1),
    // Vendors that take it read 0 and -1 as no limit.
    top_k: topK !== undefined && topK > 0 ? topK : undefined,
    stop: decodeStop(body),
    format: decodeFormat(body["response_format"]),
    reasoning: decodeReasoningOptions(body),
    seed: optionalExactInteger(body, "seed"),
    user: optionalString(body, "user"),
    stream: optionalBoolean(body, "stream") ?? false,
  });
  return { request, dropped: unreadFields(body), ...(native.length > 0 && { native }) };
}

function decodeStop(body: Fields): string[] {
  optionalStop(body, "stop");
  const stop = (body["stop"] ?? []) as string | string[];
  return (typeof stop === "string" ? [stop] : stop).filter((sequence) => sequence !== "");
}

function decodeFormat(format: unknown): OutputFormat | undefined {
  if (isAbsent(format)) return undefined;
  const type = isObject(format) ? format["type"] : undefined;
  if (type === "text") return { type };
  if (type === "json_object") return { type: "json" };
  if (!isObject(format) || type !== "json_schema") {
    throw invalidField("response_format.type", "text, json_object or json_schema");
  }
  const described = format["json_schema"];
  if (!isObject(described) || !isObject(described["schema"]) || typeof described["name"] !== "string") {
    throw invalidField("response_format.json_schema", "an object with name and schema");
  }
  const { name, schema, strict } = described;
  return omitUndefined({
    type: "json_schema" as const,
    name,
    schema,
    strict: typeof strict === "boolean" ? strict : undefined,
  });
}

/** `reasoning_effort`, or what Ark's and Zhipu's `thinking` says of it. */
function decodeReasoningOptions(body: Fields): ChatRequest["reasoning"] {
  const asked = body["reasoning_effort"];
  const effort = isEffort(asked) ? asked : undefined;
  if (!isAbsent(asked) && !effort) {
    throw invalidField("reasoning_effort", `one of ${effortWords.join(", ")}`);
  }
  const { thinking } = body;
  if (isAbsent(thinking)) return effort && { effort };
  if (!isObject(thinking) || !thinkingEfforts.has(thinking["type"])) {
    throw invalidField("thinking.type", `one of ${[...thinkingEfforts.keys()].join(", ")}`);
  }
  const reasoning = omitUndefined({
    effort: thinking["type"] === "disabled" ? "none" : (effort ?? thinkingEfforts.get(thinking["type"])),
    budget_tokens: optionalInteger(thinking, "budget_tokens", 0),
  });
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

/**
 * A provider's body. The maximum goes as `max_completion_tokens`: like the neutral one it counts the
 * reasoning, and OpenAI's reasoning models take no other. A model that knows the older name alone says so in its
 * traits (`fit.ts`). Throws `invalid_request` on media without a form.
 */
export function encodeRequest(request: ChatRequest, { model, traits }: RequestTarget): EncodedRequest {
  const withTools = request.tools.length > 0;
  const asked = request.reasoning?.effort ?? effortOfBudget(request.reasoning?.budget_tokens);
  const effort = asked && !traits?.reasoning ? plainEffort(asked) : asked;
  const body = omitUndefined({
    model,
    messages: encodeMessages(request),
    tools: withTools ? request.tools.map(encodeTool) : undefined,
    tool_choice: withTools && request.tool_choice ? encodeToolChoice(request.tool_choice) : undefined,
    parallel_tool_calls: withTools ? request.parallel_tool_calls : undefined,
    max_completion_tokens: request.max_output_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    stop: request.stop.length > 0 ? request.stop : undefined,
    response_format: request.format && encodeFormat(request.format),
    reasoning_effort: effort,
    seed: request.seed,
    user: request.user,
    stream: request.stream,
    stream_options: request.stream ? { include_usage: true } : undefined,
  });
  return { body, dropped: [...uncarriedFields(request), ...(effort === asked ? [] : ["reasoning.effort"])] };
}

function encodeFormat(format: OutputFormat): Fields {
  switch (format.type) {
    case "text":
      return { type: "text" };
    case "json":
      return { type: "json_object" };
    case "json_schema": {
      const { type, ...described } = format;
      return { type, json_schema: described };
    }
  }
}
