/**
 * The ends of holds. Calls of one process that end in the same moment on the same meter item are settled by one write.
 * It has the conditions of all of them. If one hold is gone, nothing is written, and each is then settled by itself.
 */
import { heldBy, type Settlement, type Ticket } from "../../meters/hold.ts";
import type { Aws } from "../../platform/aws.ts";
import { toAttribute } from "../dynamodb/attributes.ts";
import type { Change } from "../dynamodb/expressions.ts";
import { meterKey } from "../dynamodb/item-keys.ts";
import { changeItem } from "../dynamodb/items.ts";
import { joining, type Tick, type Waiting } from "../joining.ts";
import { minutesOf, releaseChange, settlementAmounts } from "./amounts.ts";
import { dueNames, names, removalsMax } from "./meter-item.ts";

/** Holds that one write settles at most. DynamoDB's expressions end at 4 KB. */
const joinedMax = 10;

/** A hold and how it ends. */
interface Ending {
  ticket: Ticket;
  settlement: Settlement;
}

type WaitingEnding = Ending & Waiting<boolean>;

/** Settles a hold exactly once, as `Meters.settle` says, by a write of its own. */
export async function settle(
  aws: Aws,
  table: string,
  ticket: Ticket,
  settlement: Settlement,
): Promise<boolean> {
  return await changeItem(aws, settlingChange(table, { ticket, settlement }));
}

/** Gives `Meters.settle`, which joins the settlements of a tick. */
export function createSettle(
  aws: Aws,
  table: string,
  tick: Tick,
): (ticket: Ticket, settlement: Settlement) => Promise<boolean> {
  const wait = joining<Ending, boolean>((endings) => {
    for (const group of groupsOf(endings)) void settleTogether(aws, table, group);
  }, tick);
  return (ticket, settlement) => wait({ ticket, settlement });
}

/** Groups that one write each can settle: of one item, not too many, and no hold twice. */
function groupsOf(endings: WaitingEnding[]): WaitingEnding[][] {
  const groups: WaitingEnding[][] = [];
  for (const ending of endings) {
    const group = groups.find(
      (each) => each.length < joinedMax && each.every((other) => fits(ending, other)),
    );
    if (group) group.push(ending);
    else groups.push([ending]);
  }
  return groups;
}

function fits({ ticket: { hold } }: Ending, { ticket: { hold: other } }: Ending): boolean {
  return hold.meter === other.meter && hold.shard === other.shard && hold.request !== other.request;
}

async function settleTogether(aws: Aws, table: string, group: WaitingEnding[]): Promise<void> {
  try {
    const changes = group.map((ending) => settlingChange(table, ending, group.length));
    const settled = await changeItem(aws, joinedChange(changes));
    if (settled || group.length === 1) for (const { resolve } of group) resolve(settled);
    else for (const ending of group) void settleTogether(aws, table, [ending]);
  } catch (error) {
    // As after a single write, nobody knows whether they are settled. The sweep settles those that are not.
    for (const { reject } of group) reject(error);
  }
}

/** One write that does what several do to one item, if the conditions of all hold. */
function joinedChange([first, ...others]: Change[]): Change {
  if (!first) throw new RangeError("nothing to join");
  if (others.length === 0) return first;
  const add = { ...first.add };
  const remove = new Set(first.remove);
  for (const other of others) {
    for (const name in other.add) add[name] = BigInt(add[name] ?? 0n) + BigInt(other.add[name] ?? 0n);
    for (const name of other.remove ?? []) remove.add(name);
  }
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

/** The write that settles one hold, as one of so many. Together they remove no more unused names than one would. */
function settlingChange(table: string, { ticket, settlement }: Ending, together = 1): Change {
  const { hold, leftovers } = ticket;
  const held = { name: names.hold(hold.request), held: heldBy(hold) };
  const amounts = settlementAmounts(hold.request, held.held, settlement, minutesOf(hold));
  const unused = dueNames(leftovers, settlement.at, Math.floor(removalsMax / together));
  const change = releaseChange(table, meterKey(hold.meter, hold.shard), held, amounts, unused);
  return { ...change, ...closing(ticket, settlement.at) };
}

/**
 * The mark that refuses a late admission: where the outcome is unknown, its request may arrive after the hold has
 * ended.
 */
export function closing({ hold, outcomeUnknown }: Ticket, at: number): Pick<Change, "set"> {
  return outcomeUnknown ? { set: { [names.closed(hold.request)]: toAttribute(at) } } : {};
}
