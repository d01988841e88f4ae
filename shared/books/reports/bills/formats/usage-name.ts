/** Names of usage, such as `USE1-Claude4.5Sonnet-cache-read-input-token-count`: a model, a kind of token and a tier. */
import type { TokenCount } from "../../../ledger/house-cost.ts";
import { costIn, countIn, shown } from "../bill.ts";

interface UsageName {
  model: string;
  measure: TokenCount;
  tier: string;
}

const kinds: readonly (readonly [TokenCount, RegExp])[] = [
  ["cache_write_tokens", /[-_ ]cache[-_ ]?(?:write|creation)(?:[-_ ]input)?[-_ ]tokens?(?:[-_ ]count)?/i],
  ["cache_read_tokens", /[-_ ](?:cache[-_ ]?read|cached)(?:[-_ ]input)?[-_ ]tokens?(?:[-_ ]count)?/i],
  ["input_tokens", /[-_ ](?:mantle[-_ ])?input[-_ ]tokens?(?:[-_ ]count)?/i],
  ["output_tokens", /[-_ ](?:mantle[-_ ])?output[-_ ]tokens?(?:[-_ ]count)?/i],
];

/** What a name says; undefined where it names no tokens. */
export function usageName(name: string): UsageName | undefined {
  for (const [measure, pattern] of kinds) {
    const found = pattern.exec(name);
    if (!found) continue;
    const model = name.slice(0, found.index).replace(/^[A-Z]{2,4}\d-/, "");
    const rest = name.slice(found.index + found[0].length).toLowerCase();
    return model === "" ? undefined : { model, measure, tier: /batch|flex|priority/.exec(rest)?.[0] ?? "" };
  }
  return undefined;
}

const powers: readonly (readonly [RegExp, string])[] = [
  [/^(?:1m|million|1,?000,?000)(?: (?:tokens?|count|units?))?$/i, "e6"],
  [/^(?:1k|thousand|1,?000)(?: (?:tokens?|count|units?))?$/i, "e3"],
  [/^(?:tokens?|count|units?|)$/i, ""],
];

function powerOf(unit: string): string | undefined {
  return powers.find(([pattern]) => pattern.test(unit.trim()))?.[1];
}

/** Whether a unit counts tokens, such as `1K tokens` or `count`. */
export function isTokenUnit(unit: string): boolean {
  return powerOf(unit) !== undefined;
}

/** A quantity in tokens, by its unit such as `1K tokens`. Throws `RangeError`. */
export function tokensOfUnit(quantity: unknown, unit: string): number {
  const power = powerOf(unit);
  if (power === undefined)
    throw new RangeError(`the unit must be tokens, 1K tokens or 1M tokens, and is ${shown(unit)}`);
  return countIn(
    costIn(`${costIn(quantity, "the quantity")}${power}`, "the quantity"),
    "the quantity in tokens",
  );
}
