/**
 * Postings to rollups (billing.md §2.7). An event of an earlier day also adds to days and months that are sealed, and
 * the transaction checks that the seal has not moved.
 */

import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { type Aws, AwsError } from "../../../base/platform/aws.ts";
import { timeOf } from "../../../base/platform/id.ts";
import { spanEnd, spanOf, unitOf } from "../../../books/billing/period.ts";
import type { RollupOwner, Seal } from "../../../books/ledger/ledger.ts";
import { hourPart, isSpread } from "../../../books/ledger/spread-hours.ts";
import type { UsageEvent } from "../../../books/ledger/usage-event.ts";
import { rollupKey, rollupPartition, sealKey } from "../dynamodb/item-keys.ts";
import { type ActionOutcome, transact, update } from "../dynamodb/transaction.ts";
import { placesOf, type RollupAddition, type RollupPosting, rollupUpdates, shareOf } from "./postings.ts";
import { readSeal, sealAsRead } from "./seals.ts";

/** A seal moves seldom: for each month of a first pass, then once a day and once a month. */
const attemptsMax = 4;

/** The actions of postings at `now`, Unix ms. Reads the seals of late events; fails only where a seal has moved. */
async function rollupActions(
  aws: Aws,
  table: string,
  postings: RollupPosting[],
  now: number,
): Promise<TransactWriteItem[]> {
  const places = new Map<string, RollupOwner>();
  for (const { event } of postings.filter(({ event }) => isLate(event, now))) {
    for (const place of placesOf(event)) places.set(partitionOf(place), place);
  }
  const seals = new Map<string, Seal>();
  const guards = await Promise.all(
    [...places].map(async ([partition, place]) => {
      const seal = await readSeal(aws, table, place);
      seals.set(partition, seal);
      const key = sealKey(place.organization, place.project);
      return update({ table, key, add: { late: 1 }, when: sealAsRead(seal) });
    }),
  );
  // Whoever writes at the same moment writes to another part, most likely.
  const part = hourPart(postings[0]?.event.id ?? "");
  const additions = postings.flatMap(({ event, sums, hash }): RollupAddition[] =>
    placesOf(event).flatMap((place) => {
      const seal = isLate(event, now) ? seals.get(partitionOf(place)) : undefined;
      const hashOf = (span: string) => (place.project === "" && unitOf(span) === "hour" ? hash : 0n);
      return spansOf(event, seal).map((span) => ({
        key: rollupKey(place, span, shareOf(event), partOf(event, span, part)),
        sums,
        hash: hashOf(span),
      }));
    }),
  );
  return [...guards, ...rollupUpdates(table, additions)];
}

/**
 * Runs `own` actions and postings together, again if a seal has moved. Gives the outcomes of `own`, as `transact` does.
 */
export async function transactPostings(
  aws: Aws,
  table: string,
  own: TransactWriteItem[],
  postings: RollupPosting[],
  now: number,
): Promise<ActionOutcome[] | null> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const outcomes = await transact(aws, [...own, ...(await rollupActions(aws, table, postings, now))]);
    if (!outcomes) return null;
    const ownOutcomes = outcomes.slice(0, own.length);
    if (ownOutcomes.some(({ failed }) => failed)) return ownOutcomes;
  }
  // The seal moved every time. Callers handle that like contention with other writers.
  throw new AwsError("TransactionCanceledException", 400, {
    CancellationReasons: [{ Code: "TransactionConflict" }],
  });
}

/** The names of all items that recording an event may change. They count against the size of a transaction. */
export function itemsTouched(event: UsageEvent, now: number): string[] {
  const everything = { day: "9999-12-31", month: "9999-12", late: 0 };
  return placesOf(event).flatMap((place) => {
    const late = isLate(event, now);
    const rollups = spansOf(event, late ? everything : undefined).map((span) =>
      rollupKey(place, span, shareOf(event), partOf(event, span, anyPart)),
    );
    const seals = late ? [sealKey(place.organization, place.project)] : [];
    return [...rollups, ...seals].map((key) => JSON.stringify(key));
  });
}

/** The part that a sum is added to: only the hours of events whose records say so are spread. */
function partOf(event: UsageEvent, span: string, part: string): string {
  return isSpread(event) && unitOf(span) === "hour" ? part : "";
}

/** Stands for the part of a transaction that has none yet. */
const anyPart = "*";

/** Whether the event's UTC day is over. The seal comes two hours later, so a clock may be off by less than that. */
function isLate(event: UsageEvent, now: number): boolean {
  return now >= spanEnd(spanOf(timeOf(event.id), "day"));
}

/** The spans that an event adds to: its hour, and its day and month if they are sealed. */
function spansOf(event: UsageEvent, seal: Seal | undefined): string[] {
  const at = timeOf(event.id);
  const [day, month] = [spanOf(at, "day"), spanOf(at, "month")];
  return [
    spanOf(at, "hour"),
    ...(seal && day <= seal.day ? [day] : []),
    ...(seal && month <= seal.month ? [month] : []),
  ];
}

function partitionOf({ organization, project }: RollupOwner): string {
  return rollupPartition(organization, project);
}
