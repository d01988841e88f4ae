/**
 * The rates of whatever a request can switch on (catalog/README.md, "Switches"): which of them a usage is charged by, and
 * which a request needs. A multiplied price has at most six decimals like any other, so that every product stays
 * whole in 10⁻¹⁸ points: the catalog's check sees to it.
 */
import { formatPoints, parseDecimal } from "../points.ts";
import { type Part, parts, type UsageDetails } from "../usage.ts";
import type { PartRates, PinnedPrice, Price, Rates, TierPrice, TokenTier } from "./price.ts";

/** A setting of a request that may change what its provider asks for the call. */
export interface Switch {
  /** The request's own name of it, as a refusal tells it. */
  field: string;
  /** What the price must have: a tier, a speed or a place by its name, a part of the counts, or a tool. */
  kind: Way | "part" | "tool";
  name: string;
  /** How often a tool can be called. */
  calls?: number;
  /** The name that replies count it under, where a request asks for a dearer form of it. */
  counted_as?: string;
  /** A crossing to another protocol carries it. */
  crosses?: true;
  /** The request did not ask for it by name, and it may come all the same: held for, never refused. */
  implied?: true;
}

/** How a call can be served. The provider says which way it took. */
export const ways = ["service_tier", "speed", "inference_geo"] as const;
export type Way = (typeof ways)[number];

/** What is no switch: the catalog's prices are those of the standard way. */
const standard: Record<Way, readonly string[]> = {
  service_tier: ["", "auto", "default", "standard", "standard_only"],
  speed: ["", "standard"],
  inference_geo: ["", "global", "not_available"],
};

/** Whether a way is the standard one, by whatever name it goes. */
export function isStandard(way: Way, value: string): boolean {
  return standard[way].includes(value);
}

/** Details without ways that are the standard one: they need no word in an event. */
export function withoutStandard(details: UsageDetails = {}): UsageDetails {
  const { service_tier, speed, inference_geo, ...rest } = details;
  const told = Object.entries({ service_tier, speed, inference_geo }).filter(
    ([way, value]) => value !== undefined && !isStandard(way as Way, value),
  );
  return { ...rest, ...Object.fromEntries(told) };
}

/** A way that a call took, and what it does to the prices: null has prices of its own. */
export interface WayTaken {
  way: Way;
  value: string;
  multiplier: string | null;
}

/** A price as one call is charged by it. */
export interface Terms {
  price: Price | TierPrice;
  parts: PartRates;
  /** Decimal strings that multiply the price of every token, picture and second. */
  multipliers: string[];
  ways: WayTaken[];
  /** Ways without a rate, as `service_tier scale`: they are charged as the standard one. */
  unpriced: string[];
}

/** What a price comes to for a call that was served so. */
export function termsOf(price: Price, details: Pick<UsageDetails, Way> = {}): Terms {
  const rates: Rates = price.rates ?? {};
  const terms: Terms = { price, parts: partRates(rates), multipliers: [], ways: [], unpriced: [] };
  for (const way of ways) {
    const value = details[way];
    if (value === undefined || isStandard(way, value)) continue;
    const rate = own(rates[way], value);
    if (rate === undefined) terms.unpriced.push(`${way} ${value}`);
    else if (typeof rate === "string") terms.multipliers.push(rate);
    else Object.assign(terms, { price: rate, parts: { ...terms.parts, ...rate.rates } });
    if (rate !== undefined)
      terms.ways.push({ way, value, multiplier: typeof rate === "string" ? rate : null });
  }
  return terms;
}

/** The rate that a switch needs of a price: undefined where it has none, so that the switch is refused. */
export function rateFor(price: Price, { kind, name }: Switch): string | TierPrice | undefined {
  const rates: Rates = price.rates ?? {};
  if (kind === "tool") return toolRate(price, name)?.price;
  if (kind !== "part") return own(rates[kind], name);
  return parts.includes(name as Part) ? partsPriced(price).get(name as Part) : undefined;
}

/** What calls of a tool cost, each or all of a request's together. */
export function toolRate(price: Price, name: string): { price: string; once: boolean } | undefined {
  const rates: Rates = price.rates ?? {};
  const [each, once] = [own(rates.tools, name), own(rates.tools_once, name)];
  if (each !== undefined) return { price: each, once: false };
  return once === undefined ? undefined : { price: once, once: true };
}

/** The ways a request with these switches may be served in: the standard one, and each that has a rate. */
export function waysOpen(price: Price, switches: Switch[]): Pick<UsageDetails, Way>[] {
  const rates: Rates = price.rates ?? {};
  let open: Pick<UsageDetails, Way>[] = [{}];
  for (const way of ways) {
    const asked = switches.filter(({ kind }) => kind === way).map(({ name }) => name);
    // Who leaves the choice to the provider may get any.
    const names = Object.keys(rates[way] ?? {}).filter(
      (name) => asked.includes(name) || asked.includes("auto"),
    );
    open = [...open, ...names.flatMap((name) => open.map((each) => ({ ...each, [way]: name })))];
  }
  return open;
}

/** A price times decimals: exact, or a `RangeError`, since more than six decimals are no price. */
export function multiplied(price: string, multipliers: string[]): string {
  if (multipliers.length === 0) return price;
  const scale = 10n ** BigInt(6 * multipliers.length);
  const product = multipliers.reduce((all, each) => all * parseDecimal(each, 6), parseDecimal(price, 6));
  if (product % scale !== 0n)
    throw new RangeError(`${price} × ${multipliers.join(" × ")} has over six decimals`);
  return formatPoints((product / scale) * 10n ** 12n);
}

/**
 * A pinned price with the rates that this call is charged by and no others: a whole price list would make items of
 * one KB longer, and each of their writes dearer. The charge of the call is the same.
 */
export function withRatesOf(pinned: PinnedPrice, details: UsageDetails = {}): PinnedPrice {
  const { rates = {}, ...rest } = pinned.price as Price & { rates?: Rates };
  const used = Object.keys(details.tokens ?? {});
  const kept = withoutEmpty({
    ...pick(rates, used),
    ...Object.fromEntries(ways.map((way) => [way, pick(rates[way], [details[way] ?? ""])])),
    tools: pick(rates.tools, Object.keys(details.calls ?? {})),
    tools_once: pick(rates.tools_once, Object.keys(details.calls ?? {})),
  });
  const price =
    rest.mode === "input_tokens_tiers"
      ? { ...rest, tiers: rest.tiers.map((tier) => withoutEmpty({ ...tier, rates: pick(tier.rates, used) })) }
      : rest;
  return { ...pinned, price: withoutEmpty({ ...price, rates: kept }) as Price };
}

/** An object without the members that have none themselves. */
function withoutEmpty(members: object): object {
  const isEmpty = (value: unknown) =>
    typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value)));
}

/** The rates of parts alone. */
export function partRates(rates: Rates | PartRates = {}): PartRates {
  return pick(rates as Record<string, string>, parts);
}

/** Every part that has a price somewhere, with one of its prices. */
function partsPriced(price: Price): Map<Part, string> {
  const tiers: TokenTier[] = price.mode === "input_tokens_tiers" ? price.tiers : [];
  const found = [price.rates ?? {}, ...tiers.map(({ rates }) => rates ?? {})];
  return new Map(found.flatMap((rates) => Object.entries(partRates(rates)) as [Part, string][]));
}

function pick<Value>(
  from: Record<string, Value> | object = {},
  names: readonly string[] = [],
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(from as Record<string, Value>).filter(([name]) => names.includes(name)),
  );
}

/** A lookup by a name from outside must not find what every object inherits. */
function own<Value>(record: Record<string, Value> | undefined, name: string): Value | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}
