/** Products that count the points of a plan's day, or the calls of its quota month, wrongly in one place. */

import { changes, wrongsTo } from "./mutants-of-budgets.ts";
import { mutantsOfThresholds } from "./mutants-of-thresholds.ts";
import { mutantsOfVideos } from "./mutants-of-videos.ts";
import type { Mutation } from "./mutation.ts";

const day = wrongsTo(/^l\d+$/);
const month = wrongsTo(/^q\d{8}$/);

/** By name, as those of `mutants.ts`. */
export const mutantsOfDays: Record<string, () => Mutation> = {
  ...mutantsOfThresholds,
  ...mutantsOfVideos,
  "admits calls beyond their plan's day": changes("UpdateItem", day.unasked, "gateway"),
  "admits calls beyond their plan's month": changes("UpdateItem", month.unasked, "gateway"),
  "forgets the day when a call ends": changes("UpdateItem", day.uncountedEnd, "gateway"),
  "forgets the day of a call that died": changes("UpdateItem", day.uncountedEnd, "sweep"),
  "forgets the day when a task ends": changes("TransactWriteItems", day.uncountedEnd),
  "corrects the ledger and not the day": changes("TransactWriteItems", day.uncountedCorrection),
  "keeps the calls that a call was held for": changes("UpdateItem", month.uncountedEnd, "gateway"),
};
