/**
 * A call while it is on its way: whose it is, what it holds on its meter, and how that hold ends. Points are 10⁻¹⁸,
 * instants Unix milliseconds.
 */

import { timeOf } from "../../base/platform/id.ts";
import type { BillingMode, BudgetPeriod, KeyLimits } from "../accounts/account.ts";
import type { OwnFee } from "../billing/own-fee.ts";
import { formatPoints } from "../billing/points.ts";
import type { PinnedPrice } from "../billing/pricing/price.ts";
import { accountCounter, budgetOf } from "./budget.ts";
import type { Bound, LevelName } from "./levels.ts";

/** Whose call it is, where it is counted and at which price. Its intent, its task and its usage event all say so. */
export interface CallIdentity {
  /** Our request id, or the id of a video task. It contains the time of admission. */
  id: string;
  kind: "chat" | "embedding" | "image" | "video";
  organization: string;
  /** "" for a key of the whole organization. */
  project: string;
  key: string;
  /** The full id of our model. */
  model: string;
  mode: BillingMode;
  meter: string;
  shard: number;
  price: PinnedPrice;
  /** The organization's own key pays its provider, and this is our fee. Absent: a key of ours pays. */
  own_fee?: OwnFee;
  /** The end user, where the client names one. */
  user: string | null;
  /** Its tags, and those of its key, where there are any (shared/books/billing/tags.ts). */
  tags?: string;
  /**
   * Subscriptions, where the plan lets dear calls count as several: the points at list price that one call of the quota
   * is good for, a decimal string.
   */
  call_points?: string;
  /** Its hour is spread over the ledger (shared/edges/store/README.md "Spread hours"). An event's version says it. */
  spread?: true;
}

/** The limits of a plan at one instant. `null` is unlimited. */
export interface PlanLimits {
  quota: number;
  rpm: number | null;
  tpm: number | null;
  tpd: number | null;
  /** The quota month of the call: its first day (`20261121`), and its end. */
  period: { id: string; ends_at: number };
  /** The points at list price that one call of the quota is good for. Absent: any call is one call. */
  callPoints?: bigint;
  /** The most points at list price of all calls of a UTC day. Absent: unlimited. */
  dayPoints?: bigint;
}

/** What an admission asks of a meter. */
export interface Hold extends Pick<CallIdentity, "key" | "mode" | "meter" | "shard" | "spread"> {
  request: string;
  at: number;
  /** A call tries several shards. This is the number of its attempt, from 1; without a number it is the first. */
  attempt?: number;
  /** Pay-as-you-go: the most that the call can cost at the pinned price. */
  points: bigint;
  /** Subscriptions, where a budget bounds the call or the plan the day: the most that it can cost at list price. */
  listPoints?: bigint;
  /** Subscriptions: the calls of quota that it may count as. Absent: one. */
  calls?: number;
  /** Subscriptions: the estimated tokens, which the minute and day windows reserve. */
  tokens: number;
  /** Subscriptions: the limits that apply to the call. Null on pay-as-you-go. */
  planLimits: PlanLimits | null;
  /** The key's own limits, where it has any. A cap on its calls in flight is counted on one shard, which holds all of them. */
  limits?: KeyLimits;
  /** The budgets of other levels that bound the call. Absent: none. */
  bounds?: Bound[];
  /** The revision of the organization's budgets that says so. Absent: the first. */
  boundsRevision?: number;
  /** The revision of the key that says so. */
  revision?: number;
  /**
   * A count of tokens. It takes one request of the subscription's minute and leaves no hold, so it has no intent and
   * no settlement.
   */
  counting?: true;
}

/** What a hold took from its meter. The end of the hold gives back exactly that. */
export interface Held {
  /** Pay-as-you-go. */
  points: bigint;
  /** Subscriptions: the reserved tokens, and the quota month that the call counts in; "" on pay-as-you-go. */
  tokens: number;
  period: string;
  /** Calls of quota, where they are more than one. */
  calls?: number;
  /** The share of the day's points at list price, where the plan bounds them. */
  dayPoints?: bigint;
  /** The key's name on the meter (`limitedName`), where the key has limits of its own. */
  key?: string;
  /** The shares of the budgets that bound the call, where any does. Each is the same amount, and so is kept once. */
  budgets?: BudgetShare[];
}

/** What a hold took, and from which meter. A video task keeps it until the task is settled. */
export interface PlacedHold extends Held, Pick<CallIdentity, "meter" | "shard" | "mode"> {}

/**
 * What an admitted call carries to its end: all that `settle`, `extend` and `abandon` need. It is plain data, and a
 * copy works as well as the original.
 */
export interface Ticket {
  /** The hold as the meter has it. The end of the hold compares the two. */
  hold: Hold;
  /**
   * Attributes that were on the meter at admission and go out of use. The settlement removes those that are due. Empty
   * where the admission did not read the item.
   */
  leftovers: Leftover[];
  /** An admission request got no answer and may still arrive. The end of the hold then leaves a mark against it. */
  outcomeUnknown: boolean;
}

/** An attribute of a meter that nobody reads from an instant on. */
export interface Leftover {
  name: string;
  unusedFrom: number;
}

/** How a held call ends. */
export interface Settlement {
  /** What is charged; 0 for subscriptions. */
  points: bigint;
  /** The value at list price. On a subscription, the key's budget and the plan's day spend it. */
  listPoints: bigint;
  /** Calls of quota that it counts as. Absent: one. */
  calls?: number;
  /** The tokens that were really used. They replace the reserved ones. */
  tokens: number;
  /** The call produced nothing billable: its quota and its place in the request windows go back. */
  giveBack: boolean;
  at: number;
}

/** The ticket of a hold whose meter nobody looked at: its end removes nothing else. */
export function ticketOf(hold: Hold): Ticket {
  return { hold, leftovers: [], outcomeUnknown: false };
}

/** The settlement of a call that produced nothing, at an instant: everything goes back. */
export function givenBack(at: number): Settlement {
  return { points: 0n, listPoints: 0n, tokens: 0, giveBack: true, at };
}

/** How a call is booked at its end: by its plan, and where. */
type Booking = Pick<CallIdentity, "call_points" | "spread">;

/** How a held call is booked, for its records. */
export function bookedBy({ planLimits, spread }: Pick<Hold, "planLimits" | "spread">): Booking {
  const { callPoints } = planLimits ?? {};
  return {
    ...(callPoints !== undefined && { call_points: formatPoints(callPoints) }),
    ...(spread && { spread }),
  };
}

/** The same, as a record of the call says it. */
export function bookedAs({ call_points, spread }: Booking): Booking {
  return { ...(call_points !== undefined && { call_points }), ...(spread && { spread }) };
}

/** The calls of quota that so many points at list price count as: one for each `callPoints` begun, and at least one. */
export function callsWorth(points: bigint, callPoints: bigint | undefined): number {
  if (callPoints === undefined || points <= callPoints) return 1;
  return Number((points + callPoints - 1n) / callPoints);
}

/** What a hold takes from its meter. */
export function heldBy(hold: Hold): Held {
  const budgets = budgetShares(hold);
  const { calls = 1, listPoints = 0n, planLimits } = hold;
  return {
    points: hold.points,
    tokens: hold.tokens,
    period: periodOf(hold),
    ...(calls > 1 && { calls }),
    ...(planLimits?.dayPoints !== undefined && { dayPoints: listPoints }),
    ...(hold.limits && { key: limitedName(hold.key) }),
    ...(budgets.length > 0 && { budgets }),
  };
}

/** The same, with the meter that it is taken from. */
export function placedHold(hold: Hold): PlacedHold {
  const { meter, shard, mode } = hold;
  return { meter, shard, mode, ...heldBy(hold) };
}

/** The quota month that a hold counts in; "" on pay-as-you-go. */
export function periodOf({ planLimits }: Pick<Hold, "planLimits">): string {
  return planLimits?.period.id ?? "";
}

/**
 * The name that a meter item uses for a key with limits of its own. It has only the ten random characters of the id:
 * they tell the keys of one meter apart and keep the item small.
 */
export function limitedName(key: string): string {
  return `k${key.slice(-10)}`;
}

/** The name of a key's budget counter on its meter. */
export function budgetName(key: string, counter: string): string {
  return `${limitedName(key)}:${counter}`;
}

/** What a hold takes of a budget. */
interface BudgetShare {
  /** The name of the counter, as `budgetName` makes it. */
  counter: string;
  points: bigint;
}

/** What a hold asks of a budget that bounds it, and the most that the budget's calls may come to. */
export interface BudgetAsk extends BudgetShare {
  most: bigint;
}

/** The same, with whose budget it is. */
interface LevelAsk extends BudgetAsk {
  level: LevelName;
  period: BudgetPeriod;
}

/**
 * What a hold asks of the budgets that bound it: its key's own, and those of other levels. It belongs to the budget's day
 * or month in which the call was admitted, also if the call ends later.
 */
export function budgetAsks(hold: Hold): LevelAsk[] {
  const { key, request, mode, points, listPoints = 0n, limits, bounds = [] } = hold;
  const own = budgetOf(limits);
  if (!own && bounds.length === 0) return [];
  const of = own ? [{ level: "key" as const, account: limitedName(key), ...own }, ...bounds] : bounds;
  const at = timeOf(request);
  return of.map(({ level, account, points: most, period }) => ({
    ...{ level, period, most },
    counter: accountCounter(account, period, at),
    points: mode === "payg" ? points : listPoints,
  }));
}

/** The shares of a hold in the budgets that bound it. */
export function budgetShares(hold: Hold): BudgetShare[] {
  return budgetAsks(hold).map(({ counter, points }) => ({ counter, points }));
}
