/** Prices of models as lines to read, in the units that receipts have. */
import type { Price, Rates, TierPrice } from "../shared/books/billing/pricing/price.ts";
import type { Model } from "./api-types.ts";

/** What a price is for: so many tokens, a picture, a second, a call of a tool, a request that uses it, each request. */
export type Per = "million" | "image" | "second" | "call" | "request" | "each_request";

/** The sizes that a price holds for: the tokens of the input, or all of a call. `to` null: no end. */
export interface Size {
  of: "input" | "total";
  from: number;
  to: number | null;
}

export interface PriceLine {
  /** As receipts name it, such as `cache_read_tokens`; or the tool's name, or the way in which a call is served. */
  what: string;
  kind: "count" | "tool" | "way";
  size?: Size;
  /** A resolution, or the name of a way that a call can be served in. */
  detail?: string;
  /** It holds for calls that are served so: the kind of the way, and its name. */
  way?: readonly [kind: string, name: string];
  /** Points, a decimal string; or the factor for every price of tokens. */
  points?: string;
  factor?: string;
  per?: Per;
}

/** What a list of models shows of a price. */
export interface MainPrice {
  /** For a million tokens, at the first tier. */
  input?: string;
  output?: string;
  cached?: string;
  /** Larger calls cost otherwise. */
  isTiered: boolean;
  /** Of a picture or a second: the least and the most. */
  each?: [least: string, most: string];
  per: Per;
  /** Tools of the provider that have a rate. */
  tools: string[];
}

/** The line of the first tier, or undefined for a model without a price. */
export function mainPrice({ price: given }: Pick<Model, "price">): MainPrice | undefined {
  const price = given as Price | null;
  if (!price) return undefined;
  const { tools = {}, tools_once = {}, unasked = {} }: Rates = price.rates ?? {};
  const more = { tools: Object.keys({ ...tools, ...tools_once, ...unasked }) };
  if (price.mode === "per_image")
    return { isTiered: false, each: [price.unit_price, price.unit_price], per: "image", ...more };
  if (price.mode === "per_second") {
    const all = Object.values(price.by_resolution).toSorted((one, other) => Number(one) - Number(other));
    return { isTiered: false, each: [all[0] ?? "0", all.at(-1) ?? "0"], per: "second", ...more };
  }
  const lines = tokenLines(price);
  const first = (name: string) => lines.find(({ what }) => what === `${name}_tokens`)?.points ?? "0";
  return {
    input: first("input"),
    output: first("output"),
    cached: first("cache_read"),
    isTiered: lines.some(({ size }) => size !== undefined),
    per: "million",
    ...more,
  };
}

/** All lines of a price: what is counted, by size, then what a request may switch on. */
export function priceLines(price: Price): PriceLine[] {
  return [...countLines(price), ...rateLines(price.rates ?? {})];
}

function countLines(price: Price): PriceLine[] {
  if (price.mode === "per_image")
    return [{ kind: "count", what: "generated_images", points: price.unit_price, per: "image" }];
  if (price.mode !== "per_second") return tokenLines(price);
  return Object.entries(price.by_resolution).map(([detail, points]) => ({
    kind: "count",
    what: "video_seconds",
    detail,
    points,
    per: "second",
  }));
}

type Counted = Exclude<Price | TierPrice, { mode: "per_image" | "per_second" }>;

const counts = ["input", "cache_read", "cache_write", "output"] as const;

function tokenLines(price: Counted): PriceLine[] {
  if (price.mode === "flat_tokens") return counts.map((name) => tokens(name, price[name]));
  if (price.mode === "input_tokens_tiers")
    return sized(price.tiers, "input").flatMap(([tier, size]) => [
      ...counts.map((name) => tokens(name, tier[name], size)),
      ...kindLines(tier.rates ?? {}, size),
    ]);
  const tiers = (name: "input" | "output") =>
    sized(price[name], "total").map(([tier, size]) => tokens(name, tier.price, size));
  const cache = (["cache_read", "cache_write"] as const).map((name) => tokens(name, price[name]));
  return [...tiers("input"), ...cache, ...tiers("output")];
}

const tokens = (name: string, points: string, size?: Size): PriceLine => ({
  kind: "count",
  what: `${name}_tokens`,
  points,
  per: "million",
  ...(size && { size }),
});

/** Tiers with their sizes. A single one holds for every size. */
function sized<Tier extends { up_to: number | null }>(
  tiers: readonly Tier[],
  of: Size["of"],
): [Tier, Size | undefined][] {
  return tiers.map((tier, at) => {
    const before = tiers[at - 1]?.up_to;
    const size = { of, from: before === undefined ? 0 : (before ?? 0) + 1, to: tier.up_to };
    return [tier, tiers.length > 1 ? size : undefined];
  });
}

/** Kinds of tokens that cost otherwise than the rest of their count. */
const kinds = [
  ...["cache_write_1h", "cache_write_12h", "audio_input", "image_input"],
  ...["audio_cache_read", "audio_output", "image_output"],
] as const;

function kindLines(rates: Rates, size?: Size): PriceLine[] {
  return kinds.flatMap((name) => {
    const points = rates[name as keyof Rates];
    return typeof points === "string" ? [tokens(name, points, size)] : [];
  });
}

function rateLines(rates: Rates): PriceLine[] {
  const tools = (of: Record<string, string> = {}, per: Per) =>
    Object.entries(of).map(([what, points]): PriceLine => ({ kind: "tool", what, points, per }));
  const ways = (["service_tier", "speed", "inference_geo"] as const).flatMap((what) =>
    Object.entries(rates[what] ?? {}).flatMap(([detail, rate]) => wayLines(what, detail, rate)),
  );
  const batch = rates.batch ? wayLines("batch", "", rates.batch) : [];
  return [
    ...kindLines(rates),
    ...tools(rates.tools, "call"),
    ...tools(rates.tools_once, "request"),
    ...tools(rates.unasked, "each_request"),
    ...ways,
    ...batch,
  ];
}

/** A way that multiplies the prices is one line. One with prices of its own has their lines. */
function wayLines(what: string, detail: string, rate: string | TierPrice): PriceLine[] {
  if (typeof rate === "string") return [{ kind: "way", what, detail, factor: rate }];
  const lines = [...tokenLines(rate), ...kindLines(rate.rates ?? {})];
  return lines.map((line) => ({ ...line, way: [what, detail] as const }));
}

/** The prices of what is counted, in calls that are served in one way: a row for each count, a column for each size. */
export interface PriceTable {
  /** Undefined: the standard way. */
  way: PriceLine["way"];
  /** At least one. */
  sizes: (Size | undefined)[];
  /** `points` in the order of the sizes. */
  rows: { what: string; detail: string | undefined; per: Per | undefined; points: string[] }[];
}

/** The lines of a price as tables, and those that no table has: tools, and ways that multiply the prices. */
export function priceCard(lines: readonly PriceLine[]): { tables: PriceTable[]; others: PriceLine[] } {
  const counted = lines.filter(({ kind }) => kind === "count");
  const byWay = Map.groupBy(counted, ({ way }) => way?.join(" ") ?? "");
  return {
    tables: [...byWay.values()].map(tableOf),
    others: lines.filter(({ kind }) => kind !== "count"),
  };
}

function tableOf(lines: PriceLine[]): PriceTable {
  const starts = Map.groupBy(
    lines.flatMap(({ size }) => size ?? []),
    ({ from }) => from,
  );
  const sizes = [...starts.values()]
    .flatMap(([size]) => size ?? [])
    .toSorted((one, other) => one.from - other.from);
  const columns = sizes.length > 0 ? sizes : [undefined];
  const holds = ({ size }: PriceLine, { from } = { from: 0 }) =>
    size === undefined || (size.from <= from && (size.to === null || from <= size.to));
  const rows = Map.groupBy(lines, ({ what, detail }) => `${what} ${detail}`);
  return {
    way: lines[0]?.way,
    sizes: columns,
    rows: [...rows.values()].map((its) => ({
      what: its[0]?.what ?? "",
      detail: its[0]?.detail,
      per: its[0]?.per,
      points: columns.map((size) => its.find((line) => holds(line, size))?.points ?? ""),
    })),
  };
}
