/** models.dev's `api.json`: providers by id, each with its models by id, with dollars per million tokens. */
import type { Capability } from "../catalog/catalog.ts";
import { type Fields, isObject } from "../http/fields.ts";
import { type ListedModel, type Rates, rateNames } from "./price-list.ts";
import { countOf, fieldsOf, readAmount } from "./price-numbers.ts";

/** Whether a list has this form: its entries have models. */
export function isModelsDev(list: Fields): boolean {
  return Object.values(list).some((entry) => isObject(entry) && isObject(entry["models"]));
}

/** The list's models, each for each provider that has it. */
export function readModelsDev(list: Fields): ListedModel[] {
  return Object.entries(list).flatMap(([provider, entry]) =>
    Object.entries(fieldsOf(fieldsOf(entry)["models"])).map(([name, model]) =>
      readModel(provider, name, fieldsOf(model)),
    ),
  );
}

function readModel(provider: string, name: string, model: Fields): ListedModel {
  const cost = fieldsOf(model["cost"]);
  const limit = fieldsOf(model["limit"]);
  const { name: title, release_date: released } = model;
  return {
    provider,
    name,
    rates: ratesOf(cost),
    tiers: tiersOf(cost),
    image: undefined,
    others: [...othersOf(cost), ...modesOf(model)],
    about: {
      display_name: typeof title === "string" && title !== "" ? title : name,
      released: typeof released === "string" ? released.padEnd(10, "-01") : undefined,
      capabilities: capabilitiesOf(name, model),
      context_tokens: countOf(limit["context"]),
      output_tokens: countOf(limit["output"]),
    },
  };
}

function ratesOf(cost: Fields): Rates {
  return Object.fromEntries(
    rateNames.flatMap((rate) => {
      const amount = readAmount(cost[rate]);
      return amount ? [[rate, amount]] : [];
    }),
  );
}

/** `context_over_200k` repeats a tier, whatever its bound, for readers that know no tiers: it counts without them. */
function tiersOf(cost: Fields): ListedModel["tiers"] {
  const { tiers, context_over_200k: over } = cost;
  if (Array.isArray(tiers)) {
    return tiers
      .map(fieldsOf)
      .map((tier) => ({ above: countOf(fieldsOf(tier["tier"])["size"]), rates: ratesOf(tier) }));
  }
  return isObject(over) ? [{ above: 200_000, rates: ratesOf(over) }] : [];
}

/** Prices beside the four rates. A price of reasoning that is the output's own says nothing new. */
function othersOf(cost: Fields): string[] {
  const known = new Set<string>([...rateNames, "tiers", "context_over_200k"]);
  return Object.entries(cost).flatMap(([field, value]) => {
    if (known.has(field) || (field === "reasoning" && value === cost["output"])) return [];
    return readAmount(value)?.digits === 0n ? [] : [field];
  });
}

/** Ways to call a model that are priced apart, such as a faster one. */
function modesOf(model: Fields): string[] {
  const modes = fieldsOf(fieldsOf(model["experimental"])["modes"]);
  return Object.entries(modes).flatMap(([mode, entry]) =>
    isObject(fieldsOf(entry)["cost"]) ? [`mode ${mode}`] : [],
  );
}

/** The list does not say what is an embedding model; their names do. */
function capabilitiesOf(name: string, model: Fields): Capability[] {
  const { input, output } = fieldsOf(model["modalities"]);
  if (!Array.isArray(output) || !output.includes("text")) return [];
  if (/embed/i.test(name)) return ["embeddings"];
  return [
    "chat",
    "stream",
    ...(model["tool_call"] === true ? (["tools"] as const) : []),
    ...(Array.isArray(input) && input.includes("image") ? (["vision"] as const) : []),
    ...(model["reasoning"] === true ? (["reasoning"] as const) : []),
  ];
}
