/**
 * LiteLLM's `model_prices_and_context_window.json`: one object whose keys are `<provider>/<model>` or a model's bare
 * name, with dollars per token.
 */
import type { Capability } from "../catalog/catalog.ts";
import { type Fields, isObject } from "../http/fields.ts";
import type { ListedModel, RateName, Rates } from "./price-list.ts";
import { countOf, perMillion, readAmount } from "./price-numbers.ts";

const rateFields = new Map<string, RateName>([
  ["input_cost_per_token", "input"],
  ["output_cost_per_token", "output"],
  ["cache_read_input_token_cost", "cache_read"],
  ["cache_creation_input_token_cost", "cache_write"],
]);

/** `input_cost_per_token_above_272k_tokens`. */
const tierField = /^(\w+?)_above_(\d{1,5})k_tokens$/;
const priceField = /(?:cost|pricing|multiplier)/;

/** Whether a list has this form: entries name the provider they are of as `litellm_provider`. */
export function isLitellm(list: Fields): boolean {
  return Object.values(list).some(
    (entry) => isObject(entry) && typeof entry["litellm_provider"] === "string",
  );
}

/** The list's models. What is no model, as the specification that the file begins with, is left out. */
export function readLitellm(list: Fields): ListedModel[] {
  return Object.entries(list).flatMap(([key, entry]) => {
    if (key === "sample_spec" || !isObject(entry)) return [];
    const provider = entry["litellm_provider"];
    return typeof provider === "string" ? [readEntry(key, provider, entry)] : [];
  });
}

function readEntry(key: string, provider: string, entry: Fields): ListedModel {
  const name = key.startsWith(`${provider}/`) ? key.slice(provider.length + 1) : key;
  const rates = ratesOf(entry);
  const ranges = rangesOf(entry["tiered_pricing"]);
  const [first, ...rest] = ranges;
  return {
    provider,
    name,
    rates: first ? { ...rates, ...first.rates } : rates,
    tiers: first ? rest : tiersOf(entry),
    image: readAmount(entry["output_cost_per_image"]),
    others: othersOf(entry),
    about: {
      display_name: name,
      released: undefined,
      capabilities: capabilitiesOf(entry),
      context_tokens: countOf(entry["max_input_tokens"]),
      output_tokens: countOf(entry["max_output_tokens"]),
    },
  };
}

function ratesOf(fields: Fields): Rates {
  return Object.fromEntries(
    [...rateFields].flatMap(([field, rate]) => {
      const amount = readAmount(fields[field]);
      return amount ? [[rate, perMillion(amount)]] : [];
    }),
  );
}

function tiersOf(entry: Fields): ListedModel["tiers"] {
  const tiers = new Map<number, Rates>();
  for (const [field, value] of Object.entries(entry)) {
    const [, base = "", thousands] = tierField.exec(field) ?? [];
    const rate = rateFields.get(base);
    const amount = readAmount(value);
    if (!rate || !amount) continue;
    const above = Number(thousands) * 1000;
    tiers.set(above, { ...tiers.get(above), [rate]: perMillion(amount) });
  }
  return [...tiers].map(([above, rates]) => ({ above, rates }));
}

/** Tiers as a list of ranges of input, each from where the one before ends. */
function rangesOf(tiers: unknown): ListedModel["tiers"] {
  if (!Array.isArray(tiers)) return [];
  return tiers.filter(isObject).map((tier) => {
    const [from] = Array.isArray(tier["range"]) ? (tier["range"] as unknown[]) : [];
    return { above: countOf(from), rates: ratesOf(tier) };
  });
}

/** Every other price above 0. A price of reasoning that is the output's own says nothing new. */
function othersOf(entry: Fields): string[] {
  return Object.entries(entry).flatMap(([field, value]) => {
    if (!priceField.test(field) || field === "tiered_pricing" || field === "output_cost_per_image") return [];
    if (rateFields.has(tierField.exec(field)?.[1] ?? field)) return [];
    if (field === "output_cost_per_reasoning_token" && value === entry["output_cost_per_token"]) return [];
    return readAmount(value)?.digits === 0n ? [] : [field];
  });
}

function capabilitiesOf(entry: Fields): Capability[] {
  const { mode } = entry;
  if (mode === "embedding") return ["embeddings"];
  if (mode !== "chat") return [];
  const flags: [field: string, capability: Capability][] = [
    ["supports_function_calling", "tools"],
    ["supports_vision", "vision"],
    ["supports_reasoning", "reasoning"],
  ];
  const named = flags.filter(([field]) => entry[field] === true).map(([, capability]) => capability);
  return ["chat", "stream", ...named];
}
