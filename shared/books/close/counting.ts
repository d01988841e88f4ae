/** In which month's close an entry counts (README.md "Which entries count"). Pure. */
import { spanOf } from "../billing/period.ts";
import type { Entry } from "../ledger/ledger.ts";

/** A month and the instant until which its close counts what was posted, Unix milliseconds. */
export interface ClosedSpan {
  month: string;
  counts_until: number;
}

/** The close of a month, and the one before it. Without one, it is the first close. */
export interface CloseTerms extends ClosedSpan {
  previous?: ClosedSpan;
}

/** `now`: in this close. `before`: in an earlier one, or before the first. `later`: in a later one. */
export type Counting = "now" | "before" | "later";

/** Where an entry counts. What is posted to a closed month too late for its close counts in the next one. */
export function countingOf(
  { at, posted_at = at }: Pick<Entry, "at" | "posted_at">,
  { month, counts_until, previous }: CloseTerms,
): Counting {
  const own = spanOf(at, "month");
  if (own > month || posted_at >= counts_until) return "later";
  if (own === month) return "now";
  return previous !== undefined && posted_at >= previous.counts_until ? "now" : "before";
}
