/** Which bills count on a day, and what they tell (README.md "Versions"). Pure. */
import { type BillAmounts, type BillTold, sumOf } from "./amounts.ts";
import { amountsOf, type BillHead, type BillLine, type HeldBill } from "./bill.ts";

/** Of two bills the later one first. */
export function laterFirst(one: BillHead, other: BillHead): number {
  return other.imported_at - one.imported_at || (one.id < other.id ? 1 : -1);
}

/** What bills of one account or of one credential tell of a day. */
export interface DayBills {
  /** For each thing that is told: the bill that counts, and the one that counted before it. */
  told: ReadonlyMap<BillTold, { now: HeldBill; before: HeldBill | undefined }>;
}

/** The bills of a day. `credential`: those of this credential alone, or "" for those of the whole account. */
export function billsOfDay(bills: readonly HeldBill[], day: string, credential: string): DayBills {
  const covering = bills
    .filter(({ head }) => head.credential === credential && head.first_day <= day && day <= head.last_day)
    .toSorted((a, b) => laterFirst(a.head, b.head));
  const told = new Map<BillTold, { now: HeldBill; before: HeldBill | undefined }>();
  for (const bill of covering)
    for (const name of bill.head.tells) {
      const known = told.get(name);
      if (!known) told.set(name, { now: bill, before: undefined });
      else if (!known.before && known.now.head.format === bill.head.format) known.before = bill;
    }
  return { told };
}

/** What lines add up to, each as far as its bill counts for what it tells. */
export function sumOfLines(lines: readonly CountedBillLine[]): BillAmounts {
  return sumOf(lines.map(({ amounts }) => amounts));
}

/** A line with what of it counts. */
export interface CountedBillLine {
  line: BillLine;
  bill: BillHead;
  amounts: BillAmounts;
}

/** The lines of a day, with what of them counts: now, or with the bill that counted before. */
export function countedLines({ told }: DayBills, day: string, which: "now" | "before"): CountedBillLine[] {
  const bills = new Set<HeldBill>();
  for (const each of told.values()) bills.add(countedBill(each, which));
  return [...bills].flatMap((bill) => {
    const takes = (name: BillTold) => {
      const each = told.get(name);
      return each !== undefined && countedBill(each, which) === bill;
    };
    return bill.lines
      .filter((line) => line.day === day)
      .map((line) => ({ line, bill: bill.head, amounts: amountsOf(line, takes) }));
  });
}

function countedBill(
  { now, before }: { now: HeldBill; before: HeldBill | undefined },
  which: "now" | "before",
): HeldBill {
  return which === "before" && before ? before : now;
}
