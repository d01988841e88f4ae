/** What calls and fees brought, and what the calls cost the house, added up. Points are 10⁻¹⁸, costs 10⁻¹² of a currency. */

import type { KnownCost } from "../../ledger/house-cost.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";

/** The sums of all calls, or of a model, a provider, a customer or a day. */
export interface MarginSums {
  /** Calls of the quota, as in a report. */
  calls: number;
  /** What wallets paid for calls. */
  charged: bigint;
  list: bigint;
  /** Plan fees of periods that begin here. */
  fees: bigint;
  /** Of `charged`: that of calls whose cost is known. */
  known: bigint;
  /** The cost of calls that wallets paid, and of calls of subscriptions. */
  wallet: bigint;
  plan: bigint;
  /** The part of both that is estimated. */
  estimated: bigint;
  /** Calls whose cost is not known. */
  unknown: number;
}

/** The sums of nothing. */
export function noMargin(): MarginSums {
  return {
    ...{ calls: 0, charged: 0n, list: 0n, fees: 0n },
    ...{ known: 0n, wallet: 0n, plan: 0n, estimated: 0n, unknown: 0 },
  };
}

/** What a call adds to sums beside its cost. */
export type CallIncome = Pick<MarginSums, "calls" | "charged" | "list">;

/** Adds what a call brought. `isKnown`: its cost is known. */
export function addIncome(sums: MarginSums, { calls, charged, list }: CallIncome, isKnown: boolean): void {
  sums.calls += calls;
  sums.charged += charged;
  sums.list += list;
  if (isKnown) sums.known += charged;
  else sums.unknown += 1;
}

/** Adds what an attempt of a call cost. */
export function addCost(sums: MarginSums, mode: UsageEvent["mode"], { amount, basis }: KnownCost): void {
  sums[mode === "subscription" ? "plan" : "wallet"] += amount;
  if (basis === "estimated") sums.estimated += amount;
}
