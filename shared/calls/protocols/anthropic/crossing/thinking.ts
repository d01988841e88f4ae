/** How much the model shall reason, and the form of its answer: `thinking` and `output_config` (protocols.md §6.2). */

import {
  entryOf,
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalInteger,
} from "../../../../base/json/fields.ts";
import { type EffortWord, nearestEffort, plainEffort } from "../../../../books/catalog/effort.ts";
import type { Traits } from "../../../../books/catalog/traits.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ChatRequest, OutputFormat } from "../../../chat/request.ts";
import { closed } from "../../bounds/schemas.ts";
import { nameUncarried } from "../../dropped.ts";
import { fields } from "../fields.ts";

/** The least budget Anthropic takes (protocols.md §2.2). */
const budgetMin = 1024;

/** Anthropic's words. A word that replaces another one is named. */
const efforts: readonly EffortWord[] = ["low", "medium", "high", "xhigh", "max"];

const displays: Record<string, boolean> = { summarized: true, omitted: false };

/** What the client says of reasoning, or undefined. */
export function decodeReasoning(body: Fields, dropped: Set<string>): ChatRequest["reasoning"] {
  const effort = decodeEffort(body, dropped);
  const thinking = body.thinking;
  if (isAbsent(thinking)) return effort && { effort };
  if (!isObject(thinking)) throw invalidField("thinking", "an object");
  switch (thinking.type) {
    case "disabled":
      if (effort) dropped.add("output_config.effort");
      return { effort: "none" };
    case "enabled":
    case "adaptive": {
      const display = thinking.display;
      const include = entryOf(displays, display);
      if (!isAbsent(display) && include === undefined) dropped.add("thinking.display");
      const budget_tokens = optionalInteger(thinking, "budget_tokens", 1);
      return omitUndefined({ effort, budget_tokens, include });
    }
    default:
      dropped.add("thinking");
      return effort && { effort };
  }
}

function decodeEffort(body: Fields, dropped: Set<string>): EffortWord | undefined {
  const given = outputConfig(body).effort;
  if (isAbsent(given)) return undefined;
  const effort = efforts.find((word) => word === given);
  if (!effort) dropped.add("output_config.effort");
  return effort;
}

/** What the client says of the answer's form. Anthropic's schema has no name, and always binds. */
export function decodeFormat(body: Fields, dropped: Set<string>): OutputFormat | undefined {
  const config = outputConfig(body);
  nameUncarried(config, fields.rows.output_config.members, "output_config", dropped);
  const format = config.format;
  if (isAbsent(format)) return undefined;
  if (!isObject(format) || format.type !== "json_schema" || !isObject(format.schema)) {
    throw invalidField("output_config.format", "of type json_schema with a schema");
  }
  return { type: "json_schema", name: "answer", schema: format.schema, strict: true };
}

function outputConfig(body: Fields): Fields {
  const config = body.output_config ?? {};
  if (!isObject(config)) throw invalidField("output_config", "an object");
  return config;
}

/** `thinking` and `output_config` as Anthropic takes them (pitfall 17). Traits leave all of it to `fit-thinking.ts`. */
export function encodeReasoning(
  request: ChatRequest,
  maxTokens: number,
  dropped: Set<string>,
  traits: Traits = {},
): { thinking?: Fields; effort?: string } {
  const { reasoning, tool_choice: choice } = request;
  if (!reasoning) return {};
  const { effort, budget_tokens: budget, include } = reasoning;
  if (effort === "none" || budget === 0) return { thinking: { type: "disabled" } };
  const word = effort && nearestEffort(traits.reasoning ? effort : plainEffort(effort), efforts);
  const asked = word ? { effort: word } : {};
  if (word !== effort) dropped.add("reasoning.effort");
  // A client that only asks to hide reasoning does not ask for reasoning.
  if (include === false && effort === undefined && budget === undefined) return {};
  const display = include === undefined ? {} : { display: include ? "summarized" : "omitted" };
  if (traits.reasoning) {
    const type = budget === undefined ? "adaptive" : "enabled";
    return { thinking: omitUndefined({ type, budget_tokens: budget, ...display }), ...asked };
  }
  const forced = request.tools.length > 0 && (choice?.type === "required" || choice?.type === "tool");
  if (forced || (budget !== undefined && isUnsignedToolLoop(request))) {
    dropped.add("reasoning");
    return asked;
  }
  if (budget === undefined) return { thinking: { type: "adaptive", ...display }, ...asked };
  const budget_tokens = Math.max(budgetMin, Math.min(budget, maxTokens - 1));
  if (budget_tokens !== budget) dropped.add("reasoning.budget_tokens");
  if (budget_tokens >= maxTokens) return asked;
  return { thinking: { type: "enabled", budget_tokens, ...display }, ...asked };
}

/** The turn under way called tools without reasoning that could be sent back. */
function isUnsignedToolLoop({ messages }: ChatRequest): boolean {
  const results = messages.at(-1)?.parts.some(({ type }) => type === "tool_result");
  const last = messages.findLast(({ role }) => role === "assistant")?.parts[0];
  return results === true && !(last?.type === "reasoning" && last.signature);
}

/** `output_config.format`. A bare "JSON" has no counterpart and is dropped by name: the prompt asks for it too. */
export function encodeFormat(format: OutputFormat | undefined, dropped: Set<string>): Fields | undefined {
  if (format?.type === "json") dropped.add("format");
  if (format?.type !== "json_schema") return undefined;
  dropped.add("format.name");
  if (format.strict === false) dropped.add("format.strict");
  return { type: "json_schema", schema: closed(format.schema) };
}
