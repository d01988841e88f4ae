/** The meters on DynamoDB: one conditional write admits a call, another one settles it. */
import { GatewayError } from "../../errors.ts";
import { type Admission, HoldMayStand, type Refusal } from "../../meters/admission.ts";
import { givenBack, type Hold, type Ticket, ticketOf } from "../../meters/hold.ts";
import { budgetUses, type CallMeters, type Meters } from "../../meters/meter.ts";
import { type Aws, type Delivery, isOverload } from "../../platform/aws.ts";
import { pause } from "../../platform/pause.ts";
import { type Item, toAttribute } from "../dynamodb/attributes.ts";
import { absent, type Change, exists } from "../dynamodb/expressions.ts";
import { intentKey, meterKey, type Tables } from "../dynamodb/item-keys.ts";
import {
  type Attempted,
  attemptChange,
  changeItem,
  getItem,
  putItem,
  updateItem,
  type Written,
} from "../dynamodb/items.ts";
import { endOfTurn, type Tick } from "../joining.ts";
import {
  admissionChange,
  countingChange,
  extensionChange,
  extensionRefusal,
  overloaded,
  refusal,
  tidyingChange,
} from "./admission-writes.ts";
import { undoChange } from "./amounts.ts";
import { closedIntent, newIntent, readIntent, upTo } from "./intent.ts";
import { checkLimits, needsItem } from "./limit-check.ts";
import { leftoversOf, looksForLeftovers, names, readMeterItem } from "./meter-item.ts";
import { closing, createSettle, settle } from "./settlements.ts";
import { createShardUpkeep, createWalletShards } from "./shards.ts";
import { createMeterUpkeep } from "./upkeep.ts";

/** The first wait between two tries to give up an admission. It doubles each time, to four seconds in all. */
const giveUpWaitMs = 250;
const giveUpWaitMaxMs = 2_000;

/** The meters of a table of counters. Settlements of one `tick` on one item are joined. */
export function createMeters(aws: Aws, tables: Pick<Tables, "counters">, tick: Tick = endOfTurn): Meters {
  return {
    ...createCallMeters(aws, tables, tick),
    ...createMeterUpkeep(aws, tables),
    ...createShardUpkeep(aws, tables),
  };
}

/** The same as a gateway needs them. The code of the other methods is not in its bundle. */
export function createCallMeters(
  aws: Aws,
  tables: Pick<Tables, "counters">,
  tick: Tick = endOfTurn,
): CallMeters & Pick<Meters, "shardsOf"> {
  const table = tables.counters;
  const { gather, shardsOf } = createWalletShards(aws, tables);

  return {
    gather,
    shardsOf,

    admit: (hold) => (hold.counting ? count(aws, table, hold) : take(aws, table, hold)),

    async extend(ticket, points) {
      const { hold } = ticket;
      try {
        const { done, item } = await attemptChange(aws, extensionChange(table, hold, points));
        const refused = done ? undefined : extensionRefusal(hold, points, item);
        return refused ?? { extended: true, ticket: { ...ticket, hold: { ...hold, points } } };
      } catch (error) {
        if (!isOverload(error)) throw error;
        return { extended: false, error: "global_rate_limited" };
      }
    },

    async intend(intent, attempt) {
      const { done } = await putItem(aws, table, newIntent(intent, attempt), [upTo(attempt)]);
      if (!done) throw new GatewayError("global_rate_limited");
    },

    settle: createSettle(aws, table, tick),
    abandon: (ticket) => abandon(aws, table, ticket),

    async intent(request) {
      return readIntent(await getItem(aws, table, intentKey(request)));
    },

    async budgets(meter) {
      const item = await getItem(aws, table, meterKey(meter, 0));
      return item ? budgetUses(readMeterItem(item)) : new Map();
    },

    async balance(meter) {
      const items = await shardsOf(meter);
      return items.reduce((total, { granted, used }) => total + granted - used, 0n);
    },
  };
}

/** Admits a call. A refused or failed admission may have left a hold on the meter: this takes it back. */
async function take(aws: Aws, table: string, hold: Hold): Promise<Admission> {
  const sent: Delivery = { outcomeUnknown: false };
  const ticketOn = (item?: Item): Ticket => ({ hold, leftovers: item ? leftoversOf(item) : [], ...sent });
  const write = needsItem(hold) || looksForLeftovers(hold.request) ? updateItem : attemptChange;
  let written: Written | Attempted;
  try {
    written = await write(aws, admissionChange(table, hold), sent);
  } catch (error) {
    if (sent.outcomeUnknown && !(await abandon(aws, table, ticketOn()))) {
      if (isOverload(error)) return { ...overloaded, holdMayStand: true };
      throw new HoldMayStand(error);
    }
    if (isOverload(error)) return overloaded;
    throw error;
  }
  const { done, item } = written;
  // The item also has the hold if a first try succeeded whose answer was lost. The second try then failed, and the call
  // is admitted all the same.
  if (!done && !(item && names.hold(hold.request) in item)) {
    const isGivenUp = !sent.outcomeUnknown || (await abandon(aws, table, ticketOn()));
    return refusedAs(refusal(hold, item), isGivenUp);
  }
  const ticket = ticketOn(item);
  if (!item) return { admitted: true, limitStatus: {}, ticket };
  const checked = checkLimits(hold, item);
  if (checked.admitted) return { ...checked, ticket };
  const undone = await undo(aws, table, ticket, item).catch(() => false);
  return refusedAs(checked, undone || (await abandon(aws, table, ticket)));
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
 * Undoes an admission that broke a limit. `item` is the meter as the admission left it. The first write also removes
 * the counters that only this call used. Where another call uses one of them by now, the second write leaves them.
 */
async function undo(aws: Aws, table: string, ticket: Ticket, item: Item): Promise<boolean> {
  const { hold } = ticket;
  const mark = closing(ticket, hold.at);
  if (await changeItem(aws, { ...undoChange(table, hold, item, true), ...mark })) return true;
  return await changeItem(aws, { ...undoChange(table, hold, item, false), ...mark });
}

/**
 * Gives up an admission, as `Meters.abandon` says. If the meter does not answer, this bars the intent. The sweep gives
 * back a hold that has no intent. With an intent it would bill a call that was never sent. While the store is only
 * overloaded, this tries again: the client gets a refusal in any case, and can wait for it.
 */
async function abandon(aws: Aws, table: string, ticket: Ticket): Promise<boolean> {
  for (let waitMs = giveUpWaitMs; ; waitMs *= 2) {
    try {
      if (await giveBack(aws, table, ticket)) return true;
    } catch {
      // The meter gave no answer. The intent can still be barred.
    }
    try {
      return await barIntent(aws, table, ticket.hold);
    } catch (error) {
      if (!isOverload(error) || waitMs > giveUpWaitMaxMs) return false;
    }
    await pause(waitMs);
  }
}

async function giveBack(aws: Aws, table: string, ticket: Ticket): Promise<boolean> {
  const settlement = givenBack(ticket.hold.at);
  if (await settle(aws, table, ticket, settlement)) return true;
  if (await changeItem(aws, barredHold(table, ticket.hold))) return true;
  // The hold has arrived between the two writes, or a sweep whose clock is fast has seized it.
  return await settle(aws, table, ticket, settlement);
}

/** The write that keeps a hold from being taken later. It fails where the hold is there, or is seized or ended. */
function barredHold(table: string, { meter, shard, request, at }: Hold): Change {
  const closed = names.closed(request);
  const none = [names.hold(request), names.seized(request), closed].map(absent);
  const set = { [closed]: toAttribute(at) };
  return { table, key: meterKey(meter, shard), set, when: [exists("kind"), ...none] };
}

/**
 * Bars the intents of this attempt and of earlier ones. False where the intent cannot be barred, because it belongs to
 * a later attempt or because a sweep has billed the call by it.
 */
async function barIntent(aws: Aws, table: string, { request, attempt }: Hold): Promise<boolean> {
  const { done, item } = await putItem(aws, table, closedIntent(request), [upTo(attempt)]);
  return done || !readIntent(item);
}
