/** Why a call costs what it costs, for whoever pays: the lines of its bill, and the tiers that priced them. */

import type { Usage } from "../usage.ts";
import { type Charge, type ChargeDetail, charge } from "./charge.ts";
import type { PinnedPrice, Price, TierPrice } from "./price.ts";
import { sizeOf, type TierBasis, tierOf } from "./rate-card.ts";
import { termsOf, type WayTaken } from "./rates.ts";

/** The tier that one side of a call took, as a whole (contract §2.3). */
export interface TierTaken {
  /** Where input and output have tiers of their own, each is here. */
  side: "call" | "input" | "output";
  basis: TierBasis;
  /** The call's size by that basis. */
  tokens: number;
  /** Both inclusive; null is without end. */
  from: number;
  up_to: number | null;
  /** One sentence for a reader who has seen no price list. */
  reason: string;
}

export interface Explanation extends Charge {
  /** Empty where the price knows no tiers. */
  tiers: TierTaken[];
  ways: (WayTaken & { reason: string })[];
}

/** The charge of a usage with its reasons. Its lines add up to its points, always. Throws like `charge`. */
export function explain(usage: Usage, pinned: PinnedPrice, detail: ChargeDetail = {}): Explanation {
  const bill = charge(usage, pinned, detail);
  const ways = bill.ways.map((taken) => ({ ...taken, reason: reasonForWay(taken) }));
  return { ...bill, tiers: tiersTaken(termsOf(pinned.price, usage.details).price, usage), ways };
}

function reasonForWay({ way, value, multiplier }: WayTaken): string {
  const prices =
    multiplier === null ? "which has prices of its own" : `which multiplies its prices by ${multiplier}`;
  return `The provider served the call with ${way} ${value}, ${prices}.`;
}

function tiersTaken(price: Price | TierPrice, usage: Usage): TierTaken[] {
  switch (price.mode) {
    case "input_tokens_tiers":
      return [tierTaken("call", "input_tokens", price.tiers, usage)];
    case "total_tokens_tiers":
      return [
        tierTaken("input", "total_tokens", price.input, usage),
        tierTaken("output", "total_tokens", price.output, usage),
      ];
    default:
      return [];
  }
}

const measures: Record<TierBasis, string> = {
  input_tokens: "input tokens, cached ones included,",
  total_tokens: "tokens of input, cached ones included, and output together,",
};

const parts: Record<TierTaken["side"], string> = {
  call: "the whole call",
  input: "all of its input",
  output: "all of its output",
};

function tierTaken(
  side: TierTaken["side"],
  basis: TierBasis,
  tiers: { up_to: number | null }[],
  usage: Usage,
): TierTaken {
  const tokens = sizeOf(usage, basis);
  const tier = tierOf(tiers, tokens);
  const below = tiers[tiers.indexOf(tier) - 1]?.up_to;
  const from = typeof below === "number" ? below + 1 : 0;
  const bounds = tier.up_to === null ? `from ${from} on` : `from ${from} to ${tier.up_to}`;
  const reason = `The call has ${tokens} ${measures[basis]} so ${parts[side]} is priced at the tier ${bounds}.`;
  return { side, basis, tokens, from, up_to: tier.up_to, reason };
}
