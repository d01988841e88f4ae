/** Reads models.dev's `api.json`: providers, their models, and dollars per million tokens. */

import { type Fields, isObject } from "../../base/json/fields.ts";
import type { Capability } from "../catalog/catalog.ts";
import { type ListedModel, type ListedRates, rateNames } from "./list.ts";
import { countOf, fieldsOf, readAmount } from "./numbers.ts";

/** Whether a list has this form: its entries have models. */
export function isModelsDev(list: Fields): boolean {
  return Object.values(list).some((entry) => isObject(entry) && isObject(entry.models));
}

/** The list's models. A model that several providers have is in the result once for each. */
export function readModelsDev(list: Fields): ListedModel[] {
  return Object.entries(list).flatMap(([provider, entry]) =>
    Object.entries(fieldsOf(fieldsOf(entry).models)).map(([name, model]) =>
      readModel(provider, name, fieldsOf(model)),
    ),
  );
}

function readModel(provider: string, name: string, model: Fields): ListedModel {
  const cost = fieldsOf(model.cost);
  const limit = fieldsOf(model.limit);
  const { name: title, release_date: released, status } = model;
  return {
    provider,
    name,
    rates: ratesOf(cost),
    tiers: tiersOf(cost),
    ...modesOf(model, othersOf(cost)),
    tools: {},
    image: undefined,
    about: {
      display_name: typeof title === "string" && title !== "" ? title : name,
      released: typeof released === "string" ? released.padEnd(10, "-01") : undefined,
      ...(status === "deprecated" && { ends: "gone" }),
      capabilities: capabilitiesOf(name, model),
      context_tokens: countOf(limit.context),
      output_tokens: countOf(limit.output),
    },
  };
}

const rateFields = new Map<string, keyof ListedRates>([
  ...rateNames.map((name) => [name, name] as const),
  ["input_audio", "audio_input"],
  ["output_audio", "audio_output"],
]);

function ratesOf(cost: Fields): ListedRates {
  return Object.fromEntries(
    [...rateFields].flatMap(([field, rate]) => {
      const amount = readAmount(cost[field]);
      return amount ? [[rate, amount]] : [];
    }),
  );
}

/** The tiers. `context_over_200k` repeats one of them, so it counts only where there are none. */
function tiersOf(cost: Fields): ListedModel["tiers"] {
  const { tiers, context_over_200k: over } = cost;
  if (Array.isArray(tiers)) {
    return tiers
      .map(fieldsOf)
      .map((tier) => ({ above: countOf(fieldsOf(tier.tier).size), rates: ratesOf(tier) }));
  }
  return isObject(over) ? [{ above: 200_000, rates: ratesOf(over) }] : [];
}

/** The fields of all other prices above 0. A price of reasoning that equals the output's says nothing new. */
function othersOf(cost: Fields): string[] {
  const known = new Set([...rateFields.keys(), "tiers", "context_over_200k"]);
  return Object.entries(cost).flatMap(([field, value]) => {
    if (known.has(field) || (field === "reasoning" && value === cost.output)) return [];
    return readAmount(value)?.digits === 0n ? [] : [field];
  });
}

/**
 * The modes of a model that have prices of their own. A mode that sets a service tier is that tier; others get named.
 */
function modesOf(model: Fields, others: string[]): Pick<ListedModel, "ways" | "others"> {
  const ways: ListedModel["ways"] = {};
  for (const [mode, entry] of Object.entries(fieldsOf(fieldsOf(model.experimental).modes))) {
    const { cost, provider } = fieldsOf(entry);
    const tier = fieldsOf(fieldsOf(provider).body).service_tier;
    if (!isObject(cost)) continue;
    if (typeof tier === "string") ways[tier] = { rates: ratesOf(cost), tiers: tiersOf(cost) };
    else others.push(`mode ${mode}`);
  }
  return { ways, others };
}

/** The list does not say which models make embeddings. Their names do. */
function capabilitiesOf(name: string, model: Fields): Capability[] {
  const { input, output } = fieldsOf(model.modalities);
  if (!Array.isArray(output) || !output.includes("text")) return [];
  if (/embed/i.test(name)) return ["embeddings"];
  return [
    "chat",
    "stream",
    ...(model.tool_call === true ? (["tools"] as const) : []),
    ...(Array.isArray(input) && input.includes("image") ? (["vision"] as const) : []),
    ...(model.reasoning === true ? (["reasoning"] as const) : []),
  ];
}
