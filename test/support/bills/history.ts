/** Plays a month of bills: faults, documents, their readers, and the comparison, against what must come out. */
import {
  absolute,
  type BillAmounts,
  countsIn,
  isNothing,
  minus,
  plus,
} from "#shared/books/reports/bills/amounts.ts";
import type { HeldBill } from "#shared/books/reports/bills/bill.ts";
import { type BillCauseName, billCauses } from "#shared/books/reports/bills/compare/cell.ts";
import { type BillSection, compareBills } from "#shared/books/reports/bills/compare/compare.ts";
import { billOf } from "#shared/books/reports/bills/import.ts";
import { seeded } from "#test/support/random.ts";
import type { ExpectedCause, FaultyMonth } from "./faults.ts";
import { month, monthEnd, monthOf } from "./month.ts";
import { type BillStyle, plainly, written } from "./writers.ts";

/** A history: a seed, how the vendor writes, and the faults in order. */
export interface BillHistory {
  seed: number;
  style: BillStyle;
  faults: readonly ((month: FaultyMonth) => void)[];
}

const keys = ["ACME_KEY", "ACME_KEY_2", "SOMEBODY_ELSE"];

/** The documents of a month as bills, those of an earlier state before them. */
function billsOf(played: FaultyMonth): HeldBill[] {
  const states = played.before ? [played.before, played.billed] : [played.billed];
  const bills: HeldBill[] = [];
  for (const [at, billed] of states.entries())
    for (const { format, text } of written(played.style, billed, played.writing)) {
      const credential =
        format.startsWith("openai") || format.startsWith("anthropic")
          ? new Map(keys.map((key) => [key, key]))
          : undefined;
      const heads = bills.map(({ head }) => head);
      bills.push(
        billOf(
          { provider: "acme", format, text, file: `${format}.txt`, credential, now: monthEnd + at },
          heads,
        ),
      );
    }
  return bills;
}

/** Plays a history. Gives what the comparison said wrongly, in sentences: none if all is right. */
export function play({ seed, style, faults }: BillHistory): { problems: string[]; sections: BillSection[] } {
  const played: FaultyMonth = { ...monthOf(seed), style, writing: plainly, expected: [], taken: new Set() };
  for (const fault of faults) fault(played);
  const bills = billsOf(played);
  const sections = compareBills({ month, bills, attempts: played.attempts, currency: "USD" });
  return { problems: [...lawProblems(sections), ...causeProblems(sections, played)], sections };
}

/** theirs − ours is what is explained and what is not, to the last digit. */
export function lawProblems(sections: readonly BillSection[]): string[] {
  return sections.flatMap(({ cells, totals }) => {
    const ofCells = cells.flatMap((cell) => {
      const explained = cell.causes.reduce((sum, { amounts }) => plus(sum, amounts), {} as BillAmounts);
      const left = minus(minus(minus(cell.theirs, cell.ours), explained), cell.rest);
      return isNothing(left) ? [] : [`${cell.day} ${cell.model}: the parts do not add up`];
    });
    const all = Object.values(totals.causes).reduce(
      (sum, { amounts }) => plus(sum, amounts),
      totals.unexplained,
    );
    const isWhole = isNothing(minus(minus(totals.theirs, totals.ours), all));
    return isWhole ? ofCells : [...ofCells, "the totals do not add up"];
  });
}

/** What was said and should not be, or the other way round, by cell and cause. */
function causeProblems(
  sections: readonly BillSection[],
  { expected, writing, style }: FaultyMonth,
): string[] {
  const byCredential = sections.every((section) => section.by_credential);
  const keyOf = ({ cause, day, model, credential }: Omit<ExpectedCause, "amounts">) =>
    [day, model, byCredential ? credential : "", cause].join(" ");
  const said = new Map<string, BillAmounts>();
  const wanted = new Map<string, BillAmounts>();
  const add = (to: Map<string, BillAmounts>, key: string, amounts: BillAmounts) =>
    to.set(key, plus(to.get(key) ?? {}, amounts));
  for (const each of expected) add(wanted, keyOf(each), each.amounts);
  const isRounded = writing.decimals < 12;
  for (const cell of sections.flatMap(({ cells }) => cells)) {
    for (const { cause, amounts } of cell.causes)
      if (cause !== "rounding" || !isRounded) add(said, keyOf({ ...cell, cause }), amounts);
    if (!isNothing(cell.rest)) add(said, keyOf({ ...cell, cause: "unexplained" }), cell.rest);
  }
  // A cell has a line for each kind of token and credential, and each may be twice there.
  const lines = style === "csv" ? 4n : 16n;
  const slack = isRounded ? lines * 10n ** BigInt(24 - writing.decimals) : 0n;
  return [...new Set([...said.keys(), ...wanted.keys()])].flatMap((key) => {
    const off = minus(said.get(key) ?? {}, wanted.get(key) ?? {});
    const isOff = !isNothing(countsIn(off)) || Object.values(off).some((amount) => absolute(amount) > slack);
    return isOff ? [`${key}: ${text(said.get(key))}, and should be ${text(wanted.get(key))}`] : [];
  });
}

function text(amounts: BillAmounts = {}): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)])),
  );
}

const ofModel = new Set<BillCauseName>(["other_price", "currency", "unknown"]);

/** Some causes, of chance, in an order in which they stay out of each other's way. */
export function severalFaults(seed: number): BillCauseName[] {
  const random = seeded(seed);
  const several = billCauses.filter(() => random(3) === 0).toSorted((a, b) => rank(a) - rank(b));
  // Of three models one at least stays free.
  return several.filter((cause, at) => !ofModel.has(cause) || at < 2);
}

/** Those of a whole model go first, so that the others find what is free. A later bill is the last. */
function rank(cause: BillCauseName): number {
  if (ofModel.has(cause)) return 0;
  return cause === "late_correction" ? 2 : 1;
}
