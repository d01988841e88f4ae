/** What a client says in the fields of single makers: how much to reason, and `top_k` (protocols.md §8.4). */
import {
  type Fields,
  invalidField,
  isAbsent,
  isObject,
  optionalInteger,
} from "../../../../base/json/fields.ts";
import { isEffort } from "../../../../books/catalog/effort.ts";
import type { ChatRequest } from "../../../chat/request.ts";
import { decodeFormat, decodeReasoning as decodeThinking } from "../../anthropic/crossing/thinking.ts";
import { members, nameUncarried } from "../../dropped.ts";

type Own = Pick<ChatRequest, "reasoning" | "top_k" | "format">;

/** Reads `additionalModelRequestFields`, whose names were checked before. What it names as lost stands in there. */
export function decodeOwn(
  value: unknown,
  dropped: Set<string>,
): { [Name in keyof Own]: Own[Name] | undefined } {
  const own = isObject(value) ? value : {};
  const lost = new Set<string>();
  const claude: Fields = { thinking: own.thinking ?? own.reasoning_config, output_config: own.output_config };
  const decoded = {
    reasoning: decodeThinking(claude, lost) ?? decodeEffort(own, lost),
    format: decodeFormat(claude, lost),
    top_k: decodeTopK(own, lost),
  };
  for (const name of lost) dropped.add(`additionalModelRequestFields.${name}`);
  return decoded;
}

/** The wish of a model that takes a word: of OpenAI's open ones as it is, of Nova with a switch. */
function decodeEffort(
  { reasoning_effort, reasoningConfig }: Fields,
  lost: Set<string>,
): ChatRequest["reasoning"] {
  if (isEffort(reasoning_effort)) return { effort: reasoning_effort };
  if (!isAbsent(reasoning_effort)) throw invalidField("reasoning_effort", "a word for how much to reason");
  if (!isObject(reasoningConfig)) return undefined;
  nameUncarried(reasoningConfig, members("type", "maxReasoningEffort"), "reasoningConfig", lost);
  const { type, maxReasoningEffort: effort } = reasoningConfig;
  if (type === "disabled") return { effort: "none" };
  if (type !== "enabled") throw invalidField("reasoningConfig.type", "enabled or disabled");
  if (isAbsent(effort)) return {};
  if (!isEffort(effort)) throw invalidField("reasoningConfig.maxReasoningEffort", "low, medium or high");
  return { effort };
}

function decodeTopK(own: Fields, lost: Set<string>): number | undefined {
  const { inferenceConfig: nova } = own;
  if (!isObject(nova)) return optionalInteger(own, "top_k", 0);
  nameUncarried(nova, members("topK"), "inferenceConfig", lost);
  return optionalInteger(own, "top_k", 0) ?? optionalInteger(nova, "topK", 0);
}
