/**
 * The meter and its port. A meter is one item for a subscription, or one for each shard of a wallet. It has the
 * counters and one small attribute for each call in flight. Points are 10⁻¹⁸, instants Unix milliseconds.
 */

import { timeOf } from "../../base/platform/id.ts";
import type { BillingMode } from "../accounts/account.ts";
import type { Admission, Extension, Refusal } from "./admission.ts";
import type { BudgetUse, Refused } from "./budget.ts";
import type { Held, Hold, Settlement, Ticket } from "./hold.ts";
import type { Intent } from "./intent.ts";
import type { Transfer } from "./shards.ts";
import { dayPointsCounter } from "./window.ts";

/** A meter item in full. */
export interface Meter {
  meter: string;
  shard: number;
  mode: BillingMode;
  /** Wallets: what was credited, what no call holds, and what was charged. */
  granted: bigint;
  avail: bigint;
  used: bigint;
  /** Wallets: the sum of the hashes that the entries of its credits carry (edges/store/dynamodb/item-hash.ts). */
  credits: bigint;
  /** The holds of calls in flight, by request id. */
  holds: Map<string, Held>;
  /** The holds of video tasks that are not settled, by task id. */
  tasks: Map<string, Held>;
  /** The holds that the sweep has seized and not yet settled, by request id. */
  seized: Map<string, Held>;
  /** Calls by quota month. The last two months are kept. */
  periods: Map<string, number>;
  /** Points at list price of calls that ended or are in flight, by the counter of the UTC day (`dayPointsCounter`). */
  days: Map<string, bigint>;
  /**
   * Points spent and held, by the counter of a budget. On the first shard also what was given to others, and on another
   * one less what it was given. So the sum over all shards is what is spent and held.
   */
  budgets: Map<string, bigint>;
  /** How often parts of budgets came to this shard or left it. */
  moves: number;
  frozen: boolean;
  /**
   * When revisions of keys ended in the last hour: by the bare key id, with a point and its number behind it from the
   * first change on.
   */
  ended: Map<string, bigint>;
  /** The first shard: how many shards the wallet has items for. 1 on all others. */
  opened: number;
  /** The first of several shards: the organization. "" on all others. */
  owner: string;
  /** How many shards the wallet kept when this one was retired; null while this one takes calls. */
  shardsAtRetirement: number | null;
  /** The mark of the last admission (edges/store/meters/mark.ts); null where there is none. */
  marked: string | null;
}

/** The lists of meters: all of them, or those that may have calls in flight. */
export type ListedMeters = "meters" | "marked";

/** Some meters of a list, and where it goes on; undefined at its end. */
interface MeterPage {
  listed: ListedMeters;
  meters: Meter[];
  next: string | undefined;
}

/** How far the schedule's pass has come. */
interface PassState {
  /** When a pass last read every meter, Unix ms; 0 for never. */
  every_at: number;
  /** Where the next pass goes on, if the last one was not done in time. */
  next?: string | undefined;
}

/** What readings of a meter's items say for certain (certain.ts). */
export interface CertainUse {
  /** What was credited. Undefined: points moved during each reading, so a sum may have them twice. */
  granted: bigint | undefined;
  /** What was charged. It never moves, so any reading will do. */
  used: bigint;
  /** Which credits these are (`Meter.credits`). */
  credits: bigint;
  /** What calls have spent by each counter of a budget, at least. Undefined: parts moved too often to say. */
  spent: ReadonlyMap<string, bigint> | undefined;
}

/** All that is held on a meter: for calls in flight, for calls that the sweep closes, and for tasks. */
export function allHeld({ holds, seized, tasks }: Pick<Meter, "holds" | "seized" | "tasks">): Held[] {
  return [holds, seized, tasks].flatMap((held) => [...held.values()]);
}

/** What a meter's budgets have spent and hold, by their counters. `items` are all that the meter has. */
export function budgetUses(
  items: readonly Pick<Meter, "budgets" | "holds" | "seized" | "tasks">[],
): Map<string, BudgetUse> {
  const uses = new Map<string, BudgetUse>();
  for (const item of items) {
    for (const [counter, taken] of item.budgets) {
      const { spent, held } = uses.get(counter) ?? { spent: 0n, held: 0n };
      uses.set(counter, { spent: spent + taken, held });
    }
  }
  // A call on a shard that gave its part back has its counter there all the same, or on another shard.
  for (const { counter, points } of items.flatMap(allHeld).flatMap(({ budgets = [] }) => budgets)) {
    const use = uses.get(counter);
    if (use) uses.set(counter, { spent: use.spent - points, held: use.held + points });
  }
  return uses;
}

/** What a plan's day has spent and holds at `now`, by the counter that admission decides by. */
export function dayUse(
  { days, holds, seized, tasks }: Pick<Meter, "days" | "holds" | "seized" | "tasks">,
  now: number,
): BudgetUse {
  const counter = dayPointsCounter(now);
  // The share of a hold counts in the day of its admission, which its id tells.
  const held = [holds, seized, tasks]
    .flatMap((each) => [...each])
    .filter(([id]) => dayPointsCounter(timeOf(id)) === counter)
    .reduce((sum, [, { dayPoints = 0n }]) => sum + dayPoints, 0n);
  return { spent: (days.get(counter) ?? 0n) - held, held };
}

/**
 * The store of meters. All methods throw `ThrottledError` (base/platform/aws.ts) when DynamoDB refuses after retries.
 */
export interface Meters {
  /**
   * Takes the hold if every limit allows it. That is one conditional write. Where a limit of the minute or day is
   * exceeded, a second write takes the hold back. Repeating an admission is harmless. Throws `HoldMayStand`, or what
   * the store fails with.
   */
  admit(hold: Hold): Promise<Admission>;
  /**
   * Finds a shard with enough points and enough of its budget for the hold, and moves them there from other shards where
   * none has enough. `at` demands a certain shard. The hold is not taken yet. Refuses where the whole wallet or the whole
   * budget has too little for `what`, or where other calls took it each time.
   */
  gather(hold: Hold, at?: number, what?: Refused): Promise<{ shard: number } | Refusal>;
  /**
   * Writes the intent in parallel with `admit`, before anything is sent upstream. Each attempt on a further shard
   * writes it anew; `attempt` counts from 1. The intent of an earlier attempt that arrives late changes nothing.
   */
  intend(intent: Intent, attempt?: number): Promise<void>;
  /** Raises a hold to `points` if its shard has the difference: one conditional write. Repeating it is harmless. */
  extend(ticket: Ticket, points: bigint): Promise<Extension>;
  /**
   * Gives up an admission that came to nothing. The hold goes back. Where the meter does not answer, the intent is
   * barred instead, and the sweep then gives the hold back. Never rejects. False where neither write was acknowledged,
   * or where a sweep has billed the call: the hold may stand.
   */
  abandon(ticket: Ticket): Promise<boolean>;
  /** Settles a hold exactly once. False where the hold is gone or is another one than the ticket says. */
  settle(ticket: Ticket, settlement: Settlement): Promise<boolean>;
  /** Points that are not spent, over all shards: granted less used. Strongly consistent. */
  balance(meter: string): Promise<bigint>;
  /**
   * What keys have spent and hold of their budgets, by `budgetName`, over all shards. Strongly consistent.
   */
  budgets(meter: string): Promise<Map<string, BudgetUse>>;

  /** Makes a meter item. One that exists is left alone. */
  open(meter: string, shard: number, mode: BillingMode): Promise<void>;
  readMeter(meter: string, shard: number): Promise<Meter | undefined>;
  /**
   * Every meter item, each read strongly consistent. One that was made a moment ago may be missing. One that cannot be
   * read ends the list, or is told and left out.
   */
  everyMeter(tell?: (why: string) => void): AsyncIterable<Meter>;
  /**
   * A list from its beginning, or from the `next` of a page on, likewise. It becomes the list of all meters where the
   * table does not know the marked ones.
   */
  meterPages(from: string, tell?: (why: string) => void): AsyncIterable<MeterPage>;
  /** Removes the mark of an item that is as it was read, unless it may be that of a call that comes now. */
  unmark(meter: Pick<Meter, "meter" | "shard" | "marked">, now: number): Promise<void>;
  passState(): Promise<PassState>;
  keepPassState(state: PassState): Promise<void>;
  /**
   * Takes a hold away from its gateway, so that only `settleSeized` can end it. Gives what was held, also if the hold
   * was seized before; undefined if it is settled.
   */
  seize(meter: string, shard: number, request: string): Promise<Held | undefined>;
  /** Settles a seized hold exactly once. False where it is gone. */
  settleSeized(
    meter: string,
    shard: number,
    request: string,
    held: Held,
    settlement: Settlement,
  ): Promise<boolean>;
  /** The intent of a call. Undefined for a call that has none; an intent is forgotten after days. */
  intent(request: string): Promise<Intent | undefined>;
  /** The intent of a call. Where there is none, bars it: the call can never be sent from then on. */
  closeIntent(request: string): Promise<Intent | undefined>;
  /** The intent of a call, which from then on no later attempt can replace. No later attempt is admitted either. */
  fixIntent(request: string): Promise<Intent | undefined>;

  /** Every item of a wallet as they stood at one instant: no points moved between them while they were read. */
  shardsOf(meter: string): Promise<Meter[]>;
  /** What several readings of a wallet's items say for certain, also while points and parts of budgets move. */
  certainUseOf(meter: string): Promise<CertainUse>;
  /** Makes a shard that takes no calls yet. One that exists is left alone. `shards` are in use. */
  openShard(meter: string, shard: number, shards: number): Promise<void>;
  /** Lets a shard take calls, except those by the revisions of keys that `ended` names. */
  useShard(meter: string, shard: number, ended: Map<string, bigint>): Promise<void>;
  /**
   * Retires a shard of a wallet that keeps `shards`, and moves what it has free, or owes, to the first shard: points, and
   * its parts of budgets.
   */
  emptyShard(meter: string, shard: number, shards: number): Promise<void>;
  /** Moves points if they are there: what one shard gives in one transaction, or a few. Says whether all were moved. */
  move(meter: string, transfers: Transfer[]): Promise<boolean>;
}

/** A store that lists its meters, for a caller that needs only some fields of them. */
export interface MeterList<Field extends keyof Meter> {
  everyMeter(tell?: (why: string) => void): AsyncIterable<Pick<Meter, Field>>;
}

/** What a gateway asks of the meters. */
export type CallMeters = Pick<
  Meters,
  "admit" | "gather" | "intend" | "extend" | "intent" | "abandon" | "settle" | "balance" | "budgets"
>;
