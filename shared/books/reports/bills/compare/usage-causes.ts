/** Causes that are seen in counts, with the cost that goes with them (shared/books/reports/bills/README.md "Causes"). Pure. */
import { type TokenCount, tokenCounts } from "../../../ledger/house-cost.ts";
import {
  absolute,
  type BillAmounts,
  countsIn,
  currencyOf,
  isNothing,
  minus,
  plus,
  sumOf,
} from "../amounts.ts";
import { sumOfLines } from "../in-force.ts";
import type { OurAttempt } from "../ours.ts";
import { attemptAmounts, type BillCell, costOfTokens, explain, restOf, toldCounts, toldOf } from "./cell.ts";

/** Costs in another currency are no part of ours, and ours none of theirs. */
export function explainCurrency(cell: BillCell): void {
  const foreign = Object.keys(cell.theirs).filter(
    (name) => currencyOf(name) !== undefined && name !== cell.cost,
  );
  if (foreign.length === 0) return;
  const theirs = Object.fromEntries(foreign.map((name) => [name, cell.theirs[name] ?? 0n]));
  const ours = cell.theirs[cell.cost] === undefined ? { [cell.cost]: restOf(cell, cell.cost) } : {};
  const codes = foreign.map((name) => currencyOf(name)).join(", ");
  explain(cell, "currency", { ...theirs, ...ours }, `the vendor bills in ${codes}`);
}

/** Whether the vendor bills the cell in another currency, so that no cost of ours is left to explain. */
function isForeign(cell: BillCell): boolean {
  return cell.causes.some(({ cause }) => cause === "currency");
}

/** Lines that are alike in everything, and of which one is enough. */
export function explainDuplicates(cell: BillCell): void {
  const seen = new Set<string>();
  const again = cell.lines.filter(({ bill, line }) => {
    const name = [bill.id, line.row, line.measure].join();
    const isAgain = seen.has(name);
    seen.add(name);
    return isAgain;
  });
  const amounts = withoutForeign(sumOfLines(again), cell);
  const counts = countsIn(amounts);
  const checked = isNothing(counts) ? amounts : counts;
  const isTooMuch = Object.entries(checked).every(
    ([name, amount]) => restOf(cell, name) + (currencyOf(name) === undefined ? 0n : cell.bound) >= amount,
  );
  const rows = new Set(again.map(({ line }) => line.at)).size;
  if (isTooMuch) explain(cell, "duplicate_line", amounts, `${rows} rows stand in the bill more than once`);
}

/** The amounts without costs that the currency has explained already. */
function withoutForeign(amounts: BillAmounts, cell: BillCell): BillAmounts {
  if (!isForeign(cell)) return amounts;
  return countsIn(amounts);
}

/** Lines that the vendor calls corrections, and what a newer bill says otherwise than one that agreed with us. */
export function explainCorrections(cell: BillCell): void {
  const corrections = sumOfLines(cell.lines.filter(({ line }) => line.correction));
  const amounts = withoutForeign(corrections, cell);
  const rest = minus(cell.rest, amounts);
  const isNearer = Object.keys(amounts).every(
    (name) => absolute(rest[name] ?? 0n) < absolute(restOf(cell, name)) + cell.bound,
  );
  if (isNearer) explain(cell, "late_correction", amounts, "the vendor calls these lines corrections");
  if (!cell.before) return;
  const change = withoutForeign(minus(cell.theirs, sumOfLines(cell.before)), cell);
  const before = minus(cell.rest, change);
  const counts = toldCounts(cell);
  const agreed =
    counts.length > 0
      ? counts.every((name) => (before[name] ?? 0n) === 0n)
      : absolute(before[cell.cost] ?? 0n) <= cell.bound;
  if (agreed) explain(cell, "late_correction", change, "an earlier bill of these days agreed with ours");
}

/** Tokens of the cache that the vendor counts as another kind, or as two. */
export function explainCacheRule(cell: BillCell): void {
  const counts = countsIn(cell.rest);
  if (isNothing(counts)) return;
  const reads = cell.ours.cache_read_tokens ?? 0n;
  const writes = cell.ours.cache_write_tokens ?? 0n;
  const rule = cacheRules(reads, writes).find(({ moved }) => isNothing(minus(counts, moved)));
  if (!rule) return;
  explain(cell, "cache_rule", { ...rule.moved, ...ownCost(cell, rule.moved) }, rule.why);
}

function cacheRules(reads: bigint, writes: bigint): { moved: BillAmounts; why: string }[] {
  const rule = (why: string, moved: Record<string, bigint>) => ({ why, moved: plus(moved, {}) });
  return [
    rule("reads of the cache are counted as input", { input_tokens: reads, cache_read_tokens: -reads }),
    rule("writes to the cache are counted as input", { input_tokens: writes, cache_write_tokens: -writes }),
    rule("tokens of the cache are counted as input", {
      ...{ input_tokens: reads + writes, cache_read_tokens: -reads, cache_write_tokens: -writes },
    }),
    rule("reads of the cache are counted as input too", { input_tokens: reads }),
    rule("writes to the cache are counted as input too", { input_tokens: writes }),
    rule("tokens of the cache are counted as input too", { input_tokens: reads + writes }),
    rule("reads of the cache are not counted", { cache_read_tokens: -reads }),
    rule("writes to the cache are not counted", { cache_write_tokens: -writes }),
  ].filter(({ moved }) => !isNothing(moved));
}

/** What tokens cost at our rates, where the costs are in our currency. */
function ownCost(cell: BillCell, amounts: BillAmounts): BillAmounts {
  return isForeign(cell) ? {} : costOfTokens(cell, amounts);
}

/**
 * What one side has and the other has not. `isComplete`: the credentials of all our attempts are known, so that there are
 * none elsewhere that may be these.
 */
export function explainMissing(cell: BillCell, isComplete: boolean): void {
  if (isNothing(cell.rest)) return;
  if (cell.model === "") {
    explain(cell, "unknown", cell.rest, "the bill names no model, as for tools");
  } else if (cell.attempts.length === 0) {
    if (isComplete) explain(cell, "not_ours", cell.rest, "the gateway made no such call");
  } else if (cell.lines.length === 0) {
    explain(cell, "missing_there", cell.rest, "the bill has no line for them");
  } else {
    explainPart(cell);
  }
}

function explainPart(cell: BillCell): void {
  const counts = countsIn(cell.rest);
  const all = Object.values(counts);
  if (all.length === 0) return;
  const whole = { ...counts, ...ownCost(cell, counts) };
  if (all.every((amount) => amount > 0n)) explainMore(cell, whole);
  else if (all.every((amount) => amount < 0n)) explainLess(cell, whole);
}

/** The vendor has more. Attempts that broke off explain as many requests as they are, and no larger prompts. */
function explainMore(cell: BillCell, whole: BillAmounts): void {
  const unsure = cell.attempts.filter(({ tokens }) => tokens === null);
  const requests = cell.told.has("requests") ? restOf(cell, "requests") : undefined;
  // As many requests, and more tokens: no call more explains that.
  if (requests === 0n) return;
  const fits = unsure.length > 0 && promptFits(cell, unsure);
  if (fits && (requests ?? 1n) <= BigInt(unsure.length)) {
    explain(cell, "timed_out_and_billed", whole, `${unsure.length} attempts broke off here`);
  } else if (fits && requests !== undefined) {
    // Which of the tokens are whose, nobody can say.
    const broken = BigInt(unsure.length);
    explain(cell, "timed_out_and_billed", { requests: broken }, `${broken} attempts broke off here`);
    explain(cell, "not_ours", { requests: requests - broken }, "the gateway made fewer calls");
  } else if (requests !== undefined || isOfCalls(cell)) {
    explain(cell, "not_ours", whole, "the gateway made fewer calls");
  }
}

/** Whether more tokens can be calls: these have input and output. One of both alone may be counted otherwise. */
function isOfCalls(cell: BillCell): boolean {
  const hasMore = (name: TokenCount) => cell.told.has(name) && restOf(cell, name) > 0n;
  return hasMore("output_tokens") && tokenCounts.some((name) => name !== "output_tokens" && hasMore(name));
}

function promptFits(cell: BillCell, unsure: BillCell["attempts"]): boolean {
  const prompts = unsure.map(({ prompt }) => prompt);
  if (prompts.includes(null)) return true;
  const most = prompts.reduce<bigint>((sum, prompt) => sum + BigInt(prompt ?? 0), 0n);
  const prompt = tokenCounts.filter((name) => name !== "output_tokens");
  return prompt.reduce((sum, name) => sum + restOf(cell, name), 0n) <= most;
}

/** The vendor has less. Where it tells no requests, the missing tokens must be those of attempts that we can name. */
function explainLess(cell: BillCell, whole: BillAmounts): void {
  const why = "the bill has fewer calls";
  if (restOf(cell, "requests") < 0n) explain(cell, "missing_there", whole, why);
  else if (!cell.told.has("requests") && isOfAttempts(cell)) explain(cell, "missing_there", whole, why);
}

/** Whether what is lacking are exactly one of our attempts, or two, or all of one credential. */
function isOfAttempts(cell: BillCell): boolean {
  const lacking = plus({}, countsIn(cell.rest), -1n);
  const countsOf = (attempt: OurAttempt) => countsIn(toldOf(attemptAmounts(attempt, cell.cost), cell.told));
  const each = cell.attempts.map(countsOf);
  const texts = new Map(each.map((amounts, at) => [textOf(amounts), at]));
  if (texts.has(textOf(lacking))) return true;
  const isOfTwo = each.some((amounts, at) => {
    const other = texts.get(textOf(minus(lacking, amounts)));
    return other !== undefined && other !== at;
  });
  const groups = Map.groupBy(cell.attempts, ({ credential }) => credential).values();
  return isOfTwo || groups.some((own) => isNothing(minus(sumOf(own.map(countsOf)), lacking)));
}

function textOf(amounts: BillAmounts): string {
  return JSON.stringify(
    Object.entries(amounts)
      .sort()
      .map(([name, amount]) => [name, String(amount)]),
  );
}
