/** OpenAI chat requests to the neutral form and back (protocols.md §1.1, §6.1, §6.2). */

import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  objectsOf,
  optionalInteger,
} from "../../../../base/json/fields.ts";
import {
  type EffortWord,
  effortOfBudget,
  effortWords,
  isEffort,
  plainEffort,
} from "../../../../books/catalog/effort.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ChatRequest, DecodedRequest, EncodedRequest, OutputFormat } from "../../../chat/request.ts";
import { waysIn } from "../../../chat/ways.ts";
import { wordless } from "../../../chat/wordless.ts";
import type { RequestTarget } from "../../crossing.ts";
import { waySwitch } from "../../switches.ts";
import { fields } from "../fields.ts";
import { decodeMessages, encodeMessages } from "./messages.ts";
import { portable } from "./native.ts";
import { withTools } from "./old-functions.ts";
import { namePlaceless } from "./placeless.ts";
import { decodeTools, encodeTool, encodeToolChoice, readTools } from "./tools.ts";

/** Efforts of Ark's and Zhipu's `thinking.type`; `auto` leaves it to the model. */
const thinkingEfforts = new Map<unknown, EffortWord | undefined>([
  ["enabled", "medium"],
  ["disabled", "none"],
  ["auto", undefined],
]);

/** The client's body, already checked by `readRequest`. Throws `invalid_request`. */
export function decodeRequest(given: Fields): DecodedRequest {
  const { body, native } = portable(withTools(given));
  fields.refuse(body);
  const whole = fields.read(body, "max_completion_tokens");
  const topK = fields.read(body, "top_k") ?? 0;
  const own = readTools(fields.read(body, "tools") ?? []);
  const request: ChatRequest = omitUndefined({
    ...decodeMessages(objectsOf(body.messages), own),
    ...decodeTools(body.tool_choice, own),
    parallel_tool_calls: fields.read(body, "parallel_tool_calls"),
    max_output_tokens: whole ?? fields.read(body, "max_tokens"),
    temperature: fields.read(body, "temperature"),
    top_p: fields.read(body, "top_p"),
    // Vendors that take it read 0 and -1 as no limit.
    top_k: topK > 0 ? topK : undefined,
    stop: fields.read(body, "stop").filter((sequence) => sequence !== ""),
    format: decodeFormat(body.response_format),
    reasoning: decodeReasoningOptions(body),
    seed: fields.read(body, "seed"),
    user: fields.read(body, "user"),
    ways: waysIn(waySwitch(body, "service_tier")),
    stream: fields.read(body, "stream") ?? false,
  });
  const dropped = new Set<string>();
  fields.drop(body, dropped, true);
  // Where a vendor takes both, the larger bound is the one that holds the whole answer.
  if (!isAbsent(body.max_tokens) && !isAbsent(body.max_completion_tokens)) dropped.add("max_tokens");
  return { request, dropped: [...dropped], ...(native.length > 0 && { native }) };
}

function decodeFormat(format: unknown): OutputFormat | undefined {
  if (isAbsent(format)) return undefined;
  const type = isObject(format) ? format.type : undefined;
  if (type === "text") return { type };
  if (type === "json_object") return { type: "json" };
  if (!isObject(format) || type !== "json_schema") {
    throw invalidField("response_format.type", "text, json_object or json_schema");
  }
  const described = format.json_schema;
  if (!isObject(described) || !isObject(described.schema) || typeof described.name !== "string") {
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
  const asked = body.reasoning_effort;
  const effort = isEffort(asked) ? asked : undefined;
  if (!isAbsent(asked) && !effort) {
    throw invalidField("reasoning_effort", `one of ${effortWords.join(", ")}`);
  }
  const { thinking } = body;
  if (isAbsent(thinking)) return effort && { effort };
  if (!isObject(thinking) || !thinkingEfforts.has(thinking.type)) {
    throw invalidField("thinking.type", `one of ${[...thinkingEfforts.keys()].join(", ")}`);
  }
  const reasoning = omitUndefined({
    effort: thinking.type === "disabled" ? "none" : (effort ?? thinkingEfforts.get(thinking.type)),
    budget_tokens: optionalInteger(thinking, "budget_tokens", 0),
  });
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

/**
 * A provider's body. OpenAI's reasoning models take `max_completion_tokens` alone, which counts reasoning. Traits may
 * rename it (`fit.ts`). Throws `invalid_request` on media without a form.
 */
export function encodeRequest(request: ChatRequest, { model, traits }: RequestTarget): EncodedRequest {
  const withTools = request.tools.length > 0;
  const asked = request.reasoning?.effort ?? effortOfBudget(request.reasoning?.budget_tokens);
  const effort = asked && !traits?.reasoning ? plainEffort(asked) : asked;
  const turns = encodeMessages(request);
  const body = omitUndefined({
    model,
    // A vendor wants one.
    messages: turns.length > 0 ? turns : encodeMessages({ ...request, messages: [wordless] }),
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
  const dropped = new Set<string>();
  namePlaceless(request, dropped);
  if (effort !== asked) dropped.add("reasoning.effort");
  return { body, dropped: [...dropped] };
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
