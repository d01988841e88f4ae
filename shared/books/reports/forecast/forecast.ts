/** Adds up what calls and fees would have brought with another catalog (forecast.md). Memory holds sums alone. */

import type { Subscription } from "../../accounts/account.ts";
import { formatPoints, parsePoints, parseRate } from "../../billing/points.ts";
import type { ModelCatalog } from "../../catalog/models.ts";
import type { BookedCall } from "../booked-call.ts";
import { memberOf } from "../member-of.ts";
import { type BookedFee, replayFee } from "./fees.ts";
import { houseCostOf } from "./house-cost.ts";
import { replayCall } from "./replay.ts";
import { type ForecastRow, isOver, type PayerRow, payerRowOf, percentOf, rowOf } from "./rows.ts";
import { addCall, addFee, type ForecastSums, noForecast, paysOf } from "./sums.ts";

/** Who pays. */
export interface ForecastPayer {
  id: string;
  name: string;
  subscription: Subscription | null;
}

/** How much of something there is. Points are decimal strings. */
interface CountedEntries {
  entries: number;
  /** What was charged, or the fees. */
  points: string;
  list_points: string;
}

/** What a customer would have paid. */
interface ForecastCustomer extends PayerRow {
  organization: string;
  name: string;
  over: boolean;
  percent: string | null;
}

export interface ForecastReport {
  /** Of the house's costs, by the other catalog; null where it names none. */
  currency: string | null;
  /** How many customers pay so many percent more. */
  over: { percent: string; customers: number };
  totals: PayerRow;
  /** Those who are over first, then by the difference. */
  customers: ForecastCustomer[];
  /** By how much they change. */
  models: (ForecastRow & { model: string })[];
  /** Models that the other catalog lacks, with what they brought. */
  gone: (CountedEntries & { model: string })[];
  /** What counts then as it counts now, by the reason. */
  kept: (CountedEntries & { reason: string })[];
  /** What the other price has no rate for. The points are those of then. */
  unpriced: (CountedEntries & { model: string; what: string })[];
  /** Calls whose cost is not known, by the reason. */
  unknown_cost: (CountedEntries & { reason: string })[];
}

/** What a forecast reads of the other catalog. */
export type ForecastCatalog = Pick<
  ModelCatalog,
  "find" | "price" | "ownFee" | "plan" | "recharge" | "seller"
>;

/** What is added up under a name. Points are 10⁻¹⁸. */
type NamedCounts = Map<string, { entries: number; points: bigint; list: bigint }>;

/** Takes the calls and fees of a range in any order, and gives the report of them. */
export class Forecast {
  readonly #catalog: ForecastCatalog;
  readonly #total = noForecast();
  readonly #models = new Map<string, ForecastSums>();
  readonly #customers = new Map<string, { name: string; sums: ForecastSums }>();
  readonly #gone: NamedCounts = new Map();
  readonly #kept: NamedCounts = new Map();
  readonly #unpriced: NamedCounts = new Map();
  readonly #unknownCost: NamedCounts = new Map();

  constructor(catalog: ForecastCatalog) {
    this.#catalog = catalog;
  }

  /** Adds a call. */
  call({ event, charged }: BookedCall, payer: ForecastPayer): void {
    const replayed = replayCall(event, this.#catalog);
    const now = { calls: event.calls, charged, list: parsePoints(event.list_points) };
    const other = "kept" in replayed ? now : { ...replayed, charged: replayed.cost };
    const cost = houseCostOf(event, this.#catalog);
    const { mode, model } = event;
    const sums = memberOf(this.#models, model, noForecast);
    for (const each of [this.#total, sums, this.#sumsOf(payer)]) addCall(each, { mode, now, other, cost });
    if ("kept" in replayed) {
      count(this.#kept, replayed.kept, now);
      if (replayed.kept === "model_gone") count(this.#gone, model, now);
    } else for (const what of replayed.unpriced) count(this.#unpriced, `${model} ${what}`, other);
    if (typeof cost === "string") count(this.#unknownCost, cost, now);
  }

  /** Adds a plan fee. */
  fee(fee: BookedFee, payer: ForecastPayer): void {
    const replayed = replayFee(fee, payer.subscription, this.#catalog);
    const now = fee.posted;
    const other = "kept" in replayed ? now : replayed.points;
    for (const each of [this.#total, this.#sumsOf(payer)]) addFee(each, { now, other });
    if ("kept" in replayed) count(this.#kept, replayed.kept, { charged: now, list: 0n });
  }

  /** The report. `over`: the percentage by which a customer pays more to be named first, of at most six decimals. */
  report(over: string): ForecastReport {
    const { currency } = this.#catalog.seller();
    const customers = [...this.#customers].map(([organization, { name, sums }]) => ({
      difference: paysOf(sums.other) - paysOf(sums.now),
      row: {
        ...{ organization, name, over: isOver(sums, parseRate(over)), percent: percentOf(sums) },
        ...payerRowOf(sums, currency),
      },
    }));
    customers.sort((a, b) => Number(b.row.over) - Number(a.row.over) || inOrder(b.difference, a.difference));
    const models = [...this.#models].sort(([, a], [, b]) => inOrder(changeOf(b), changeOf(a)));
    return {
      currency: currency?.code ?? null,
      over: { percent: over, customers: customers.filter(({ row }) => row.over).length },
      totals: payerRowOf(this.#total, currency),
      customers: customers.map(({ row }) => row),
      models: models.map(([model, sums]) => ({ model, ...rowOf(sums, currency) })),
      gone: tallied(this.#gone, (model) => ({ model })),
      kept: tallied(this.#kept, (reason) => ({ reason })),
      unpriced: tallied(this.#unpriced, (name) => {
        const [model = "", ...what] = name.split(" ");
        return { model, what: what.join(" ") };
      }),
      unknown_cost: tallied(this.#unknownCost, (reason) => ({ reason })),
    };
  }

  #sumsOf({ id, name }: ForecastPayer): ForecastSums {
    return memberOf(this.#customers, id, () => ({ name, sums: noForecast() })).sums;
  }
}

function inOrder(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By how much what is paid changes, up or down. */
function changeOf({ now, other }: ForecastSums): bigint {
  const difference = paysOf(other) - paysOf(now);
  return difference < 0n ? -difference : difference;
}

function count(
  counts: NamedCounts,
  name: string,
  { charged, list }: { charged: bigint; list: bigint },
): void {
  const known = memberOf(counts, name, () => ({ entries: 0, points: 0n, list: 0n }));
  known.entries += 1;
  known.points += charged;
  known.list += list;
}

/** What was added up, the most first, with the names as members of each line. */
function tallied<Names>(counts: NamedCounts, namesOf: (name: string) => Names): (Names & CountedEntries)[] {
  return [...counts]
    .sort(([, a], [, b]) => b.entries - a.entries)
    .map(([name, { entries, points, list }]) => ({
      ...namesOf(name),
      ...{ entries, points: formatPoints(points), list_points: formatPoints(list) },
    }));
}
