/**
 * Rules between the parts of a well-formed catalog. They hold so that no call meets a model without a route or a price.
 */

import { normalName } from "../accounts/pattern.ts";
import { parseMoney, pointsFor } from "../billing/money.ts";
import { isExactShare } from "../billing/own-fee.ts";
import { amountMax, parseDecimal } from "../billing/points.ts";
import { modeOf } from "../billing/pricing/modes/index.ts";
import type { Measure } from "../billing/pricing/modes/mode.ts";
import type { Price, Rates } from "../billing/pricing/price.ts";
import { rateCard } from "../billing/pricing/rate-card.ts";
import { callPriceOf, isStandard, rateFor, toolsUnasked, ways, waysOpen } from "../billing/pricing/rates.ts";
import { tokenKinds } from "../billing/usage.ts";
import { callNeeds } from "./call-needs.ts";
import { type Capability, type Catalog, type ModelEntry, type Provider, priceOf } from "./catalog.ts";
import { hosts } from "./host.ts";
import { invokeForm } from "./invoke-form.ts";
import { pinnedPrices } from "./next-price.ts";
import { planProblems } from "./plan-rules.ts";
import { traitProblems } from "./traits-rules.ts";

/** Every broken rule as `path: problem`, in the file's order. An empty list means that the catalog can serve. */
export function problemsOf(catalog: Catalog): string[] {
  return [
    ...Object.entries(catalog.providers)
      .filter(([, { protocols }]) => Object.keys(protocols).length === 0)
      .map(([name]) => `providers.${name}.protocols: must name at least one protocol`),
    ...hostProblems(catalog),
    ...nameProblems(catalog.models),
    ...catalog.models.flatMap((entry, index) =>
      modelProblems(entry, catalog).map((problem) => `models[${index}].${problem}`),
    ),
    ...traitProblems(catalog),
    ...planProblems(catalog),
    ...semanticProblems(catalog),
    ...rechargeProblems(catalog),
    ...feeProblems(catalog),
  ];
}

/** A host has a form for some protocols, and would be asked in vain in the others. */
function hostProblems({ providers }: Catalog): string[] {
  return Object.entries(providers).flatMap(([name, { host, protocols }]) => {
    const formed: readonly string[] = host ? hosts[host] : Object.keys(protocols);
    const spoken = Object.keys(protocols);
    const others = spoken.filter((protocol) => !formed.includes(protocol));
    const isMixed = host === "bedrock" && protocols.openai !== undefined && spoken.length > 1;
    return [
      ...others.map((other) => `providers.${name}.protocols.${other}: ${host} has no form for it`),
      ...(isMixed ? [`providers.${name}.protocols.openai: must be of a provider of its own at bedrock`] : []),
    ];
  });
}

/** In OpenAI's protocol, Bedrock has vectors and pictures alone, and a form of its maker's for each of their models. */
function formProblems({ host, protocols }: Provider, model: string, calls: readonly Call[]): string[] {
  if (host !== "bedrock" || protocols.openai === undefined) return [];
  return calls.flatMap(({ capability }) => {
    const isKnown = (["embeddings", "images"] as const).some(
      (kind) => kind === capability && invokeForm(model, kind) !== undefined,
    );
    return isKnown ? [] : [`model: Bedrock has no known form of ${model} for ${capability}`];
  });
}

/** Points are sold at one rate, whether they are bought or paid for a plan, and exports show the same one. */
function rechargeProblems({ recharge = {}, currency }: Catalog): string[] {
  return Object.entries(recharge).flatMap(([code, { points_per_unit, min, max }]) => {
    const path = `recharge.${code}`;
    const rate = parseDecimal(points_per_unit, 6);
    if (rate === 0n) return [`${path}.points_per_unit: must be more than 0`];
    const bounds = [["min", min] as const, ["max", max] as const].map(
      ([name, amount]) => [name, minorUnits(amount, code)] as const,
    );
    const wrong = bounds.flatMap(([name, amount]) =>
      amount > 0 ? [] : [`${path}.${name}: must be an amount of ${code} above 0`],
    );
    if (wrong.length > 0) return wrong;
    const [least = 0, most = 0] = bounds.map(([, amount]) => amount);
    if (least > most) return [`${path}.min: must be at most max`];
    if (pointsFor(most, code, points_per_unit) > amountMax) return [`${path}.max: is worth too many points`];
    const isOther = currency?.code === code && parseDecimal(currency.points_per_unit, 6) !== rate;
    return isOther ? [`${path}.points_per_unit: must be that of currency`] : [];
  });
}

/** A share of any call's value must be a whole number of 10⁻¹⁸ points, because nothing is rounded. */
function feeProblems({ byok_fee, models }: Catalog): string[] {
  if (!byok_fee || !("share" in byok_fee)) return [];
  const { share } = byok_fee;
  const discounts = models.flatMap(({ id, discount_rate, next_price }) =>
    [discount_rate, next_price?.discount_rate ?? discount_rate].map((rate) => ({ id, rate })),
  );
  const odd = discounts.find(({ rate }) => !isExactShare(share, rate));
  if (!odd) return [];
  const product = `${share} × ${odd.rate}, a discount_rate of ${odd.id}`;
  return [`byok_fee.share: ${product}, must have at most six decimals`];
}

/** An amount in minor units; 0 where it is none. */
function minorUnits(amount: string, currency: string): number {
  try {
    return parseMoney(amount, currency);
  } catch {
    return 0;
  }
}

/** The cache's two models must be of the right kind, and need no permission, because they are asked for every caller. */
function semanticProblems({ cache, models }: Catalog): string[] {
  const needed = { embedder: "embeddings", verifier: "chat" } as const;
  return Object.entries(cache ?? {}).flatMap(([name, id]) => {
    const path = `cache.${name}`;
    const model = models.find((entry) => entry.id === id);
    const capability = needed[name as keyof typeof needed];
    if (!model) return [`${path}: there is no model with the id ${id}`];
    if (!model.capabilities.includes(capability)) return [`${path}: ${id} has no capability ${capability}`];
    return model.permission === null ? [] : [`${path}: ${id} needs the permission ${model.permission}`];
  });
}

/** Names must differ by more than case and punctuation (contract §1.5), and no model may repeat a name. */
function nameProblems(models: ModelEntry[]): string[] {
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

/** The rules that a model breaks by itself, field first: those of its names and traits need the whole catalog. */
export function modelProblems(entry: ModelEntry, catalog: Catalog): string[] {
  const calls = entry.capabilities.flatMap((capability) => {
    const needs = callNeeds[capability];
    return needs ? [{ capability, ...needs }] : [];
  });
  return [
    ...(calls.length === 0 ? ["capabilities: must have one that is a kind of call"] : []),
    ...channelProblems(entry, catalog, calls),
    ...priceProblems(entry, catalog, calls),
    ...tokenProblems(entry),
    ...videoProblems(entry, catalog),
    ...nextPriceProblems(entry, catalog, calls),
  ];
}

/** A next price must serve every call that the price of now serves, because it comes into force without a person. */
function nextPriceProblems(entry: ModelEntry, catalog: Catalog, calls: Call[]): string[] {
  const price = priceOf(entry, catalog);
  if (!price || !entry.next_price) return [];
  const pinned = pinnedPrices({ ...entry, price });
  const { price: next, version } = pinned.next?.price ?? pinned.now;
  if (version === pinned.now.version) return ["next_price: is the price of now"];
  const then = { ...entry, price: next };
  const lost = tokenKinds.filter((name) => {
    const isRated = (each: Price) => rateFor(each, { kind: "tokenKind", name }) !== undefined;
    return isRated(price) && !isRated(next);
  });
  const missed = switchRates.filter((name) => ratesNamed(price, name) !== ratesNamed(next, name));
  return [
    ...priceProblems(then, catalog, calls),
    ...videoProblems(then, catalog).filter((problem) => problem.startsWith("price.")),
    ...missed.map((name) => `price.rates.${name}: must be for the same names as in the price of now`),
    ...lost.map((name) => `price.rates.${name}: must be given, because the price of now has it`),
  ].map((problem) => `next_price.${problem}`);
}

/** The rates by which a call that switches something on is let in. */
const switchRates = [...ways, "tools", "tools_once", "unasked"] as const;

function ratesNamed({ rates = {} }: { rates?: Rates }, name: (typeof switchRates)[number]): string {
  return Object.keys(rates[name] ?? {})
    .sort()
    .join();
}

type Call = { capability: string; protocols: readonly string[]; pricedBy: Measure };

function channelProblems(entry: ModelEntry, catalog: Catalog, calls: Call[]): string[] {
  return entry.channels.flatMap(({ provider: name, model }, index) => {
    const path = `channels[${index}].provider`;
    const first = entry.channels.findIndex((other) => other.provider === name && other.model === model);
    if (first < index) return [`channels[${index}]: is the same provider and model as channels[${first}]`];
    const provider = Object.hasOwn(catalog.providers, name) ? catalog.providers[name] : undefined;
    if (!provider) return [`${path}: there is no provider ${name}`];
    const spoken = Object.keys(provider.protocols);
    return [
      ...calls
        .filter(({ protocols }) => !protocols.some((protocol) => spoken.includes(protocol)))
        .map(({ capability }) => `${path}: ${name} speaks no protocol for ${capability}`),
      ...formProblems(provider, model, calls).map((problem) => `channels[${index}].${problem}`),
    ];
  });
}

/** Every model needs a price (design §3), and the price must count what each of its kinds of call produces. */
function priceProblems(entry: ModelEntry, catalog: Catalog, calls: Call[]): string[] {
  const group = entry.pricing_group;
  if (group !== null && !Object.hasOwn(catalog.pricing_groups, group)) {
    return [`pricing_group: there is no pricing group ${group}`];
  }
  const price = priceOf(entry, catalog);
  if (!price) return ["price: must be given, here or by a pricing group"];
  return [
    ...calls
      .filter(({ pricedBy }) => pricedBy !== modeOf(price).measures)
      .map(({ capability }) => `price.mode: ${price.mode} does not price ${capability}`),
    ...rateProblems(price),
    ...pictureProblems(entry, price),
  ];
}

/**
 * The provider of multimodal embeddings reports tokens of pictures apart. Without a rate every call would be flagged.
 */
function pictureProblems({ capabilities }: ModelEntry, price: Price): string[] {
  const rate = rateFor(price, { kind: "tokenKind", name: "image_input" });
  if (!capabilities.includes("multimodal_embeddings") || rate !== undefined) return [];
  return ["price.rates.image_input: must be given for models with multimodal_embeddings"];
}

/** Rates that no call could ever be charged by, and factors that give a price more than six decimals. */
function rateProblems(price: Price): string[] {
  const rates: Rates = price.rates ?? {};
  const unused = ways.flatMap((way) =>
    Object.keys(rates[way] ?? {})
      .filter((name) => isStandard(way, name))
      .map((name) => `price.rates.${way}: ${name} is charged the price itself`),
  );
  const anyOf = ways.map((kind) => ({ kind, name: "auto", field: kind }));
  const resolutions = modeOf(price).resolutions(price) ?? [undefined];
  const inexact = waysOpen(price, anyOf).flatMap((way) =>
    resolutions.flatMap((resolution) => {
      try {
        rateCard(callPriceOf(price, way), resolution);
        return [];
      } catch (error) {
        return [`price.rates: ${(error as RangeError).message} (${Object.values(way).join(", ")})`];
      }
    }),
  );
  const twice = toolsUnasked({ rates })
    .filter((name) => Object.hasOwn(rates.tools ?? {}, name) || Object.hasOwn(rates.tools_once ?? {}, name))
    .map((name) => `price.rates.unasked: ${name} has another rate for the same calls`);
  return [...unused, ...twice, ...inexact];
}

/** A hold covers the largest call that a model allows, so a model that is charged by token must state its sizes. */
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
  const priced = price && modeOf(price).resolutions(price);
  return [
    ...(video.resolutions.includes(video.default_resolution)
      ? []
      : [`video.default_resolution: ${video.default_resolution} is not among the resolutions`]),
    ...video.resolutions
      .filter((resolution) => priced && !priced.includes(resolution))
      .map((resolution) => `price.by_resolution: must have ${resolution}`),
  ];
}
