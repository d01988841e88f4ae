/** What a range brought, and what it cost the house (margin.md). Memory holds sums alone. */

import { dayOf } from "../../billing/period.ts";
import { formatPoints, parsePoints } from "../../billing/points.ts";
import type { Seller } from "../../catalog/catalog.ts";
import {
  type AttemptCost,
  attemptCosts,
  type KnownCost,
  type UnbookedCost,
} from "../../ledger/house-cost.ts";
import type { BookedCall } from "../booked-call.ts";
import { memberOf } from "../member-of.ts";
import { type MarginRow, marginRowOf } from "./rows.ts";
import { addCost, addIncome, type MarginSums, noMargin } from "./sums.ts";

/** Why a call's cost is not known. `other_currency`: it is booked in another currency than the catalog's of today. */
type MarginGap = UnbookedCost | "other_currency";

export interface MarginReport {
  /** Of the costs; null where the catalog names none. */
  currency: string | null;
  totals: MarginRow;
  models: (MarginRow & { model: string })[];
  /** With the cost of attempts that others answered in the end. Null: no provider was asked, or the entry names none. */
  providers: (MarginRow & { provider: string | null })[];
  customers: (MarginRow & { organization: string; name: string })[];
  /** UTC days of admission, in order. */
  days: (MarginRow & { day: string })[];
  /** Calls whose cost is not known, by the reason, with what they were charged. */
  unknown_cost: { reason: MarginGap; calls: number; charged: string }[];
}

/** Whose calls and fees are added up. */
interface MarginPayer {
  id: string;
  name: string;
}

/** A call's attempts with their costs, or why these are not known. */
type Costs = { attempts: (AttemptCost & KnownCost)[] } | { gap: MarginGap };

/** Takes the calls and fees of a range in any order, and gives the report of them. */
export class Margin {
  readonly #currency: Seller["currency"];
  readonly #total = noMargin();
  readonly #models = new Map<string, MarginSums>();
  readonly #providers = new Map<string, MarginSums>();
  readonly #customers = new Map<string, { name: string; sums: MarginSums }>();
  readonly #days = new Map<string, MarginSums>();
  readonly #gaps = new Map<MarginGap, { calls: number; charged: bigint }>();

  /** `currency`: the catalog's. Costs in it are compared with points. */
  constructor(currency: Seller["currency"]) {
    this.#currency = currency;
  }

  /** Adds a call. */
  call({ event, charged }: BookedCall, payer: MarginPayer): void {
    const { mode, calls, model, provider, admitted_at } = event;
    const costs = this.#costsOf(event);
    const income = { calls, charged, list: parsePoints(event.list_points) };
    const wide = [this.#total, this.#sumsOf(payer), memberOf(this.#days, dayOf(admitted_at), noMargin)];
    const ofModel = (id: string) => memberOf(this.#models, id, noMargin);
    const ofProvider = (name: string) => memberOf(this.#providers, name, noMargin);
    const isKnown = "attempts" in costs;
    for (const sums of [...wide, ofModel(model), ofProvider(provider ?? "")])
      addIncome(sums, income, isKnown);
    if (!isKnown) {
      this.#note(costs.gap, charged);
      return;
    }
    for (const cost of costs.attempts)
      for (const sums of [...wide, ofModel(cost.model ?? model), ofProvider(cost.provider)])
        addCost(sums, mode, cost);
  }

  /** Adds a plan fee of a period that begins at `at`, Unix milliseconds. `posted`: below 0 where it gives points back. */
  fee({ posted, at }: { posted: bigint; at: number }, payer: MarginPayer): void {
    for (const sums of [this.#total, this.#sumsOf(payer), memberOf(this.#days, dayOf(at), noMargin)])
      sums.fees += posted;
  }

  /** The report: the groups with the highest list value first, days in order. */
  report(): MarginReport {
    const row = (sums: MarginSums) => marginRowOf(sums, this.#currency);
    const customers = [...this.#customers].sort(([, a], [, b]) => byWorth(a.sums, b.sums));
    return {
      currency: this.#currency?.code ?? null,
      totals: row(this.#total),
      models: byList(this.#models).map(([model, sums]) => ({ model, ...row(sums) })),
      providers: byList(this.#providers).map(([provider, sums]) => ({
        provider: provider || null,
        ...row(sums),
      })),
      customers: customers.map(([organization, { name, sums }]) => ({ organization, name, ...row(sums) })),
      days: [...this.#days]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([day, sums]) => ({ day, ...row(sums) })),
      unknown_cost: [...this.#gaps]
        .sort(([, a], [, b]) => b.calls - a.calls)
        .map(([reason, { calls, charged }]) => ({ reason, calls, charged: formatPoints(charged) })),
    };
  }

  #costsOf(event: BookedCall["event"]): Costs {
    const attempts: (AttemptCost & KnownCost)[] = [];
    for (const cost of attemptCosts(event)) {
      if ("unknown" in cost) return { gap: cost.unknown };
      if (cost.currency !== (this.#currency?.code ?? null)) return { gap: "other_currency" };
      attempts.push(cost);
    }
    return { attempts };
  }

  #note(gap: MarginGap, charged: bigint): void {
    const known = memberOf(this.#gaps, gap, () => ({ calls: 0, charged: 0n }));
    known.calls += 1;
    known.charged += charged;
  }

  #sumsOf({ id, name }: MarginPayer): MarginSums {
    return memberOf(this.#customers, id, () => ({ name, sums: noMargin() })).sums;
  }
}

function byList(sums: ReadonlyMap<string, MarginSums>): [string, MarginSums][] {
  return [...sums].sort(([, a], [, b]) => byWorth(a, b));
}

/** The higher value first. */
function byWorth(a: MarginSums, b: MarginSums): number {
  const [worthA, worthB] = [a.list + a.fees, b.list + b.fees];
  return worthA < worthB ? 1 : worthA > worthB ? -1 : 0;
}
