/** The mark of a meter item that may have calls in flight: its keys in the index `marked` (../README.md "Marks"). */
import { bareId, idDigits } from "../../../base/platform/id.ts";
import type { Item } from "../dynamodb/attributes.ts";

const dayMs = 86_400_000;

/** The partitions of the index: what the id of a meter can end in. */
export const markPartitions: readonly string[] = [...idDigits];

/** What an admission at `at` (Unix ms) sets on the item. It is the same all day, and so is the index. */
export function markOf(meter: string, at: number): Item {
  return { mark: { S: partitionOf(meter) }, marked: { S: String(dayOf(meter, at)) } };
}

/**
 * Whether no admission of today or yesterday has set this mark. So one that comes now sets another one, whatever the
 * clock of its process, and a removal on the condition of the old mark loses no call.
 */
export function isOldMark(meter: string, marked: string, now: number): boolean {
  return Number(marked) < dayOf(meter, now) - 1;
}

function partitionOf(meter: string): string {
  return bareId(meter).slice(-1);
}

/** The number of the day, which begins at another instant for each partition: not all meters change marks at once. */
function dayOf(meter: string, at: number): number {
  const share = idDigits.indexOf(partitionOf(meter)) / idDigits.length;
  return Math.floor(at / dayMs + share);
}
