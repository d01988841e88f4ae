/** The operator's commands that show models: `model list` and `model show`. */

import { isObject } from "#shared/base/json/fields.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { keyNames } from "#shared/books/catalog/provider.ts";
import type { StatedTraits } from "#shared/books/catalog/traits.ts";
import { modelLine, modelsLike, showModelOf } from "#shared/edges/operator/model-lines.ts";
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
    const { provider, like } = call.flags;
    const { catalog } = modelPlace(call);
    if (provider !== undefined && !Object.hasOwn(catalog.providers, provider))
      throw new Error(
        `the catalog has no provider ${provider}: it has ${Object.keys(catalog.providers).join(", ")}`,
      );
    const found = modelsLike(createCatalog(catalog).models(), { provider, like });
    const lines = found.map((model) => modelLine(model, Date.now()));
    return { value: lines, shown: lines.map(({ price_source, ...line }) => line) };
  },
});

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
  const { id } = model;
  const entry = catalog.models.find((each) => each.id === id) ?? model;
  const stands = files.parts.find(
    ({ json: { models } }) =>
      Array.isArray(models) && models.some((each) => isObject(each) && each.id === id),
  );
  return {
    ...showModelOf(model, indexed, Date.now()),
    file: stands?.file,
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
