/**
 * Postings to rollups (billing.md §2.7). An event of an earlier day also adds to days and months that are sealed, and
 * the transaction checks that the seal has not moved.
 */

import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { type Aws, ThrottledError } from "../../../base/platform/aws.ts";
import { timeOf } from "../../../base/platform/id.ts";
import { pause } from "../../../base/platform/pause.ts";
import { spanEnd, spanOf, unitOf } from "../../../books/billing/period.ts";
import type { RollupOwner, Seal } from "../../../books/ledger/ledger.ts";
import { hourPart, isSpread } from "../../../books/ledger/spread-hours.ts";
import type { UsageEvent } from "../../../books/ledger/usage-event.ts";
import { readText } from "../dynamodb/attributes.ts";
import {
  readRollupPartition,
  rollupKey,
  rollupPartition,
  sealKey,
  sealSort,
  type TableNames,
} from "../dynamodb/item-keys.ts";
import {
  type ActionOutcome,
  contendedOf,
  contentionPauseMs,
  contentionTries,
  isContention,
  transactOnce,
  update,
} from "../dynamodb/transaction.ts";
import { placesOf, type RollupAddition, type RollupPosting, rollupUpdates, shareOf } from "./postings.ts";
import { readSeal, sealAsRead } from "./seals.ts";
import type { SpreadOrganizations } from "./spread.ts";

/** Where and when events are recorded. All tries of one recording use the same `now` (Unix ms). */
export interface RecordingPlace {
  aws: Aws;
  tables: Pick<TableNames, "ledger" | "counters">;
  spread: SpreadOrganizations;
  now: number;
}

/** A seal moves seldom: for each month of a first pass, then once a day and once a month. */
const movesMax = 4;
/** How often postings are tried that meet others or load: for six seconds, within the 30 of the settling function. */
export const postingTries = 40;

/** The actions of postings. Reads the seals of late events; fails only where a seal has moved. */
async function rollupActions(
  { aws, tables: { ledger: table }, spread, now }: RecordingPlace,
  postings: RollupPosting[],
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
        key: rollupKey(place, span, shareOf(event), partOf(event, span, part, spread)),
        sums,
        hash: hashOf(span),
      }));
    }),
  );
  return [...guards, ...rollupUpdates(table, additions)];
}

/**
 * Runs `own` actions and postings together, again if a seal has moved or others are in the way. Gives the outcomes of
 * `own`, as `transact` does. Throws `ThrottledError` where that does not end: nothing was written then.
 */
export async function transactPostings(
  place: RecordingPlace,
  own: TransactWriteItem[],
  postings: RollupPosting[],
): Promise<ActionOutcome[] | null> {
  for (let [moves, tries] = [0, 0]; moves < movesMax && tries < postingTries; ) {
    const actions = [...own, ...(await rollupActions(place, postings))];
    try {
      const outcomes = await transactOnce(place.aws, actions);
      if (!outcomes) return null;
      const ownOutcomes = outcomes.slice(0, own.length);
      if (ownOutcomes.some(({ failed }) => failed)) return ownOutcomes;
      moves += 1;
    } catch (error) {
      if (!isContention(error)) throw error;
      tries += 1;
      if (tries >= contentionTries) await spreadBusy(place, contendedOf(error, actions));
      await pause(contentionPauseMs(tries));
    }
  }
  throw new ThrottledError("TransactionCanceledException", 400, {});
}

/** Spreads the hours of the organizations whose rollups met others or load again and again. */
async function spreadBusy(
  { aws, tables, spread, now }: RecordingPlace,
  busy: TransactWriteItem[],
): Promise<void> {
  const rollups = busy.flatMap(({ Update }) =>
    Update?.TableName === tables.ledger && readText(Update.Key?.sk) !== sealSort ? [Update.Key] : [],
  );
  const organizations = rollups.map((key) => readRollupPartition(readText(key?.pk)).organization);
  for (const organization of new Set(organizations)) await spread.add(aws, tables.ledger, organization, now);
}

/** The names of all items that recording an event may change. They count against the size of a transaction. */
export function itemsTouched(event: UsageEvent, { spread, now }: RecordingPlace): string[] {
  const everything = { day: "9999-12-31", month: "9999-12", late: 0 };
  return placesOf(event).flatMap((place) => {
    const late = isLate(event, now);
    const rollups = spansOf(event, late ? everything : undefined).map((span) =>
      rollupKey(place, span, shareOf(event), partOf(event, span, anyPart, spread)),
    );
    const seals = late ? [sealKey(place.organization, place.project)] : [];
    return [...rollups, ...seals].map((key) => JSON.stringify(key));
  });
}

/** The part that a sum is added to: only an hour has any, if the event's records or this process say that it is spread. */
function partOf(event: UsageEvent, span: string, part: string, spread: SpreadOrganizations): string {
  if (unitOf(span) !== "hour") return "";
  return isSpread(event) || spread.has(event.organization, span) ? part : "";
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
