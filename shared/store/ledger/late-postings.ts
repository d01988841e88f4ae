/**
 * Postings as the actions of a transaction, whenever they come (billing.md §2.7). In its own day an event
 * adds to its hour alone. After that it is late: its day or month may be sealed by then or be about to be,
 * so it adds to those that are, and in the same transaction makes sure that the seal is where it was read.
 */

import { spanEnd, spanOf } from "../../billing/period.ts";
import type { Place, Seal } from "../../ledger/ledger.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";
import { type Aws, AwsError } from "../../platform/aws.ts";
import { timeOf } from "../../platform/id.ts";
import { rollupKey, rollupPartition, sealKey } from "../dynamodb/item-keys.ts";
import { type Action, transact, update, type Verdict } from "../dynamodb/transaction.ts";
import { type Addition, type Posting, placesOf, rollupUpdates, shareOf } from "./postings.ts";
import { readSeal, sealAsRead } from "./seals.ts";

/** A seal moves once for each month of a first pass, and then once a day and once a month. */
const attemptsMax = 4;

/**
 * The actions of postings at `now`, Unix ms. Reads the seals, strongly consistent, of events that are late; that one
 * has moved since is all that an action can fail of.
 */
async function rollupActions(aws: Aws, table: string, postings: Posting[], now: number): Promise<Action[]> {
  const places = new Map<string, Place>();
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
  const additions = postings.flatMap(({ event, sums }): Addition[] =>
    placesOf(event).flatMap((place) => {
      const seal = isLate(event, now) ? seals.get(partitionOf(place)) : undefined;
      return spansOf(event, seal).map((span) => ({ key: rollupKey(place, span, shareOf(event)), sums }));
    }),
  );
  return [...guards, ...rollupUpdates(table, additions)];
}

/**
 * Runs a transaction of own actions and what postings add to rollups. Resolves as `transact` does, with the
 * verdicts on the own actions; a seal that moves meanwhile is read again.
 */
export async function transactPostings(
  aws: Aws,
  table: string,
  own: Action[],
  postings: Posting[],
  now: number,
): Promise<Verdict[] | null> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const verdicts = await transact(aws, [...own, ...(await rollupActions(aws, table, postings, now))]);
    if (!verdicts) return null;
    const ownVerdicts = verdicts.slice(0, own.length);
    if (ownVerdicts.some(({ failed }) => failed)) return ownVerdicts;
  }
  // To whoever waits contention out, a seal that does not stand still is just that.
  throw new AwsError("TransactionCanceledException", 400, {
    CancellationReasons: [{ Code: "TransactionConflict" }],
  });
}

/** Every item that the actions of an event may change, by name: what it takes up of a transaction at most. */
export function itemsTouched(event: UsageEvent, now: number): string[] {
  const everything = { day: "9999-12-31", month: "9999-12", late: 0 };
  return placesOf(event).flatMap((place) => {
    const late = isLate(event, now);
    const rollups = spansOf(event, late ? everything : undefined).map((span) =>
      rollupKey(place, span, shareOf(event)),
    );
    const seals = late ? [sealKey(place.organization, place.project)] : [];
    return [...rollups, ...seals].map((key) => JSON.stringify(key));
  });
}

/**
 * Whether the UTC day of an event is over. A seal follows two hours later, so a clock may be wrong by
 * nearly as much before an event of a sealed day could pass for one of a running day.
 */
function isLate(event: UsageEvent, now: number): boolean {
  return now >= spanEnd(spanOf(timeOf(event.id), "day"));
}

/** The spans an event adds to: its hour, and its day and month where they are sealed. */
function spansOf(event: UsageEvent, seal: Seal | undefined): string[] {
  const at = timeOf(event.id);
  const [day, month] = [spanOf(at, "day"), spanOf(at, "month")];
  return [
    spanOf(at, "hour"),
    ...(seal && day <= seal.day ? [day] : []),
    ...(seal && month <= seal.month ? [month] : []),
  ];
}

function partitionOf({ organization, project }: Place): string {
  return rollupPartition(organization, project);
}
