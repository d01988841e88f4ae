/** Models of a catalog as operators are shown them, with the prices that are in force at an instant. */
import { spanOf } from "../../books/billing/period.ts";
import { modeOf } from "../../books/billing/pricing/modes/index.ts";
import type { Price } from "../../books/billing/pricing/price.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import { offeredPrice } from "../../books/catalog/next-price.ts";

/** The models that a provider serves, or that have a text in a name, in capitals or not. */
export function modelsLike(
  models: readonly Model[],
  { provider, like = "" }: { provider?: string | undefined; like?: string | undefined },
): Model[] {
  const text = like.toLowerCase();
  return models.filter(
    ({ id, aliases, display_name, channels }) =>
      (provider === undefined || channels.some((channel) => channel.provider === provider)) &&
      [id, display_name, ...aliases].some((name) => name.toLowerCase().includes(text)),
  );
}

/** A model on one line, at `now` (Unix ms). */
export function modelLine(model: Model, now: number) {
  const { id, channels, context_tokens, price_source } = model;
  return {
    model: id,
    providers: [...new Set(channels.map(({ provider }) => provider))].join(", "),
    context: context_tokens === 0 ? null : context_tokens,
    price: priceText(offeredPrice(model, now).price),
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

/** What a model is and costs, at `now` (Unix ms). Never a provider's address. */
export function showModelOf(model: Model, catalog: Pick<ModelCatalog, "price" | "plansWith">, now: number) {
  const { id, aliases, display_name, owned_by, capabilities, context_tokens, output_tokens } = model;
  return {
    model: id,
    aliases: aliases.join(", ") || null,
    ...{ display_name, owned_by, created: spanOf(model.created * 1000, "day") },
    ...{ capabilities: capabilities.join(", "), context_tokens, output_tokens },
    ...offeredPrice(model, now),
    price_version: catalog.price(model, now).version,
    price_source: model.price_source?.source ?? null,
    price_of: model.price_source?.as_of ?? null,
    plans: catalog.plansWith(model).join(", ") || null,
  };
}
