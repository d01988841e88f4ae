/** Differences that come of where a day ends (shared/books/reports/bills/README.md "Causes", `day_boundary`). Pure. */
import { dayMs, dayOf } from "../../../billing/period.ts";
import { absolute, type BillAmounts, countsIn, isNothing, minus, plus, sumOf } from "../amounts.ts";
import type { OurAttempt } from "../ours.ts";
import { attemptAmounts, type BillCell, explain, toldOf } from "./cell.ts";
import { type CellSource, hoursOf, keyOf, shiftedBy } from "./cells.ts";

/** Time zones reach from 12 hours behind UTC to 14 ahead. */
const zones = Array.from({ length: 27 }, (_, at) => at - 12).filter((hours) => hours !== 0);
/** A zone must explain three quarters of what is left. */
const gainMin = 4n;

/** Explains what another time zone of the vendor's days has moved. */
export function explainZone(cells: readonly BillCell[], source: CellSource): void {
  const differing = cells.filter((cell) => !isNothing(countsIn(cell.rest)));
  if (differing.length < 2) return;
  const before = distanceOf(cells.map(({ rest }) => rest));
  const groups = hoursOf(source);
  const tried = zones.map((hours) => ({ hours, ...movedBy(hours, cells, groups) }));
  const best = tried.reduce((one, other) => (other.left < one.left ? other : one));
  if (best.left * gainMin > before) return;
  for (const [at, cell] of cells.entries()) {
    const { moved, attempts } = best.all[at] ?? {};
    if (!moved || isNothing(moved)) continue;
    const zone = `${best.hours < 0 ? "-" : "+"}${String(Math.abs(best.hours)).padStart(2, "0")}:00`;
    explain(cell, "day_boundary", moved, `the vendor's days are those of UTC${zone}`);
    cell.attempts = attempts ?? [];
  }
}

/** What a zone moves in each cell, and how much is left of the counts then. */
function movedBy(hours: number, cells: readonly BillCell[], groups: ReturnType<typeof hoursOf>) {
  const shifted = shiftedBy(hours, groups);
  const all = cells.map((cell) => {
    const own = shifted.get(keyOf(cell)) ?? [];
    const ours = toldOf(sumOf(own.map(({ sum }) => sum)), cell.told);
    return { attempts: own.flatMap(({ attempts }) => attempts), moved: minus(ours, cell.ours) };
  });
  const left = distanceOf(cells.map((cell, at) => minus(cell.rest, all[at]?.moved ?? {})));
  return { all, left };
}

function distanceOf(rests: readonly BillAmounts[]): bigint {
  return rests.reduce(
    (sum, rest) =>
      sum + Object.values(countsIn(rest)).reduce((total, amount) => total + absolute(amount), 0n),
    0n,
  );
}

/** Explains calls that began on one day and ended on the next, which the vendor counts there. */
export function explainMidnight(cells: readonly BillCell[]): void {
  const byKey = new Map(cells.map((cell) => [keyOf(cell), cell]));
  for (const cell of cells) {
    const start = Date.parse(`${cell.day}T00:00:00Z`);
    const next = byKey.get(keyOf({ ...cell, day: dayOf(start + dayMs) }));
    for (const attempt of next ? cell.attempts : []) if (next && crosses(attempt)) move(attempt, cell, next);
  }
}

function crosses({ at, ended_at, tokens }: OurAttempt): boolean {
  return tokens !== null && dayOf(at) !== dayOf(ended_at);
}

/** Moves an attempt to the next day, if exactly it is what one day lacks and the next has too much. */
function move(attempt: OurAttempt, from: BillCell, to: BillCell): void {
  const amounts = toldOf(attemptAmounts(attempt, from.cost), from.told);
  const counts = Object.entries(countsIn(amounts));
  const isMoved =
    counts.length > 0 &&
    counts.every(([name, amount]) => (from.rest[name] ?? 0n) <= -amount && (to.rest[name] ?? 0n) >= amount);
  if (!isMoved) return;
  const why = `${attempt.call} came before midnight and ended after it`;
  explain(from, "day_boundary", plus({}, amounts, -1n), why);
  explain(to, "day_boundary", amounts, why);
}
