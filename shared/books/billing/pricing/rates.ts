/**
 * Rates: the prices of the things that a request can switch on (books/catalog/README.md, "Switches"). This file says
 * which rates a usage is charged by and which rate a request needs. A price times its factors has at most six decimals,
 * like any other price, so that every product is a whole number of 10⁻¹⁸ points. The catalog's check refuses factors
 * that break this.
 */
import type { JsonPath } from "../../../base/json/body.ts";
import { formatPoints, parseRate } from "../points.ts";
import { type TokenKind, tokenKinds, type Usage, type UsageDetails } from "../usage.ts";
import type { ChargeLine } from "./line.ts";
import { modeOf } from "./modes/index.ts";
import type { TokenKindRates } from "./modes/mode.ts";
import type { Price, Rates, TierPrice } from "./price.ts";

/** A setting of a request that may change what its provider asks for the call. */
export interface Switch {
  /** The request's own name of it, for the message of a refusal. */
  field: string;
  /** Where the price has its rate: under a way, among the kinds of tokens, or among the tools. */
  kind: Way | "tokenKind" | "tool";
  name: string;
  /** How often a tool can be called. */
  calls?: number;
  /** The request does not say how often, but may: the member that would. */
  bound_by?: JsonPath;
  /** Nothing bounds how often the provider runs the tool: no field of the request, and no rule of the provider. */
  boundless?: boolean;
  /** Replies count a dearer form of a tool under this name. */
  counted_as?: string;
  /** A crossing to another protocol carries it. */
  crosses?: true;
  /** A tool that the provider runs for no more than its tokens. Policies alone ask for it: it needs no rate and no hold. */
  free?: true;
  /** The request did not name it, and it may happen all the same. The gateway holds for it and never refuses it. */
  implied?: true;
}

/** The ways in which a provider can serve a call. Its reply says which ones it took. */
export const ways = ["service_tier", "speed", "inference_geo"] as const;
export type Way = (typeof ways)[number];

/** Names of the standard ways, which the catalog's prices are for. Groq calls its standard tier `on_demand`. */
const standard: Record<Way, readonly string[]> = {
  service_tier: ["", "auto", "default", "standard", "standard_only", "on_demand"],
  speed: ["", "standard"],
  inference_geo: ["", "global", "not_available"],
};

/** Whether a way is the standard one, under any of its names. */
export function isStandard(way: Way, value: string): boolean {
  return standard[way].includes(value);
}

/** The details without ways that are the standard ones: an event does not mention these. */
export function withoutStandard(details: UsageDetails = {}): UsageDetails {
  if (ways.every((way) => details[way] === undefined)) return details;
  const { service_tier, speed, inference_geo, ...rest } = details;
  const named = Object.entries({ service_tier, speed, inference_geo }).filter(
    ([way, value]) => value !== undefined && !isStandard(way as Way, value),
  );
  return { ...rest, ...Object.fromEntries(named) };
}

/** A way that a call took, and the factor on its prices. A null factor means prices of its own. */
export interface WayTaken {
  way: Way;
  value: string;
  multiplier: string | null;
}

/** The price of one call, after the ways it was served in. */
export interface CallPrice {
  price: Price | TierPrice;
  kindRates: TokenKindRates;
  /** Factors for the price of every token, image and second, as decimal strings. */
  multipliers: string[];
  ways: WayTaken[];
  /** Ways without a rate, as `service_tier scale`. The call is charged as if it had not taken them. */
  unpriced: string[];
}

/** The price of a call that was served in these ways. */
export function callPriceOf(price: Price, details: Pick<UsageDetails, Way> = {}): CallPrice {
  const rates: Rates = price.rates ?? {};
  const own: CallPrice = { price, kindRates: kindRatesOf(rates), multipliers: [], ways: [], unpriced: [] };
  for (const way of ways) {
    const value = details[way];
    if (value === undefined || isStandard(way, value)) continue;
    const rate = ownMember(rates[way], value);
    if (rate === undefined) own.unpriced.push(`${way} ${value}`);
    else if (typeof rate === "string") own.multipliers.push(rate);
    else Object.assign(own, { price: rate, kindRates: { ...own.kindRates, ...rate.rates } });
    if (rate !== undefined) own.ways.push({ way, value, multiplier: typeof rate === "string" ? rate : null });
  }
  return own;
}

/** The rate that a price has for a switch. Where it is undefined the switch is refused. */
export function rateFor(
  price: Price,
  { kind, name }: Pick<Switch, "kind" | "name">,
): string | TierPrice | undefined {
  const rates: Rates = price.rates ?? {};
  if (kind === "tool") return toolRate(price, name)?.price;
  if (kind !== "tokenKind") return ownMember(rates[kind], name);
  return tokenKinds.includes(name as TokenKind) ? kindsPriced(price).get(name as TokenKind) : undefined;
}

/** The price of each call of a tool, or of all calls of a request together. */
export function toolRate(price: Price, name: string): { price: string; once: boolean } | undefined {
  const rates: Rates = price.rates ?? {};
  const each = ownMember(rates.tools, name);
  const once = ownMember(rates.unasked, name) ?? ownMember(rates.tools_once, name);
  if (each !== undefined) return { price: each, once: false };
  return once === undefined ? undefined : { price: once, once: true };
}

/** The line for calls of a tool; undefined where the tool has no rate. */
export function callsLine(price: Price, tool: string, calls: number): Omit<ChargeLine, "points"> | undefined {
  const rate = toolRate(price, tool);
  if (!rate) return undefined;
  return {
    dimension: `${tool}_calls`,
    quantity: rate.once ? Math.min(calls, 1) : calls,
    unit_price: rate.price,
  };
}

/** The tools that the provider runs in each request, asked or not. */
export function toolsUnasked({ rates = {} }: { rates?: Rates }): string[] {
  return Object.keys(rates.unasked ?? {});
}

/** A usage that is billed, with one call at least of each tool that the provider runs unasked. */
export function withUnasked(usage: Usage, price: Price): Usage {
  const unasked = toolsUnasked(price);
  if (unasked.length === 0) return usage;
  const told = usage.details?.calls;
  const calls = unasked.map((name) => [name, Math.max(1, told?.[name] ?? 0)] as const);
  return { ...usage, details: { ...usage.details, calls: { ...told, ...Object.fromEntries(calls) } } };
}

/** The ways in which a request with these switches may be served: the standard one, and each one that has a rate. */
export function waysOpen(price: Price, switches: Switch[]): Pick<UsageDetails, Way>[] {
  const rates: Rates = price.rates ?? {};
  let open: Pick<UsageDetails, Way>[] = [{}];
  for (const way of ways) {
    if (!switches.some(({ kind }) => kind === way)) continue;
    const asked = switches.filter(({ kind }) => kind === way).map(({ name }) => name);
    // With `auto` the provider chooses, so the call may be served in any way.
    const names = Object.keys(rates[way] ?? {}).filter(
      (name) => asked.includes(name) || asked.includes("auto"),
    );
    open = [...open, ...names.flatMap((name) => open.map((each) => ({ ...each, [way]: name })))];
  }
  return open;
}

/** A price times factors, exactly. Throws `RangeError` where the product has more than six decimals. */
export function multiplied(price: string, multipliers: string[]): string {
  if (multipliers.length === 0) return price;
  const scale = 10n ** BigInt(6 * multipliers.length);
  const product = multipliers.reduce((all, each) => all * parseRate(each), parseRate(price));
  if (product % scale !== 0n)
    throw new RangeError(`${price} × ${multipliers.join(" × ")} has over six decimals`);
  return formatPoints((product / scale) * 10n ** 12n);
}

/** The rates of token kinds, without the others. */
function kindRatesOf(rates: Rates): TokenKindRates {
  return pick(rates as Record<string, string>, tokenKinds);
}

/** Every kind of token that has a rate anywhere in a price, with one of its rates. */
function kindsPriced(price: Price): Map<TokenKind, string> {
  const found = [kindRatesOf(price.rates ?? {}), ...modeOf(price).tierRates(price)];
  return new Map(found.flatMap((rates) => Object.entries(rates) as [TokenKind, string][]));
}

/** The members of these names. A price list is much longer than what one call uses of it. */
export function pick<Value>(from: object = {}, names: readonly string[]): Record<string, Value> {
  // Most calls use nothing that has a rate.
  if (names.length === 0) return {};
  const record = from as Record<string, Value>;
  const known = names.filter((name) => Object.hasOwn(record, name));
  return Object.fromEntries(known.map((name) => [name, record[name] as Value]));
}

/** A member by a name from outside. Names that every object inherits find nothing. */
function ownMember<Value>(record: Record<string, Value> | undefined, name: string): Value | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}
