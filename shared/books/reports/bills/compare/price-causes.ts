/** Causes that are seen in costs alone: rounding, prices, tiers and rules of the cache (shared/books/reports/bills/README.md "Causes"). Pure. */
import { formatDecimal } from "../../../billing/points.ts";
import { type TokenCount, tokenCounts } from "../../../ledger/house-cost.ts";
import { absolute, type BillAmounts } from "../amounts.ts";
import { sumOfLines } from "../in-force.ts";
import { attemptAmounts, type BillCell, costOfTokens, explain, restOf, toldOf } from "./cell.ts";

/** A part of a cell's cost that a price may change in proportion, by what it is of. */
const bases = ["all tokens", ...tokenCounts] as const;
type PriceBase = (typeof bases)[number];

/** So many days must show the same ratio: fewer may do so by chance. */
const daysMin = 3;
/** A single cell shows a rule only where the amount is so many times what rounding may be. */
const clearTimes = 200n;

/** Explains what is left of the costs of one model and credential. */
export function explainCosts(cells: readonly BillCell[]): void {
  const priced = cells.filter((cell) => cell.told.has("cost"));
  for (const cell of priced) explainUnpriced(cell);
  for (const cell of priced) explainRounding(cell);
  explainPrices(priced);
  for (const cell of priced) {
    explainCachePrice(cell);
    explainTier(cell);
    explainRounding(cell);
  }
}

/** A cost of ours that is not known cannot be compared. It is no reason why a bill is lower than what is known. */
function explainUnpriced(cell: BillCell): void {
  const unpriced = cell.attempts.filter(({ tokens, cost }) => tokens !== null && cost === null).length;
  if (unpriced === 0 || restOf(cell, cell.cost) < 0n) return;
  const why = `the catalog does not say what ${unpriced} of our calls cost`;
  explain(cell, "unknown", { [cell.cost]: restOf(cell, cell.cost) }, why);
}

function explainRounding(cell: BillCell): void {
  const left = restOf(cell, cell.cost);
  if (absolute(left) > cell.bound) return;
  explain(cell, "rounding", { [cell.cost]: left }, "the vendor rounds each line");
}

function isOpen(cell: BillCell): boolean {
  return absolute(restOf(cell, cell.cost)) > cell.bound;
}

/** Explains a price of the cache in a cell alone. */
function explainCachePrice(cell: BillCell): void {
  const rule = isOpen(cell) && tierCost(cell) === 0n ? cacheRuleOf(cell) : undefined;
  if (rule !== undefined) explain(cell, "cache_rule", { [cell.cost]: restOf(cell, cell.cost) }, rule);
}

/** The rule by which what is left is explained: the vendor's price of the cache's tokens is that of input, or twice as much. */
function cacheRuleOf(cell: BillCell): string | undefined {
  const { rates } = cell;
  const left = restOf(cell, cell.cost);
  if (!rates) return undefined;
  const [reads, writes] = [tokensThere(cell, "cache_read_tokens"), tokensThere(cell, "cache_write_tokens")];
  const [ofReads, ofWrites] = [
    rates.input_tokens - rates.cache_read_tokens,
    rates.input_tokens - rates.cache_write_tokens,
  ];
  const rules: [bigint, string][] = [
    [reads * ofReads, "reads of the cache cost what input costs"],
    [writes * ofWrites, "writes to the cache cost what input costs"],
    [reads * ofReads + writes * ofWrites, "tokens of the cache cost what input costs"],
    [writes * (ofWrites + rates.input_tokens), "writes to the cache cost twice what input costs"],
    [-reads * rates.cache_read_tokens, "reads of the cache cost nothing"],
  ];
  return rules.find(([cost]) => {
    const amount = cost * unitsOfRates;
    return absolute(left - amount) <= cell.bound && absolute(amount) > clearTimes * cell.bound;
  })?.[1];
}

/** Rates are in 10⁻¹², and amounts in 10⁻²⁴. */
const unitsOfRates = 10n ** 12n;

/** How many tokens the vendor counts, or we do where it tells none. */
function tokensThere(cell: BillCell, name: TokenCount): bigint {
  if (cell.told.has(name)) return cell.theirs[name] ?? 0n;
  return cell.attempts.reduce((sum, { tokens }) => sum + BigInt(tokens?.[name] ?? 0), 0n);
}

/** What the cell should cost by our prices: all of it, or the tokens of one kind. */
function baseOf(cell: BillCell, base: PriceBase): bigint {
  if (base === "all tokens") return (cell.theirs[cell.cost] ?? 0n) - restOf(cell, cell.cost);
  return (cell.rates?.[base] ?? 0n) * tokensThere(cell, base) * unitsOfRates;
}

/** A ratio that several days share: what is left, to what should be there. */
interface SharedRatio {
  base: PriceBase;
  left: bigint;
  of: bigint;
  cells: readonly BillCell[];
}

/** Explains prices that differ by a constant ratio, one ratio after the other. */
function explainPrices(cells: readonly BillCell[]): void {
  for (;;) {
    const open = cells.filter((cell) => isOpen(cell) && tierCost(cell) === 0n);
    const ratio = bestRatio(open);
    if (!ratio) return;
    const rule = ratio.base.startsWith("cache") ? sharedRule(ratio.cells) : undefined;
    const cause = rule === undefined ? "other_price" : "cache_rule";
    const why = rule ?? priceText(ratio);
    for (const cell of ratio.cells) explain(cell, cause, { [cell.cost]: restOf(cell, cell.cost) }, why);
    const days = ratio.cells.map(({ day }) => day).sort();
    const [first = "", last = ""] = [days[0], days.at(-1)];
    const among = cells.filter(({ day }) => first <= day && day <= last);
    for (const cell of among.filter((each) => isOpen(each) && tierCost(each) !== 0n)) {
      const amount = (baseOf(cell, ratio.base) * ratio.left) / ratio.of;
      explain(cell, cause, { [cell.cost]: amount }, why);
    }
  }
}

/** The rule of the cache that explains most of the cells. The others are too small to show one. */
function sharedRule(cells: readonly BillCell[]): string | undefined {
  const rules = cells.map(cacheRuleOf);
  const most = rules.find(
    (rule) => rule !== undefined && 2 * rules.filter((each) => each === rule).length > rules.length,
  );
  return most;
}

/** The ratio that the most cells share. One of all tokens comes before one of a kind. */
function bestRatio(open: readonly BillCell[]): SharedRatio | undefined {
  let best: SharedRatio | undefined;
  for (const base of bases)
    for (const cell of open) {
      const [left, of] = [restOf(cell, cell.cost), baseOf(cell, base)];
      if (of <= 0n) continue;
      const alike = open.filter((other) => isAlike(cell, other, base));
      const isBetter = alike.length >= daysMin && alike.length > (best?.cells.length ?? 0);
      if (isBetter) best = { base, left, of, cells: alike };
    }
  return best;
}

/** Whether two cells may have the same ratio, as far as rounding lets anybody see. */
function isAlike(one: BillCell, other: BillCell, base: PriceBase): boolean {
  const [ofOne, ofOther] = [baseOf(one, base), baseOf(other, base)];
  if (ofOther <= 0n) return false;
  const apart = absolute(restOf(one, one.cost) * ofOther - restOf(other, other.cost) * ofOne);
  return apart <= one.bound * ofOther + other.bound * ofOne;
}

function priceText({ base, left, of }: SharedRatio): string {
  const percent = formatDecimal((left * 10_000n) / of, 2);
  return `the vendor's price of ${base.replaceAll("_", " ")} differs from ours by ${percent} %`;
}

/** What the tokens of other tiers cost at our standard prices: those that either side names, whichever are more. */
function tierCost(cell: BillCell): bigint {
  const theirs = sumOfLines(cell.lines.filter(({ line }) => line.tier !== ""));
  const tiered = cell.attempts.filter(({ tier }) => tier !== "");
  const ours = tiered.map(
    (attempt) => toldOf(attemptAmounts(attempt, cell.cost), cell.told)[cell.cost] ?? 0n,
  );
  const there = costAt(cell, theirs);
  const here = ours.reduce((sum, cost) => sum + cost, 0n);
  const isNamed = cell.lines.some(({ line }) => line.tier !== "");
  const cost = there > here ? there : here;
  return cost === 0n && isNamed ? baseOf(cell, "all tokens") : cost;
}

function costAt(cell: BillCell, amounts: BillAmounts): bigint {
  return costOfTokens(cell, amounts)[cell.cost] ?? 0n;
}

/** No tier costs more than this many times the standard one. */
const tierTimesMax = 10n;

function explainTier(cell: BillCell): void {
  const of = tierCost(cell);
  const left = restOf(cell, cell.cost);
  if (of === 0n || !isOpen(cell)) return;
  if (left < -of - cell.bound || left > (tierTimesMax - 1n) * of + cell.bound) return;
  const names = new Set([
    ...cell.lines.map(({ line }) => line.tier),
    ...cell.attempts.map(({ tier }) => tier),
  ]);
  const tiers = [...names].filter((name) => name !== "").sort();
  explain(cell, "tier", { [cell.cost]: left }, `calls were served as ${tiers.join(", ")}`);
}
