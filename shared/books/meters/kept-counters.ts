/** The counters of a call's budgets in its records: in the sweeper's events and in video tasks. */
import type { Held } from "./hold.ts";

/** The counters of shares, as events and tasks keep them: the first one where a key's only one ever was, then the others. */
export interface KeptCounters {
  budget?: string;
  /** Absent: there is no other. */
  budgets?: string[];
}

/** The counters of a hold's shares, for its records. */
export function keepCounters({ budgets = [] }: Pick<Held, "budgets">): KeptCounters {
  const [first, ...others] = budgets.map(({ counter }) => counter);
  return {
    ...(first !== undefined && { budget: first }),
    ...(others.length > 0 && { budgets: others }),
  };
}

/** The counters that a record keeps. */
export function countersKept({ budget, budgets = [] }: KeptCounters): string[] {
  return budget === undefined ? [] : [budget, ...budgets];
}
