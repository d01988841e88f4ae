/** `operator model add`: a model made after one of the catalog (books/catalog/README.md "A model of your own"). */
import { dayMs, spanOf } from "../../books/billing/period.ts";
import { modeOf } from "../../books/billing/pricing/modes/index.ts";
import { priceOfTiers } from "../../books/billing/pricing/modes/input-tokens-tiers.ts";
import type { Price } from "../../books/billing/pricing/price.ts";
import { type Catalog, type ModelEntry, type PriceSource, priceOf } from "../../books/catalog/catalog.ts";
import { offeredPrice } from "../../books/catalog/next-price.ts";
import type { StatedTraits } from "../../books/catalog/traits.ts";

/** What callers pay: nothing, and why; as for the model that it is like; or points for a million tokens. */
export type PriceWish = { free: string } | "like" | { input: string; output: string };

interface OwnModelWish {
  like: ModelEntry;
  provider: string;
  /** Its name behind the provider's. */
  name: string;
  /** Its name at the provider. */
  upstream: string;
  price: PriceWish;
  /** The sizes of the machine that runs it; those of `like` if undefined. */
  context_tokens: number | undefined;
  output_tokens: number | undefined;
  /** Unix milliseconds. */
  now: number;
}

/** A model as a catalog file has it. What has its default is left out. */
export type WrittenModel = Pick<ModelEntry, "id" | "price" | "price_source"> & Partial<ModelEntry>;

/** The new model: abilities, sizes and traits of the one that it is like, no name of it, and the wished price. */
export function ownModel(wish: OwnModelWish, catalog: Catalog): WrittenModel {
  const { like, provider, name, upstream } = wish;
  const { media_tokens, strict, permission, video, traits } = like;
  const context_tokens = wish.context_tokens ?? like.context_tokens;
  const output_tokens = wish.output_tokens ?? like.output_tokens;
  return {
    id: `${provider}/${name}`,
    display_name: `${name === nameOf(like) ? like.display_name : name} on ${provider}`,
    created: (wish.now - (wish.now % dayMs)) / 1000,
    owned_by: provider,
    capabilities: like.capabilities,
    ...(context_tokens > 0 && { context_tokens }),
    ...(output_tokens > 0 && { output_tokens }),
    ...(media_tokens !== null && { media_tokens: Math.min(media_tokens, context_tokens) }),
    ...pricedAs(wish, catalog),
    ...(permission !== null && { permission }),
    ...(strict && { strict }),
    ...(video && { video }),
    ...(traits && { traits: traitsAs(like.id, traits) }),
    channels: [{ provider, model: upstream } as ModelEntry["channels"][number]],
  };
}

/** A model's name without the provider before it. */
export function nameOf({ id }: Pick<ModelEntry, "id">): string {
  return id.slice(id.indexOf("/") + 1);
}

/** The traits with a note of whose they are. */
function traitsAs(id: string, { source, ...traits }: StatedTraits): StatedTraits {
  return { source: `as ${id}: ${source}`, ...traits };
}

type Priced = Pick<ModelEntry, "price" | "price_source" | "next_price"> & { discount_rate?: string };

function pricedAs({ like, price, now }: OwnModelWish, catalog: Catalog): Priced {
  const as_of = spanOf(now, "day");
  const sourced = (source: string): PriceSource => ({ source, as_of });
  const written = priceOf(like, catalog);
  if (!written) throw new Error(`${like.id} has no price`);
  const { price: ofLike, discount_rate, next_price } = offeredPrice({ ...like, price: written }, now);
  if (price === "like") {
    const { price_source } = like;
    const read = price_source
      ? { ...price_source, source: `as ${like.id}: ${price_source.source}` }
      : sourced(`as ${like.id}`);
    return {
      price: ofLike,
      price_source: read,
      ...(discount_rate !== "1" && { discount_rate }),
      ...(next_price && { next_price }),
    };
  }
  if ("free" in price) return { price: freeAs(ofLike), price_source: sourced(price.free) };
  if (modeOf(ofLike).measures !== "tokens")
    throw new Error(`${like.id} is not priced by tokens: give --price like or --price free`);
  const { input, output } = price;
  return { price: tokensAt(input, output), price_source: sourced("as its operator says") };
}

/** A price of nothing for what the other one counts. The kinds of tokens that it has a rate for stay allowed. */
function freeAs(price: Price): Price {
  const { rates = {}, ...own } = price;
  if (modeOf(price).measures !== "tokens") return withoutAmounts(own) as Price;
  const kinds = Object.entries(rates).filter(([, rate]) => typeof rate === "string");
  const zero = Object.fromEntries(kinds.map(([kind]) => [kind, "0"]));
  return { ...tokensAt("0", "0"), ...(kinds.length > 0 && { rates: zero }) } as Price;
}

/** So many points for a million tokens of input, cached or not, and of output. */
function tokensAt(input: string, output: string): Price {
  return priceOfTiers([{ up_to: null, input, output, cache_read: input, cache_write: input }]);
}

/** The same value with "0" for each decimal in it. */
function withoutAmounts(value: unknown): unknown {
  if (typeof value === "string") return /^\d/.test(value) ? "0" : value;
  if (Array.isArray(value)) return value.map(withoutAmounts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutAmounts(inner)]));
}
