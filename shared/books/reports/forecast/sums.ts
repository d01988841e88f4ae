/** What calls and fees come to now, and would come to with another catalog. Points are 10⁻¹⁸. */

import type { UsageEvent } from "../../ledger/usage-event.ts";
import type { UnknownCost } from "./house-cost.ts";

/** What a call counts as, on one side of the forecast. */
interface CallWorth {
  calls: number;
  charged: bigint;
  list: bigint;
}

/** The sums of one side. */
interface ForecastSide extends CallWorth {
  fees: bigint;
  /** Of the charged points: those of wallets' calls whose cost is known. */
  known: bigint;
}

/** What the house paid for calls, 10⁻¹² of the operator's currency. */
interface HouseSums {
  /** For calls that wallets paid. */
  wallet: bigint;
  /** For calls of subscriptions. */
  plan: bigint;
  /** Calls whose cost is not known, of either kind. */
  unknown: number;
}

/** The sums of all calls, or of a model or a customer. */
export interface ForecastSums {
  now: ForecastSide;
  other: ForecastSide;
  house: HouseSums;
}

/** The sums of nothing. */
export function noForecast(): ForecastSums {
  const side = () => ({ calls: 0, charged: 0n, list: 0n, fees: 0n, known: 0n });
  return { now: side(), other: side(), house: { wallet: 0n, plan: 0n, unknown: 0 } };
}

/** A call with what it is worth on both sides, and what it cost the house. */
export interface ForecastCall {
  mode: UsageEvent["mode"];
  now: CallWorth;
  other: CallWorth;
  cost: bigint | UnknownCost;
}

/** Adds a call to sums. */
export function addCall({ now, other, house }: ForecastSums, call: ForecastCall): void {
  addWorth(now, call.now);
  addWorth(other, call.other);
  if (typeof call.cost !== "bigint") {
    house.unknown += 1;
  } else if (call.mode === "subscription") {
    house.plan += call.cost;
  } else {
    house.wallet += call.cost;
    now.known += call.now.charged;
    other.known += call.other.charged;
  }
}

function addWorth(side: ForecastSide, { calls, charged, list }: CallWorth): void {
  side.calls += calls;
  side.charged += charged;
  side.list += list;
}

/** Adds a plan fee to sums. */
export function addFee({ now, other }: ForecastSums, fee: { now: bigint; other: bigint }): void {
  now.fees += fee.now;
  other.fees += fee.other;
}

/** What a payer pays on one side: for calls, and for plans. */
export function paysOf({ charged, fees }: ForecastSide): bigint {
  return charged + fees;
}
