/**
 * Two accounts of the same models, written apart: what the default catalog says that they take, and what the providers
 * of the tests refuse. What the first one allows, the second must take, and what it names as refused must be refused.
 */
import { describe, expect, test } from "vitest";
import type { Json } from "#infra/local/demo/strictness/rule.ts";
import { type Addressed, refusalOf, type Vendor } from "#infra/local/demo/strictness.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { type EffortWord, effortWords, type Traits, traitsAt } from "#shared/books/catalog/traits.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { bases, stops } from "#test/support/strictness/cases.ts";

const file = JSON.stringify(catalogFile);
const { models, providers } = parseCatalog(JSON.parse(file));

/** How a request of each vendor says what traits speak of; what it has no words for is absent. */
interface Words {
  effort?(word: EffortWord): Json;
  budget?(tokens: number): Json;
  adaptive?: Json;
  off?: Json;
  choice?: { auto: Json; none?: Json; required: Json };
  stop?(count: number): Json;
  sampling?(name: string, value: unknown): Json;
}

const openaiChoice = {
  auto: { tool_choice: "auto" },
  none: { tool_choice: "none" },
  required: { tool_choice: "required" },
};
const plain = (name: string, value: unknown): Json => ({ [name]: value });
const thinking = (type: string) => ({ thinking: { type } });
const geminiNames: Record<string, string> = { top_p: "topP", top_k: "topK" };
const config = (settings: Json): Json => ({ generationConfig: settings });
const chat: Words = {
  effort: (word) => ({ reasoning_effort: word }),
  choice: openaiChoice,
  stop: (count) => ({ stop: stops(count) }),
  sampling: plain,
};

/** Vendors whose models are not all named as the rules know them are held to their rules in `gateway/dialects`. */
const words: Record<Exclude<Vendor, Addressed | "converse">, Words> = {
  openai: { ...chat, off: { reasoning_effort: "none" } },
  responses: {
    effort: (effort) => ({ reasoning: { effort } }),
    off: { reasoning: { effort: "none" } },
    choice: openaiChoice,
  },
  anthropic: {
    effort: (effort) => ({ output_config: { effort } }),
    budget: (budget_tokens) => ({ max_tokens: 64_000, thinking: { type: "enabled", budget_tokens } }),
    adaptive: thinking("adaptive"),
    off: thinking("disabled"),
    choice: { auto: { tool_choice: { type: "auto" } }, required: { tool_choice: { type: "any" } } },
    stop: (count) => ({ stop_sequences: stops(count) }),
    sampling: plain,
  },
  gemini: {
    effort: (word) => config({ thinkingConfig: { thinkingLevel: word } }),
    budget: (thinkingBudget) => config({ thinkingConfig: { thinkingBudget } }),
    adaptive: config({ thinkingConfig: { thinkingBudget: -1 } }),
    off: config({ thinkingConfig: { thinkingBudget: 0 } }),
    stop: (count) => config({ stopSequences: stops(count) }),
    sampling: (name, value) => config({ [geminiNames[name] ?? name]: value }),
  },
  zhipu: { ...chat, off: thinking("disabled") },
  ark: { ...chat, off: thinking("disabled") },
  minimax: { ...chat, adaptive: thinking("adaptive"), off: thinking("disabled") },
};

const vendorsOf: Record<string, (keyof typeof words)[]> = {
  openai: ["openai", "responses"],
  anthropic: ["anthropic"],
  gemini: ["gemini"],
  minimax: ["minimax"],
  volcengine: ["ark"],
  zhipu: ["zhipu"],
};

const rows = models
  .filter(({ capabilities }) => capabilities.includes("chat"))
  .flatMap((model) =>
    model.channels.flatMap(({ provider, model: name }) =>
      (vendorsOf[provider] ?? []).map(
        (vendor) => [vendor, name, traitsAt(model, providers[provider] ?? {})] as const,
      ),
    ),
  );

const some = (name: string): unknown =>
  ({ logprobs: true, top_logprobs: 2, logit_bias: { 1: 1 }, top_k: 5 })[name] ?? 0.5;

/** Requests that the traits allow. */
function allowed(traits: Traits, say: Words): (Json | undefined)[] {
  const {
    forms = [],
    efforts = [],
    budget_tokens: budget,
    always,
    tools_refused_in,
  } = traits.reasoning ?? {};
  const { refused = [], temperature_max = 1 } = traits.sampling ?? {};
  const quiet = forms.length === 0 || always ? {} : say.off;
  const hot = refused.includes("temperature")
    ? {}
    : { ...quiet, ...say.sampling?.("temperature", temperature_max) };
  return [
    {},
    ...(forms.includes("effort") ? efforts.map((word) => say.effort?.(word)) : []),
    ...(budget ? [budget.min, budget.max].map((tokens) => say.budget?.(tokens)) : []),
    ...(forms.includes("adaptive") ? [say.adaptive] : []),
    ...(forms.length > 0 && !always && traits.reasoning?.efforts?.includes("none") !== false ? [quiet] : []),
    ...(tools_refused_in ? [] : [say.choice?.auto]),
    ...(traits.tool_choice?.includes("required") ? [say.choice?.required] : []),
    ...(traits.stop_max ? [say.stop?.(traits.stop_max)] : []),
    hot,
  ];
}

/** Requests of which the traits say that they are refused. */
function refusedBy(traits: Traits, say: Words): (Json | undefined)[] {
  const { forms = [], efforts, budget_tokens: budget, always, tool_choice } = traits.reasoning ?? {};
  const { refused = [], refused_reasoning = [], one_of = [] } = traits.sampling ?? {};
  const reasoning = budget
    ? say.budget?.(budget.min)
    : efforts?.includes("low")
      ? say.effort?.("low")
      : undefined;
  const others = efforts ? effortWords.filter((word) => !efforts.includes(word)) : [];
  return [
    ...(forms.length === 0 && !always ? effortWords.slice(1).map((word) => say.effort?.(word)) : []),
    ...others.map((word) => say.effort?.(word)),
    ...(always && budget ? [say.off] : []),
    ...(budget && budget.min > 0 ? [say.budget?.(budget.min - 1)] : []),
    ...(budget ? [say.budget?.(budget.max + 1)] : []),
    ...refused.map((name) => say.sampling?.(name, some(name))),
    ...refused_reasoning.map((name) => merged(reasoning, say.sampling?.(name, some(name)))),
    ...one_of.map((group): Json => Object.assign({}, ...group.map((name) => say.sampling?.(name, 0.5)))),
    ...(tool_choice && !tool_choice.includes("required")
      ? [merged(say.budget?.(2_000), say.choice?.required)]
      : []),
    ...(traits.tool_choice && !traits.tool_choice.includes("required") ? [say.choice?.required] : []),
    ...(traits.stop_max === undefined ? [] : [say.stop?.(traits.stop_max + 1)]),
  ];
}

/** Both requests in one; undefined without one of them. */
function merged(first: Json | undefined, second: Json | undefined): Json | undefined {
  if (!first || !second) return undefined;
  const [one, other] = [first.generationConfig, second.generationConfig];
  const both = one && other ? { generationConfig: { ...(one as Json), ...(other as Json) } } : {};
  return { ...first, ...second, ...both };
}

describe.each(rows)("%s: %s", (vendor, name, traits) => {
  const refusal = (more: Json) => refusalOf(vendor, name, { ...bases[vendor], ...more });

  test("is refused nothing that its traits allow", () => {
    for (const more of allowed(traits, words[vendor])) {
      if (more) expect([more, refusal(more)]).toEqual([more, undefined]);
    }
  });

  test("is refused what its traits say", () => {
    for (const more of refusedBy(traits, words[vendor])) {
      if (more) expect([more, refusal(more)?.status]).toEqual([more, 400]);
    }
  });
});
