/**
 * The most that a call can cost: what is held for it. Like a charge it is a sum over rate cards, with no clock and no
 * catalog.
 */
import { parseRate } from "../points.ts";
import { countedIn, type TokenKind, tokenKinds, type UsageCounts } from "../usage.ts";
import { costOf, countOf } from "./line.ts";
import type { Band, RateCard } from "./modes/mode.ts";
import type { PinnedPrice } from "./price.ts";
import { rateCard } from "./rate-card.ts";
import { callPriceOf, callsLine, type Switch, waysOpen } from "./rates.ts";

/** The largest usage a call can come to. */
export interface UsageBounds {
  /** Cached tokens included. */
  input_tokens: number;
  output_tokens: number;
  images?: number;
  seconds?: number;
  resolution?: string;
  /** The settings of the request that may cost more. */
  switches?: Switch[];
}

/**
 * The most that `charge` can come to within these bounds, 10⁻¹⁸ points: this is held at admission. A later tier may be
 * cheaper than an earlier one, so the maximum is taken over every tier in reach, each filled as far as it goes. Throws
 * like `charge`.
 */
export function holdPoints(bounds: UsageBounds, pinned: PinnedPrice): bigint {
  const switches = bounds.switches ?? [];
  const lines = switches.flatMap(({ kind, name, calls = 0 }) =>
    kind === "tool" ? (callsLine(pinned.price, name, calls) ?? []) : [],
  );
  const named = switches.filter(({ kind }) => kind === "tokenKind").map(({ name }) => name);
  const asked = named.length === 0 ? [] : tokenKinds.filter((kind) => named.includes(kind));
  const ways = waysOpen(pinned.price, switches).map((way) => {
    const price = callPriceOf(pinned.price, way);
    const { basis, bands } = rateCard(price, bounds.resolution);
    const reach = bounds.input_tokens + (basis === "total_tokens" ? bounds.output_tokens : 0);
    const reachable = bands.filter(({ from }) => from <= reach);
    return largest(reachable.map((band) => bandMaximum(bounds, basis, band, asked)));
  });
  const most = lines.reduce(
    (sum, { dimension, quantity, unit_price }) => sum + costOf(dimension, quantity, unit_price),
    largest(ways),
  );
  return most * parseRate(pinned.discount_rate);
}

/** The cost of the dearest usage in one band, before the discount, in 10⁻¹² points. */
function bandMaximum(
  bounds: UsageBounds,
  basis: RateCard["basis"],
  { to, prices }: Band,
  asked: TokenKind[],
): bigint {
  // Any token may turn out to be the dearest that its side can have: a cached one, or a kind that was asked for.
  const dearest = (counts: readonly (keyof UsageCounts)[]): bigint => {
    let most = 0n;
    for (const dimension of counts) most = larger(most, costOf(dimension, 1, prices[dimension]));
    for (const kind of asked) {
      const dimension = `${kind}_tokens` as const;
      if (counts.includes(countedIn[kind])) most = larger(most, costOf(dimension, 1, prices[dimension]));
    }
    return most;
  };
  const input = { tokens: Math.min(bounds.input_tokens, to), each: dearest(inputCounts) };
  const output = { tokens: bounds.output_tokens, each: dearest(outputCounts) };
  // Where both sides share the band's room, the dearer side takes all it can and the other side takes the rest.
  const sides = input.each < output.each ? [output, input] : [input, output];
  let room = basis === "total_tokens" ? to : Infinity;
  let total =
    costOf("generated_images", bounds.images ?? 0, prices.generated_images) +
    costOf("video_seconds", bounds.seconds ?? 0, prices.video_seconds);
  for (const { tokens, each } of sides) {
    const taken = Math.min(tokens, room);
    room -= taken;
    total += BigInt(countOf(taken)) * each;
  }
  return total;
}

const inputCounts = ["input_tokens", "cache_read_tokens", "cache_write_tokens"] as const;
const outputCounts = ["output_tokens"] as const;

function larger(one: bigint, other: bigint): bigint {
  return one < other ? other : one;
}

function largest(values: bigint[]): bigint {
  return values.reduce(larger, 0n);
}
