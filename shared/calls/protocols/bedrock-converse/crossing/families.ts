/** What models take beside the fields that all share: how much to reason, and `top_k` (protocols.md §8.4). */
import type { Fields } from "../../../../base/json/fields.ts";
import {
  budgetOfEffort,
  type EffortWord,
  effortOfBudget,
  heldBudget,
  nearestEffort,
  usualEffort,
} from "../../../../books/catalog/effort.ts";
import type { FieldFamily, Traits } from "../../../../books/catalog/traits.ts";
import type { ChatRequest } from "../../../chat/request.ts";

/** A wish to reason, in words and numbers. */
interface Wish {
  effort: EffortWord | undefined;
  budget: number | undefined;
}

/** What a family is told, and what of the wish is lost, by its neutral name. */
interface Told {
  fields?: Fields;
  lost?: string[];
}

interface Family {
  top_k?: (value: number) => Fields;
  reasoning(wish: Wish, takes: NonNullable<Traits["reasoning"]>, maximum: number): Told;
  /** What says that the model shall not reason, where it would otherwise. */
  off?: Fields;
  /** What a model takes whose traits say nothing of it. */
  takes: NonNullable<Traits["reasoning"]>;
}

/** A word for the effort, the nearest that the model takes, under a name that the family has for it. */
function byWord(fieldsOf: (word: EffortWord) => Fields): Family["reasoning"] {
  return ({ effort, budget }, { efforts }) => {
    const asked = effort ?? effortOfBudget(budget) ?? usualEffort;
    const word = nearestEffort(asked, efforts);
    if (word === undefined) return { lost: ["reasoning"] };
    return {
      fields: fieldsOf(word),
      lost: [
        ...(word === effort || effort === undefined ? [] : ["reasoning.effort"]),
        ...(budget === undefined ? [] : ["reasoning.budget_tokens"]),
      ],
    };
  };
}

const claudeReasoning: Family["reasoning"] = ({ effort, budget }, takes, maximum) => {
  const { forms, efforts, budget_tokens = { min: 1024, max: Number.POSITIVE_INFINITY } } = takes;
  if (forms.includes("adaptive")) {
    const asked = effort ?? effortOfBudget(budget);
    const word = asked && forms.includes("effort") ? nearestEffort(asked, efforts) : undefined;
    return {
      fields: { thinking: { type: "adaptive" }, ...(word && { output_config: { effort: word } }) },
      lost: [
        ...(effort === undefined || word === effort ? [] : ["reasoning.effort"]),
        ...(budget === undefined ? [] : ["reasoning.budget_tokens"]),
      ],
    };
  }
  const held = heldBudget(budget ?? budgetOfEffort(effort ?? usualEffort), budget_tokens, maximum);
  if (held === undefined) return { lost: ["reasoning"] };
  const fields = { thinking: { type: "enabled", budget_tokens: held } };
  return { fields, lost: budget === undefined || held === budget ? [] : ["reasoning.budget_tokens"] };
};

const families: Readonly<Record<FieldFamily, Family>> = {
  claude: {
    top_k: (value) => ({ top_k: value }),
    reasoning: claudeReasoning,
    off: { thinking: { type: "disabled" } },
    takes: { forms: ["adaptive", "effort"], efforts: ["low", "medium", "high", "xhigh", "max"] },
  },
  nova: {
    top_k: (value) => ({ inferenceConfig: { topK: value } }),
    reasoning: byWord((word) => ({ reasoningConfig: { type: "enabled", maxReasoningEffort: word } })),
    off: { reasoningConfig: { type: "disabled" } },
    // With `high` Nova takes no maximum of the answer, and the call is held for one.
    takes: { forms: ["effort"], efforts: ["low", "medium"] },
  },
  gpt_oss: {
    reasoning: byWord((word) => ({ reasoning_effort: word })),
    takes: { forms: ["effort"], efforts: ["low", "medium", "high"] },
  },
};

/** The model's own fields. `samples` says that it takes a temperature beside them. */
export function ownFields(
  request: ChatRequest,
  maximum: number,
  traits: Traits,
  dropped: Set<string>,
): { fields: Fields; samples: boolean } {
  const family = traits.family === undefined ? undefined : families[traits.family];
  const told = tell(request, family, maximum, traits);
  for (const name of told.lost ?? []) dropped.add(name);
  const reasons = told.fields !== undefined && told.fields !== family?.off;
  // Claude takes no sampling while it thinks, unless its traits say more.
  const samples = !(reasons && traits.family === "claude" && !traits.sampling);
  const { top_k } = request;
  const own = top_k === undefined || !samples ? undefined : family?.top_k?.(top_k);
  if (top_k !== undefined && !own) dropped.add("top_k");
  return { fields: { ...own, ...told.fields }, samples };
}

function tell(request: ChatRequest, family: Family | undefined, maximum: number, traits: Traits): Told {
  const { effort, budget_tokens: budget } = request.reasoning ?? {};
  if (effort === undefined && budget === undefined && request.reasoning?.include !== true) return {};
  const takes = traits.reasoning ?? family?.takes;
  if (effort === "none" || budget === 0) {
    if (!takes?.always && !takes?.by_default) return {};
    return takes.always || !family?.off ? { lost: ["reasoning.effort"] } : { fields: family.off };
  }
  if (!family || !takes || takes.forms.length === 0) return { lost: ["reasoning"] };
  return givesWay(request, takes)
    ? { lost: ["reasoning"] }
    : family.reasoning({ effort, budget }, takes, maximum);
}

/** Whether Claude's thinking must give way: to a forced call, or in a loop of tools that began without it. */
function givesWay(request: ChatRequest, takes: NonNullable<Traits["reasoning"]>): boolean {
  if (!takes.forms.includes("adaptive") && !takes.forms.includes("budget")) return false;
  const { messages, tools, tool_choice: choice } = request;
  if (tools.length > 0 && (choice?.type === "required" || choice?.type === "tool")) return true;
  const hasResults = messages.at(-1)?.parts.some(({ type }) => type === "tool_result");
  const first = messages.findLast(({ role }) => role === "assistant")?.parts[0];
  const isSigned = first?.type === "reasoning" && first.signature !== undefined;
  return takes.forms.includes("budget") && hasResults === true && !isSigned;
}
