/** What the parts of a well-formed catalog owe each other, so that no call finds a model it cannot route or price. */
import type { Price, Rates } from "../billing/pricing/price.ts";
import { rateCard } from "../billing/pricing/rate-card.ts";
import { isStandard, rateFor, termsOf, ways, waysOpen } from "../billing/pricing/rates.ts";
import {
  type Capability,
  type Catalog,
  demands,
  isAmong,
  type ModelEntry,
  normalName,
  priceOf,
} from "./catalog.ts";
import { traitProblems } from "./traits-rules.ts";

/** Every broken rule as `path: problem`, in the file's order; empty for a catalog that can serve. */
export function problemsOf(catalog: Catalog): string[] {
  return [
    ...Object.entries(catalog.providers)
      .filter(([, { protocols }]) => Object.keys(protocols).length === 0)
      .map(([name]) => `providers.${name}.protocols: must name at least one protocol`),
    ...collisions(catalog.models),
    ...catalog.models.flatMap((entry, index) =>
      modelProblems(entry, catalog).map((problem) => `models[${index}].${problem}`),
    ),
    ...traitProblems(catalog),
    ...planProblems(catalog),
  ];
}

/** A pattern that means no model is a slip: its plan would silently lack what it promises. */
function planProblems({ plans, models }: Catalog): string[] {
  return Object.entries(plans).flatMap(([name, plan]) =>
    plan.models.flatMap((pattern, index) => {
      if (pattern === "*" || models.some(({ id }) => isAmong(id, [pattern]))) return [];
      return [`plans.${name}.models[${index}]: ${pattern} matches no model`];
    }),
  );
}

/** A name finds one model, whatever its case and punctuation (contract §1.5), and is given once. */
function collisions(models: ModelEntry[]): string[] {
  const owners = new Map<string, ModelEntry>();
  return models.flatMap((entry, index) => {
    const given = new Set<string>();
    return [entry.id, ...entry.aliases].flatMap((name, position) => {
      const path = position === 0 ? `models[${index}].id` : `models[${index}].aliases[${position - 1}]`;
      const owner = owners.get(normalName(name)) ?? entry;
      if (owner !== entry) return [`${path}: ${name} reads the same as a name of ${owner.id}`];
      owners.set(normalName(name), entry);
      if (given.has(name)) return [`${path}: ${name} is given twice`];
      given.add(name);
      return [];
    });
  });
}

function modelProblems(entry: ModelEntry, catalog: Catalog): string[] {
  const calls = entry.capabilities.flatMap((capability) => {
    const demand = demands[capability];
    return demand ? [{ capability, ...demand }] : [];
  });
  return [
    ...(calls.length === 0 ? ["capabilities: must have one that is a kind of call"] : []),
    ...channelProblems(entry, catalog, calls),
    ...priceProblems(entry, catalog, calls),
    ...tokenProblems(entry),
    ...videoProblems(entry, catalog),
  ];
}

type Call = { capability: string; protocols: readonly string[]; modes: readonly string[] };

function channelProblems(entry: ModelEntry, catalog: Catalog, calls: Call[]): string[] {
  return entry.channels.flatMap(({ provider: name }, index) => {
    const path = `channels[${index}].provider`;
    const provider = Object.hasOwn(catalog.providers, name) ? catalog.providers[name] : undefined;
    if (!provider) return [`${path}: there is no provider ${name}`];
    const spoken = Object.keys(provider.protocols);
    return calls
      .filter(({ protocols }) => !protocols.some((protocol) => spoken.includes(protocol)))
      .map(({ capability }) => `${path}: ${name} speaks no protocol for ${capability}`);
  });
}

/** An unpriced model cannot be deployed (design §3), and a price that does not measure the call is none. */
function priceProblems(entry: ModelEntry, catalog: Catalog, calls: Call[]): string[] {
  const group = entry.pricing_group;
  if (group !== null && !Object.hasOwn(catalog.pricing_groups, group)) {
    return [`pricing_group: there is no pricing group ${group}`];
  }
  const price = priceOf(entry, catalog);
  if (!price) return ["price: must be given, here or by a pricing group"];
  return [
    ...calls
      .filter(({ modes }) => !modes.includes(price.mode))
      .map(({ capability }) => `price.mode: ${price.mode} does not price ${capability}`),
    ...rateProblems(price),
    ...pictureProblems(entry, price),
  ];
}

/** Their provider reports tokens of pictures apart: without a rate each of these calls would be flagged. */
function pictureProblems({ capabilities }: ModelEntry, price: Price): string[] {
  const rate = rateFor(price, { field: "input", kind: "part", name: "image_input" });
  if (!capabilities.includes("multimodal_embeddings") || rate !== undefined) return [];
  return ["price.rates.image_input: must be given for models with multimodal_embeddings"];
}

/** A rate that could never be charged, and multipliers that make a price no charge could be exact with. */
function rateProblems(price: Price): string[] {
  const rates: Rates = price.rates ?? {};
  const unused = ways.flatMap((way) =>
    Object.keys(rates[way] ?? {})
      .filter((name) => isStandard(way, name))
      .map((name) => `price.rates.${way}: ${name} is charged the price itself`),
  );
  const anyOf = ways.map((kind) => ({ kind, name: "auto", field: kind }));
  const resolutions = price.mode === "per_second" ? Object.keys(price.by_resolution) : [undefined];
  const inexact = waysOpen(price, anyOf).flatMap((way) =>
    resolutions.flatMap((resolution) => {
      try {
        rateCard(termsOf(price, way), resolution);
        return [];
      } catch (error) {
        return [`price.rates: ${(error as RangeError).message} (${Object.values(way).join(", ")})`];
      }
    }),
  );
  return [...unused, ...inexact];
}

/** Holds are taken for the largest call a model allows, so what is charged by token must say how large. */
function tokenProblems(entry: ModelEntry): string[] {
  const { capabilities, context_tokens, output_tokens, media_tokens, strict } = entry;
  const isChat = capabilities.includes("chat");
  const needsContext = ["chat", "embeddings", "multimodal_embeddings"].some((name) =>
    capabilities.includes(name as Capability),
  );
  return [
    ...(needsContext && context_tokens === 0 ? ["context_tokens: must be at least 1"] : []),
    ...(media_tokens !== null && media_tokens > context_tokens
      ? ["media_tokens: must be at most context_tokens"]
      : []),
    ...(strict && !(isChat && capabilities.includes("stream"))
      ? ["strict: only for models that stream chats"]
      : []),
    ...(isChat && output_tokens === 0 ? ["output_tokens: must be at least 1"] : []),
  ];
}

function videoProblems(entry: ModelEntry, catalog: Catalog): string[] {
  const { capabilities, video } = entry;
  if (!capabilities.includes("video")) return video ? ["video: only for models with this capability"] : [];
  if (!video) return ["video: must be given for models with this capability"];
  const price = priceOf(entry, catalog);
  const priced = price?.mode === "per_second" ? price.by_resolution : undefined;
  return [
    ...(video.resolutions.includes(video.default_resolution)
      ? []
      : [`video.default_resolution: ${video.default_resolution} is not among the resolutions`]),
    ...video.resolutions
      .filter((resolution) => priced && !Object.hasOwn(priced, resolution))
      .map((resolution) => `price.by_resolution: must have ${resolution}`),
  ];
}
