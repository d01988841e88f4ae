/** One cell of a comparison: a day, a model and a credential, with what both sides say of it. Pure. */
import { tokenCounts } from "../../../ledger/house-cost.ts";
import { type BillAmounts, type BillTold, billCounts, minus, plus } from "../amounts.ts";
import type { CountedBillLine } from "../in-force.ts";
import type { OurAttempt, TokenRates } from "../ours.ts";

/** Why the two sides differ (shared/books/reports/bills/README.md "Causes"). */
export const billCauses = [
  "rounding",
  "timed_out_and_billed",
  "late_correction",
  "other_price",
  "tier",
  "cache_rule",
  "day_boundary",
  "not_ours",
  "missing_there",
  "duplicate_line",
  "currency",
  "unknown",
] as const;
export type BillCauseName = (typeof billCauses)[number];

/** A part of a difference that a cause explains. */
interface BillCause {
  cause: BillCauseName;
  amounts: BillAmounts;
  /** What was seen, in a sentence. */
  why: string;
}

export interface BillCell {
  readonly day: string;
  readonly model: string;
  readonly credential: string;
  /** What the bills of the day tell. */
  readonly told: ReadonlySet<BillTold>;
  readonly lines: readonly CountedBillLine[];
  /** The lines of the bills that counted before, where there are such. */
  readonly before: readonly CountedBillLine[] | undefined;
  /** Our attempts of the vendor's day. */
  attempts: readonly OurAttempt[];
  readonly ours: BillAmounts;
  readonly theirs: BillAmounts;
  /** What the vendor's rounding may have moved at most, in 10⁻²⁴ of the currency. */
  readonly bound: bigint;
  /** What its tokens cost, where all its attempts say the same; of a cell without any, where all of the model do. */
  readonly rates: TokenRates | null;
  /** The name of costs in our currency. */
  readonly cost: string;
  /** The part of theirs − ours that no cause has explained yet. */
  rest: BillAmounts;
  causes: BillCause[];
}

/** Lets a cause explain a part of what is left. Nothing is explained by nothing. */
export function explain(cell: BillCell, cause: BillCauseName, amounts: BillAmounts, why: string): void {
  const part = plus(amounts, {});
  if (Object.keys(part).length === 0) return;
  cell.rest = minus(cell.rest, part);
  cell.causes.push({ cause, amounts: part, why });
}

/** An attempt in full: one request, its tokens, and its cost. One that broke off counts as nothing. */
export function attemptAmounts({ tokens, cost }: OurAttempt, costAs: string): BillAmounts {
  if (tokens === null) return {};
  const counts = Object.fromEntries(tokenCounts.map((name) => [name, BigInt(tokens[name])]));
  return plus({ requests: 1n, ...counts, ...(cost !== null && { [costAs]: cost * unitsOfCost }) }, {});
}

/** Costs of ours are in 10⁻¹², and amounts in 10⁻²⁴. */
const unitsOfCost = 10n ** 12n;

/** What of amounts a bill tells. Tokens of the cache that it does not tell apart are among its input. */
export function toldOf(amounts: BillAmounts, told: ReadonlySet<BillTold>): BillAmounts {
  const kept: Record<string, bigint> = {};
  for (const [name, amount] of Object.entries(amounts)) {
    const isCache = name === "cache_read_tokens" || name === "cache_write_tokens";
    const count = billCounts.find((each) => each === name);
    const as = isCache && !told.has(name) && told.has("input_tokens") ? "input_tokens" : name;
    if (!told.has(count === undefined ? "cost" : (as as BillTold))) continue;
    kept[as] = (kept[as] ?? 0n) + amount;
  }
  return plus(kept, {});
}

/** What tokens cost at the rates of the cell; nothing where the rates or the costs are not known. */
export function costOfTokens(cell: BillCell, amounts: BillAmounts): BillAmounts {
  const { rates, told, cost } = cell;
  if (!rates || !told.has("cost")) return {};
  const sum = tokenCounts.reduce((total, name) => total + (amounts[name] ?? 0n) * rates[name], 0n);
  return plus({ [cost]: sum * unitsOfCost }, {});
}

/** A count's rest, 0 where none is left. */
export function restOf(cell: BillCell, name: string): bigint {
  return cell.rest[name] ?? 0n;
}

/** The names of the counts that the cell's bills tell. */
export function toldCounts({ told }: BillCell): readonly string[] {
  return billCounts.filter((name) => told.has(name));
}
