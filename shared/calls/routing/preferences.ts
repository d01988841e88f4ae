/** What a caller wishes of the order, in the header `x-gateway-route` (shared/calls/routing/README.md "The order"). */
import { GatewayError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";

/** By what a caller may have channels sorted. The price is what the house pays. */
const sorts = ["latency", "throughput", "price"] as const;
type Sort = (typeof sorts)[number];

export interface Preferences {
  sort?: Sort;
  /** Providers. Others are not asked. */
  only?: string[];
  /** Providers that are asked first, in this order. */
  order?: string[];
  /** Providers that are not asked. */
  ignore?: string[];
  /** `off`: a single channel is asked. */
  fallbacks?: "off" | "on";
}

const name = "x-gateway-route";
/** A provider's name, as the catalog spells them. */
const provider = /^[a-z][a-z0-9_-]*$/;

/** Reads the header's value, if there is one. Throws `invalid_request` for wrong or repeated words, or too many. */
export function readPreferences(value: string | undefined): Preferences | undefined {
  if (value === undefined || value.trim() === "") return undefined;
  if (value.length > limits.routeHeaderCharsMax) throw invalid();
  const preferences: Preferences = {};
  for (const part of value.split(";")) {
    if (part.trim() === "") continue;
    const [word = "", wish = "", ...more] = part.split("=").map((each) => each.trim());
    if (more.length > 0 || Object.hasOwn(preferences, word)) throw invalid();
    if (word === "sort") preferences.sort = oneOf(sorts, wish);
    else if (word === "fallbacks") preferences.fallbacks = oneOf(["off", "on"] as const, wish);
    else if (word === "only" || word === "order" || word === "ignore") preferences[word] = providersOf(wish);
    else throw invalid();
  }
  return preferences;
}

function oneOf<Word extends string>(words: readonly Word[], wish: string): Word {
  const found = words.find((word) => word === wish);
  if (found === undefined) throw invalid();
  return found;
}

function providersOf(wish: string): string[] {
  const names = wish.split(",").map((each) => each.trim());
  if (names.length > limits.routeProvidersMax || !names.every((each) => provider.test(each))) throw invalid();
  return names;
}

function invalid(): GatewayError {
  const message =
    `${name} takes \`sort=${sorts.join("|")}\`, \`only=\`, \`order=\` and \`ignore=\` with up to ` +
    `${limits.routeProvidersMax} providers, and \`fallbacks=off|on\`, each once and separated by \`;\`.`;
  return new GatewayError("invalid_request", { message, param: name });
}

/** The rejection of a call whose wishes leave no channel of its model. */
export function nothingLeft(): GatewayError {
  const message = `${name} leaves no provider that could take this call.`;
  return new GatewayError("invalid_request", { message, param: name });
}
