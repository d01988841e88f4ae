/** Which bills count on a day, and what they tell (README.md "Versions"). Pure. */
import { dayMs, dayOf } from "../../billing/period.ts";
import { type BillAmounts, type BillTold, sumOf } from "./amounts.ts";
import { amountsOf, type BillHead, type BillLine, type HeldBill } from "./bill.ts";

/** Of two bills the later one first. */
export function laterFirst(one: BillHead, other: BillHead): number {
  return other.imported_at - one.imported_at || (one.id < other.id ? 1 : -1);
}

/** Whether two bills are of the same credential and part, so that the later one counts in the place of the other. */
export function isOfSame(one: BillHead, other: BillHead): boolean {
  return one.credential === other.credential && one.part === other.part;
}

/** A bill that counts for something on a day, and the one that counted before it. */
interface CountingBill {
  now: HeldBill;
  before: HeldBill | undefined;
}

/** What bills of one account or of one credential tell of a day. */
export interface DayBills {
  /** For each thing that is told: the bills that count, one of each part. */
  told: ReadonlyMap<BillTold, readonly CountingBill[]>;
}

/** The bills of a day. `credential`: those of this credential alone, or "" for those of the whole account. */
export function billsOfDay(bills: readonly HeldBill[], day: string, credential: string): DayBills {
  const covering = bills
    .filter(({ head }) => head.credential === credential && isOn(head, day))
    .toSorted((a, b) => laterFirst(a.head, b.head));
  const told = new Map<BillTold, CountingBill[]>();
  for (const bill of covering)
    for (const name of bill.head.tells) {
      const all = told.get(name) ?? [];
      told.set(name, all);
      const known = all.find(({ now }) => isOfSame(now.head, bill.head));
      if (!known) all.push({ now: bill, before: undefined });
      else if (!known.before && known.now.head.format === bill.head.format) known.before = bill;
    }
  return { told };
}

/** Days on which a new bill counts in the place of an earlier one, and for what. */
export interface ReplacedDays {
  bill: BillHead;
  days: readonly string[];
  tells: readonly BillTold[];
}

/** What a new bill takes from each of the earlier ones that count until now. */
export function replacedDays(bill: BillHead, known: readonly BillHead[]): ReplacedDays[] {
  const others = known.filter((each) => each.id !== bill.id && isOfSame(each, bill)).toSorted(laterFirst);
  const taken = new Map<BillHead, { days: Set<string>; tells: Set<BillTold> }>();
  for (const day of daysBetween(bill.first_day, bill.last_day))
    for (const name of bill.tells) {
      const now = others.find((each) => isOn(each, day) && each.tells.includes(name));
      if (!now) continue;
      const own = taken.get(now) ?? { days: new Set(), tells: new Set() };
      taken.set(now, own);
      own.days.add(day);
      own.tells.add(name);
    }
  return [...taken].map(([earlier, { days, tells }]) => ({
    bill: earlier,
    ...{ days: [...days], tells: [...tells] },
  }));
}

function isOn({ first_day, last_day }: BillHead, day: string): boolean {
  return first_day <= day && day <= last_day;
}

function daysBetween(first: string, last: string): string[] {
  const [start, end] = [Date.parse(first), Date.parse(last)];
  return Array.from({ length: (end - start) / dayMs + 1 }, (_, at) => dayOf(start + at * dayMs));
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
  for (const each of [...told.values()].flat()) bills.add(countedBill(each, which));
  return [...bills].flatMap((bill) => {
    const takes = (name: BillTold) => {
      return told.get(name)?.some((each) => countedBill(each, which) === bill) ?? false;
    };
    return bill.lines
      .filter((line) => line.day === day)
      .map((line) => ({ line, bill: bill.head, amounts: amountsOf(line, takes) }));
  });
}

function countedBill({ now, before }: CountingBill, which: "now" | "before"): HeldBill {
  return which === "before" && before ? before : now;
}
