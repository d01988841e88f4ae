/** The operator's commands that show models: `model list` and `model show`. */

import { isObject } from "#shared/base/json/fields.ts";
import { spanOf } from "#shared/books/billing/period.ts";
import { modeOf } from "#shared/books/billing/pricing/modes/index.ts";
import type { Price } from "#shared/books/billing/pricing/price.ts";
import { type Catalog, type ModelEntry, priceOf } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { keyNames } from "#shared/books/catalog/provider.ts";
import type { StatedTraits } from "#shared/books/catalog/traits.ts";
import { type CommandCall, command, flag } from "./command.ts";
import { modelIn } from "./model-names.ts";
import { modelPlace } from "./model-place.ts";

export const listModels = command({
  words: "model list",
  what: "lists the models of the catalog with their sizes and prices",
  more: "Prices are points for a million tokens of input and of output, of the smallest calls where they rise with the size. price_of is the day of the price, --json has where it was read.",
  flags: {
    provider: flag("NAME", "only models that this provider serves"),
    like: flag("TEXT", "only models that have this in a name, in capitals or not"),
  },
  examples: { "--local --provider deepseek": "what DeepSeek's models cost" },
  async run(call) {
    const { provider, like = "" } = call.flags;
    const { catalog } = modelPlace(call);
    if (provider !== undefined && !Object.hasOwn(catalog.providers, provider))
      throw new Error(
        `the catalog has no provider ${provider}: it has ${Object.keys(catalog.providers).join(", ")}`,
      );
    const text = like.toLowerCase();
    const found = catalog.models.filter(
      ({ id, aliases, display_name, channels }) =>
        (provider === undefined || channels.some((channel) => channel.provider === provider)) &&
        [id, display_name, ...aliases].some((name) => name.toLowerCase().includes(text)),
    );
    const lines = found.map((model) => lineOf(model, catalog));
    return { value: lines, shown: lines.map(({ price_source, ...line }) => line) };
  },
});

function lineOf(model: ModelEntry, catalog: Catalog) {
  const { id, channels, context_tokens, price_source } = model;
  return {
    model: id,
    providers: [...new Set(channels.map(({ provider }) => provider))].join(", "),
    context: context_tokens === 0 ? null : context_tokens,
    price: priceText(priceOf(model, catalog)),
    price_of: price_source?.as_of ?? null,
    price_source: price_source?.source ?? null,
  };
}

/** What a model costs, in a few words. */
function priceText(price: Price | undefined): string {
  if (!price) return "none";
  const listed = modeOf(price).listed(price);
  if (listed.per === "image") return `${listed.price} an image`;
  if (listed.per !== "token") return price.mode.replaceAll("_", " ");
  const [first, ...larger] = listed.tiers;
  return `${first?.input} / ${first?.output}${larger.length > 0 ? " and more" : ""}`;
}

export const showModel = command({
  words: "model show",
  what: "shows a model: its names, sizes, price, channels and traits, and where each was read",
  operands: [
    { name: "MODEL", what: "its id or another name of it", missing: "give a model; model list shows them" },
  ],
  examples: { "--local vllm/deepseek-v4-pro": "what it takes, and what it costs" },
  async run(call) {
    return { value: shown(call) };
  },
});

function shown(call: Pick<CommandCall, "operand" | "catalogFile" | "where">) {
  const wanted = call.operand;
  const { catalog, files } = modelPlace(call);
  const indexed = createCatalog(catalog);
  const model = modelIn(indexed, wanted, "model show");
  const { id, aliases, display_name, owned_by, capabilities, context_tokens, output_tokens } = model;
  const entry = catalog.models.find((each) => each.id === id) ?? model;
  const stands = files.parts.find(
    ({ json: { models } }) =>
      Array.isArray(models) && models.some((each) => isObject(each) && each.id === id),
  );
  return {
    model: id,
    aliases: aliases.join(", ") || null,
    display_name,
    owned_by,
    created: spanOf(model.created * 1000, "day"),
    file: stands?.file,
    capabilities: capabilities.join(", "),
    context_tokens,
    output_tokens,
    price: model.price,
    discount_rate: model.discount_rate,
    price_version: indexed.price(model).version,
    price_source: model.price_source?.source ?? null,
    price_of: model.price_source?.as_of ?? null,
    plans: indexed.plansWith(model).join(", ") || null,
    channels: entry.channels.map(({ provider, model: name, priority, weight }) => ({
      provider,
      name,
      priority,
      weight,
      key: keysOf(catalog, provider),
      address: Object.entries(catalog.providers[provider]?.protocols ?? {})
        .map(([protocol, url]) => `${protocol} ${url}`)
        .join(", "),
    })),
    traits: entry.channels.flatMap((channel) =>
      traitLines(channel.provider, [
        ["channel", channel.traits],
        ["model", entry.traits],
        ["provider", catalog.providers[channel.provider]?.traits],
      ]),
    ),
  };
}

function keysOf({ providers }: Catalog, name: string): string {
  const provider = providers[name];
  return provider ? keyNames(provider).join(", ") : "";
}

/** Each trait at a provider, and who states it: the first of these that does. */
function traitLines(provider: string, stating: readonly [of: string, traits: StatedTraits | undefined][]) {
  const lines = new Map<string, object>();
  for (const [of, stated] of stating) {
    const { source, as_of, ...traits } = stated ?? { source: "", as_of: "" };
    for (const [trait, value] of Object.entries(traits)) {
      if (!lines.has(trait)) lines.set(trait, { at: provider, trait, value, of, as_of, source });
    }
  }
  return [...lines.values()];
}
