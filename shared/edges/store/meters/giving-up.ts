/** How an admission that came to nothing is given up: its hold goes back, or can never be taken, or is never billed. */

import { type Aws, isOverload } from "../../../base/platform/aws.ts";
import { pause } from "../../../base/platform/pause.ts";
import { givenBack, type Hold, type Ticket } from "../../../books/meters/hold.ts";
import { toAttribute } from "../dynamodb/attributes.ts";
import { absent, type Change, exists } from "../dynamodb/expressions.ts";
import { meterKey } from "../dynamodb/item-keys.ts";
import { changeItem, putItem } from "../dynamodb/items.ts";
import { closedIntent, readIntent, upTo } from "./intent.ts";
import { names } from "./meter-item.ts";
import { settle } from "./settlements.ts";

/** The first wait between two tries to give up an admission. It doubles each time, to four seconds in all. */
const giveUpWaitMs = 250;
const giveUpWaitMaxMs = 2_000;

/**
 * Gives up an admission (`Meters.abandon`). If the meter gives no answer, bars the intent: the sweep would bill by it.
 * Under load it tries again, as the client gets a refusal in any case.
 */
export async function abandon(aws: Aws, table: string, ticket: Ticket): Promise<boolean> {
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

/** Bars the intents up to this attempt. False where a later attempt has it, or a sweep has billed the call by it. */
async function barIntent(aws: Aws, table: string, { request, attempt }: Hold): Promise<boolean> {
  const { done, item } = await putItem(aws, table, closedIntent(request), [upTo(attempt)]);
  return done || !readIntent(item);
}
