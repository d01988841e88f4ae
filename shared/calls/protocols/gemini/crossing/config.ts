/** Gemini's `generationConfig`, both ways (protocols.md §3.2, §6.2). */

import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalInteger,
} from "../../../../base/json/fields.ts";
import type { EffortWord } from "../../../../books/catalog/effort.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { ChatRequest, OutputFormat } from "../../../chat/request.ts";
import { cannotCross, settings } from "../fields.ts";
import { camelKeys } from "../names.ts";
import { toJsonSchema } from "./schema.ts";

/** What the settings say of a request; `stop` is always there. */
type Settings = Pick<ChatRequest, "stop"> &
  Partial<
    Pick<
      ChatRequest,
      "max_output_tokens" | "temperature" | "top_p" | "top_k" | "seed" | "format" | "reasoning"
    >
  >;

/** Reads the settings. Throws `invalid_request` for those that cannot be kept. */
export function decodeConfig(value: unknown, dropped: Set<string>): Settings {
  const given = Object.entries(camelKeys(isObject(value) ? value : {}));
  const config: Fields = Object.fromEntries(given.filter(([, member]) => !isAbsent(member)));
  settings.refuse(config, Object.keys(config));
  settings.drop(config, dropped);
  return omitUndefined({
    max_output_tokens: settings.read(config, "maxOutputTokens"),
    temperature: settings.read(config, "temperature"),
    top_p: settings.read(config, "topP"),
    top_k: settings.read(config, "topK"),
    seed: settings.read(config, "seed"),
    stop: settings.read(config, "stopSequences"),
    format: decodeFormat(config),
    reasoning: decodeThinking(config.thinkingConfig, dropped),
  });
}

function decodeFormat(config: Fields): OutputFormat | undefined {
  const type = config.responseMimeType;
  const schema = config.responseJsonSchema ?? (config.responseSchema && toJsonSchema(config.responseSchema));
  if (type === undefined) return undefined;
  if (type === "text/plain") return { type: "text" };
  if (type !== "application/json") throw cannotCross("generationConfig.responseMimeType");
  // Gemini's schemas have no name, and the protocols that want one let it be anything.
  return isObject(schema) ? { type: "json_schema", name: "response", schema } : { type: "json" };
}

const levels: Record<string, EffortWord> = {
  MINIMAL: "minimal",
  LOW: "low",
  MEDIUM: "medium",
  HIGH: "high",
};

/** A budget of 0 turns thinking off; -1 leaves it to the model, which is the default everywhere. */
function decodeThinking(value: unknown, dropped: Set<string>): ChatRequest["reasoning"] {
  if (isAbsent(value)) return undefined;
  if (!isObject(value)) throw invalidField("generationConfig.thinkingConfig", "an object");
  const config = camelKeys(value);
  const level = config.thinkingLevel;
  const budget = optionalInteger(config, "thinkingBudget", -1);
  const effort = typeof level === "string" ? levels[level.toUpperCase()] : undefined;
  if (!isAbsent(level) && !effort) dropped.add("generationConfig.thinkingConfig.thinkingLevel");
  const include = config.includeThoughts;
  const reasoning = omitUndefined({
    effort: effort ?? (budget === 0 ? ("none" as const) : undefined),
    budget_tokens: budget !== undefined && budget > 0 ? budget : undefined,
    include: typeof include === "boolean" ? include : undefined,
  });
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

/** Writes the settings. */
export function encodeConfig(request: ChatRequest, dropped: Set<string>): Fields {
  const { format, reasoning } = request;
  if (format?.type === "json_schema") {
    dropped.add("format.name");
    // Gemini always holds an answer to its schema: only a client that asked for less is told.
    if (format.strict === false) dropped.add("format.strict");
  }
  return omitUndefined({
    maxOutputTokens: request.max_output_tokens,
    temperature: request.temperature,
    topP: request.top_p,
    topK: request.top_k,
    seed: request.seed,
    stopSequences: request.stop.length > 0 ? request.stop : undefined,
    responseMimeType: format && (format.type === "text" ? "text/plain" : "application/json"),
    responseJsonSchema: format?.type === "json_schema" ? format.schema : undefined,
    thinkingConfig: reasoning && encodeThinking(reasoning, dropped),
  });
}

/** The thinking levels of Gemini 3. Earlier models only know budgets, and their traits say so (`fit-thinking.ts`). */
const efforts: Record<Exclude<EffortWord, "none">, string> = {
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};

/** Gemini takes a level or a budget, not both. The budget is more exact, so it wins. */
function encodeThinking(
  { effort, budget_tokens, include }: NonNullable<ChatRequest["reasoning"]>,
  dropped: Set<string>,
): Fields | undefined {
  if (effort !== undefined && budget_tokens !== undefined) dropped.add("reasoning.effort");
  if (effort === "xhigh" || effort === "max") dropped.add("reasoning.effort");
  const config = omitUndefined({ ...depth(effort, budget_tokens), includeThoughts: include });
  return Object.keys(config).length > 0 ? config : undefined;
}

function depth(effort: EffortWord | undefined, budget: number | undefined): Fields {
  if (budget !== undefined) return { thinkingBudget: budget };
  if (effort === undefined) return {};
  if (effort === "none") return { thinkingBudget: 0 };
  return { thinkingLevel: efforts[effort] };
}
