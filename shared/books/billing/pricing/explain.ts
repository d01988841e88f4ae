/** Explains a charge to whoever pays it: the lines of its bill, and the tiers that priced them. */
import type { Usage } from "../usage.ts";
import { type Charge, type ChargeDetail, charge } from "./charge.ts";
import { modeOf } from "./modes/index.ts";
import type { TierList } from "./modes/mode.ts";
import type { PinnedPrice } from "./price.ts";
import { callPriceOf, type WayTaken } from "./rates.ts";
import { sizeOf, type TierBasis, tierOf } from "./tiers.ts";

/** The tier that priced a call, or one side of it. */
interface TierTaken {
  /** Input and output stand apart where each has tiers of its own. */
  side: TierList["side"];
  basis: TierBasis;
  /** The call's size by that basis. */
  tokens: number;
  /** Both bounds belong to the tier; null is without end. */
  from: number;
  up_to: number | null;
  /** One sentence for a reader who has seen no price list. */
  reason: string;
}

interface Explanation extends Charge {
  /** Empty where the price has no tiers. */
  tiers: TierTaken[];
  ways: (WayTaken & { reason: string })[];
}

/** The charge of a usage, with its reasons. The lines always add up to the points. Throws like `charge`. */
export function explain(usage: Usage, pinned: PinnedPrice, detail: ChargeDetail = {}): Explanation {
  const bill = charge(usage, pinned, detail);
  const { price } = callPriceOf(pinned.price, usage.details);
  const tiers = modeOf(price)
    .tierLists(price)
    .map((list) => tierTaken(list, usage));
  return { ...bill, tiers, ways: bill.ways.map((taken) => ({ ...taken, reason: reasonForWay(taken) })) };
}

function reasonForWay({ way, value, multiplier }: WayTaken): string {
  const prices =
    multiplier === null ? "which has prices of its own" : `which multiplies its prices by ${multiplier}`;
  return `The provider served the call with ${way} ${value}, ${prices}.`;
}

const measures: Record<TierBasis, string> = {
  input_tokens: "input tokens, cached ones included,",
  total_tokens: "tokens of input, cached ones included, and output together,",
};

const sides: Record<TierList["side"], string> = {
  call: "the whole call",
  input: "all of its input",
  output: "all of its output",
};

function tierTaken({ side, basis, tiers }: TierList, usage: Usage): TierTaken {
  const tokens = sizeOf(usage, basis);
  const tier = tierOf(tiers, tokens);
  const below = tiers[tiers.indexOf(tier) - 1]?.up_to;
  const from = typeof below === "number" ? below + 1 : 0;
  const bounds = tier.up_to === null ? `from ${from} on` : `from ${from} to ${tier.up_to}`;
  const reason = `The call has ${tokens} ${measures[basis]} so ${sides[side]} is priced at the tier ${bounds}.`;
  return { side, basis, tokens, from, up_to: tier.up_to, reason };
}
