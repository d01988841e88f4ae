/**
 * Admissions. Calls of one moment on a wallet's item are one write with the conditions of all. If one is not met,
 * nothing is written, and each is tried by itself.
 */

import { type Aws, type Delivery, isOverload } from "../../../base/platform/aws.ts";
import { type Admission, HoldMayStand, type Refusal } from "../../../books/meters/admission.ts";
import { type Hold, type Ticket, ticketOf } from "../../../books/meters/hold.ts";
import type { Item } from "../dynamodb/attributes.ts";
import { attemptChange, changeItem, updateItem, type WriteOutcome, type Written } from "../dynamodb/items.ts";
import { joining, type Tick, type Waiting } from "../joining.ts";
import { admissionChange, countingChange, overloaded, refusal, tidyingChange } from "./admission-writes.ts";
import { undoChange } from "./amounts.ts";
import { abandon } from "./giving-up.ts";
import { canJoin, groupsOf, holdsMax } from "./groups.ts";
import { checkLimits, needsItem } from "./limit-check.ts";
import { leftoversOf, looksForLeftovers, names } from "./meter-item.ts";
import { crowdOn, rushOf } from "./rush.ts";
import { closing } from "./settlements.ts";

type WaitingHold = { hold: Hold } & Waiting<Admission>;

/** Joins the admissions of a tick. One that is checked on the whole item goes alone: it would see the others' holds. */
export function createAdmit(aws: Aws, table: string, tick: Tick): (hold: Hold) => Promise<Admission> {
  const wait = joining<{ hold: Hold }, Admission>((askings) => {
    const canShare = (one: WaitingHold, other: WaitingHold) => canJoin(one.hold, other.hold);
    for (const group of groupsOf(askings, canShare, holdsMax)) void takeTogether(aws, table, group);
  }, tick);
  return (hold) => {
    if (hold.counting) return count(aws, table, hold);
    return needsItem(hold) ? take(aws, table, hold) : wait({ hold });
  };
}

async function takeTogether(aws: Aws, table: string, group: WaitingHold[]): Promise<void> {
  const answerEach = (answer: (hold: Hold) => Promise<Admission>) => {
    for (const { hold, resolve, reject } of group) answer(hold).then(resolve, reject);
  };
  if (group.length === 1) return answerEach((hold) => take(aws, table, hold));
  const sent: Delivery = { outcomeUnknown: false };
  try {
    const holds = group.map(({ hold }) => hold);
    const { done, item } = await write(aws, table, holds, sent);
    // A first try whose answer was lost may have taken all the holds, or may still take them. Each finds out by itself.
    if (!done) return answerEach((hold) => take(aws, table, hold, { ...sent }));
    for (const { hold, resolve } of group) {
      const own = looksForLeftovers(hold.request) ? item : undefined;
      resolve({ admitted: true, limitStatus: {}, ticket: ticketFor(hold, sent, own), ...crowdOn(hold, own) });
    }
  } catch (error) {
    answerEach((hold) => refuseFailed(aws, table, ticketFor(hold, sent), error));
  }
}

/** Admits a call. A refused or failed admission may have left a hold on the meter: this takes it back. */
async function take(
  aws: Aws,
  table: string,
  hold: Hold,
  sent: Delivery = { outcomeUnknown: false },
): Promise<Admission> {
  let written: Written | WriteOutcome;
  try {
    written = await write(aws, table, [hold], sent);
  } catch (error) {
    return await refuseFailed(aws, table, ticketFor(hold, sent), error);
  }
  const { done, item } = written;
  // The item also has the hold if a first try succeeded whose answer was lost. The second try then failed, and the call
  // is admitted all the same.
  if (!done && !(item && names.hold(hold.request) in item)) {
    const isGivenUp = !sent.outcomeUnknown || (await abandon(aws, table, ticketFor(hold, sent)));
    return refusedAs(refusal(hold, item), isGivenUp);
  }
  const ticket = ticketFor(hold, sent, item);
  if (!item) return { admitted: true, limitStatus: {}, ticket };
  const checked = checkLimits(hold, item);
  if (checked.admitted) return { ...checked, ticket, ...crowdOn(hold, item) };
  const undone = await undo(aws, table, ticket, item).catch(() => false);
  return refusedAs(checked, undone || (await abandon(aws, table, ticket)));
}

/** Writes the holds, and asks for the item where one of them needs to see it. */
function write(aws: Aws, table: string, holds: Hold[], sent: Delivery): Promise<Written | WriteOutcome> {
  const reads = holds.some((hold) => needsItem(hold) || looksForLeftovers(hold.request));
  return (reads ? updateItem : attemptChange)(aws, admissionChange(table, holds), sent);
}

function ticketFor(hold: Hold, { outcomeUnknown }: Delivery, item?: Item): Ticket {
  return { hold, leftovers: item ? leftoversOf(item) : [], outcomeUnknown };
}

/** The answer to a call whose admission failed with an error. Throws the error where the store is not only too busy. */
async function refuseFailed(aws: Aws, table: string, ticket: Ticket, error: unknown): Promise<Refusal> {
  if (ticket.outcomeUnknown && !(await abandon(aws, table, ticket))) {
    if (isOverload(error)) return { ...overloaded, ...rushOf(ticket.hold), holdMayStand: true };
    throw new HoldMayStand(error);
  }
  if (isOverload(error)) return { ...overloaded, ...rushOf(ticket.hold) };
  throw error;
}

/** The refusal. It says so where the hold may still be on the meter. */
function refusedAs(refused: Refusal, isGivenUp: boolean): Refusal {
  return isGivenUp ? refused : { ...refused, holdMayStand: true };
}

/** Admits a request that counts tokens. It has no hold, so no settlement will tidy the item: this does it. */
async function count(aws: Aws, table: string, hold: Hold): Promise<Admission> {
  try {
    const { done, item } = await updateItem(aws, countingChange(table, hold));
    if (!done || !item) return refusal(hold, item);
    const checked = checkLimits(hold, item);
    const tidying = checked.admitted && tidyingChange(table, hold, item);
    if (tidying) await changeItem(aws, tidying);
    if (checked.admitted) return { ...checked, ticket: ticketOf(hold) };
    await undo(aws, table, ticketOf(hold), item);
    return checked;
  } catch (error) {
    if (!isOverload(error)) throw error;
    return overloaded;
  }
}

/**
 * `item` is the meter after the admission. The first write also removes counters that only this call used, if it can.
 */
async function undo(aws: Aws, table: string, ticket: Ticket, item: Item): Promise<boolean> {
  const { hold } = ticket;
  const mark = closing(ticket, hold.at);
  if (await changeItem(aws, { ...undoChange(table, hold, item, true), ...mark })) return true;
  return await changeItem(aws, { ...undoChange(table, hold, item, false), ...mark });
}
