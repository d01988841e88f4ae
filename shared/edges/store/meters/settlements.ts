/** Holds that end in the same moment on the same item are settled by one write. If one is gone, each goes by itself. */

import { type Aws, isOverload } from "../../../base/platform/aws.ts";
import { heldBy, type Settlement, type Ticket } from "../../../books/meters/hold.ts";
import { toAttribute } from "../dynamodb/attributes.ts";
import type { Change } from "../dynamodb/expressions.ts";
import { meterKey } from "../dynamodb/item-keys.ts";
import { changeItem } from "../dynamodb/items.ts";
import { joining, type Tick, type Waiting } from "../joining.ts";
import { minutesOf, releaseChange, settlementAmounts, sumOf } from "./amounts.ts";
import { canJoin, groupsOf, holdsMax } from "./groups.ts";
import { dueNames, names, removalsMax } from "./meter-item.ts";
import { type HoldEnding, Unsettled } from "./unsettled.ts";

type WaitingEnding = HoldEnding & Waiting<boolean>;

/** Settles a hold exactly once, as `Meters.settle` says, by a write of its own. */
export async function settle(
  aws: Aws,
  table: string,
  ticket: Ticket,
  settlement: Settlement,
): Promise<boolean> {
  return await changeItem(aws, joinedChange(settlingChanges(table, [{ ticket, settlement }])));
}

/** Gives `Meters.settle`, which joins the settlements of a tick, and those that were refused before. */
export function createSettle(
  aws: Aws,
  table: string,
  tick: Tick,
): (ticket: Ticket, settlement: Settlement) => Promise<boolean> {
  const unsettled = new Unsettled();
  const settleTogether = async (group: WaitingEnding[]): Promise<void> => {
    try {
      const settled = await changeItem(aws, joinedChange(settlingChanges(table, group)));
      if (settled || group.length === 1) for (const { resolve } of group) resolve(settled);
      else for (const ending of group) void settleTogether([ending]);
    } catch (error) {
      // As after a single write, nobody knows whether they are settled. The sweep settles those that are not.
      for (const { reject } of group) reject(error);
      if (isOverload(error)) for (const ending of group) unsettled.keep(ending);
    }
  };
  const wait = joining<HoldEnding, boolean>((endings) => {
    const canShare = (one: HoldEnding, other: HoldEnding) => canJoin(one.ticket.hold, other.ticket.hold);
    for (const group of groupsOf(endings, canShare, holdsMax)) {
      const late = group[0] ? unsettled.take(group[0].ticket.hold, holdsMax - group.length) : [];
      void settleTogether([...group, ...late.map((ending) => ({ ...ending, ...nobody }))]);
    }
  }, tick);
  return (ticket, settlement) => wait({ ticket, settlement });
}

/** Whoever ended a hold late has been told of the refusal. */
const nobody: Waiting<boolean> = { resolve() {}, reject() {} };

/** One write that does what several do to one item, if the conditions of all hold. */
function joinedChange([first, ...others]: Change[]): Change {
  if (!first) throw new RangeError("nothing to join");
  if (others.length === 0) return first;
  const add = sumOf([first, ...others].map((each) => each.add ?? {}));
  const remove = new Set([first, ...others].flatMap((each) => each.remove ?? []));
  // One call may count on what another one found to be out of use.
  for (const name in add) remove.delete(name);
  return {
    ...first,
    set: Object.assign({}, first.set, ...others.map(({ set }) => set)),
    add,
    remove: [...remove],
    when: [first, ...others].flatMap(({ when = [] }) => when),
  };
}

/** The writes remove as many unused names as one would: calls of one moment have seen much the same names. */
function settlingChanges(table: string, endings: HoldEnding[]): Change[] {
  const removed = new Set<string>();
  return endings.map(({ ticket, settlement }) => {
    const { hold, leftovers } = ticket;
    const held = { name: names.hold(hold.request), held: heldBy(hold) };
    const amounts = settlementAmounts(hold.request, held.held, settlement, minutesOf(hold));
    const unused = dueNames(leftovers, settlement.at, removalsMax - removed.size);
    for (const name of unused) removed.add(name);
    const change = releaseChange(table, meterKey(hold.meter, hold.shard), held, amounts, unused);
    return { ...change, ...closing(ticket, settlement.at) };
  });
}

/** The mark that refuses a late admission: its request may arrive after the hold has ended. */
export function closing({ hold, outcomeUnknown }: Ticket, at: number): Pick<Change, "set"> {
  return outcomeUnknown ? { set: { [names.closed(hold.request)]: toAttribute(at) } } : {};
}
