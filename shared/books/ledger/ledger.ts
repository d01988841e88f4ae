import type { PlanChoice } from "../accounts/account.ts";
import type { UsageCounts } from "../billing/usage.ts";
import type { UsageEvent } from "./usage-event.ts";

/** One movement of points from one account to another. An entry is written once and never changed. */
export interface Entry {
  /**
   * The sort key: the request id for usage, `<request>#adj` for its correction, `credit#<reference>` for a credit of a
   * wallet and for a payment of a plan, `plan_fee#<meter>#<start>` for a paid period of a subscription.
   */
  id: string;
  /** `adjustment` corrects an estimated usage. An operator's adjustment of a wallet is a `credit_adjustment`. */
  kind: "usage" | "adjustment" | "plan_fee" | "payment" | CreditEntryKind;
  organization: string;
  /**
   * Account names. The customer's are `customer:<org>` for the wallet and `receivable:<org>` for plan fees. The
   * operator's are `revenue:<model>`, `revenue:plan:<plan>`, and those of `credit.ts`.
   */
  debit: string;
  credit: string;
  /** Points as a decimal string. Only an `adjustment` that lowers an estimate is negative. */
  points: string;
  /** The time that it belongs to, Unix milliseconds: the call's admission, the credit, the start of the paid period. */
  at: number;
  /** When it was posted, Unix milliseconds. Missing on entries from before 2026-11-22. */
  posted_at?: number;
  /** The event of this entry; of an adjustment, the real event. Null for a credit and a plan fee. */
  event: UsageEvent | null;
  /** Of a plan fee: what it is for. */
  fee?: PlanFee;
  /** Of the refund of an order: the reference of the credit that it pays back. Missing on those from before 2026-11-28. */
  of?: string;
}

/** What sums need of a call's event. */
export type UsedEvent = Pick<
  UsageEvent,
  "id" | "model" | "key" | "project" | "user" | "tags" | "usage" | "calls" | "cost_points" | "list_points"
>;

/** An entry as sums need it. */
export interface SummedEntry {
  event: UsedEvent | null;
}

/** What a credit of a wallet is for. */
export type CreditKind = "bought" | "promotional" | "refund" | "adjustment" | "plan";

/**
 * The kinds of credits' entries. An adjustment has another name, because corrected usage has this one. Points that pay for
 * a plan are a `payment`. Older entries for bought points have the kind `credit`.
 */
type CreditEntryKind = Exclude<CreditKind, "adjustment" | "plan"> | "credit_adjustment" | "credit";

/** A change of a wallet's balance that no call made. */
export interface Credit {
  organization: string;
  /** The wallet's meter. */
  meter: string;
  /** 10⁻¹⁸ points. A negative amount is taken out of the wallet. */
  points: bigint;
  /** By default `bought`, or `refund` for a negative amount. */
  kind?: CreditKind;
  /** A reference is booked once, however often the credit is repeated. */
  reference: string;
  /** The operator's account, such as `cash:alipay`. By default that of the kind (credit.ts). */
  account?: string;
  /** Of the refund of an order: the reference of the credit that it pays back. */
  of?: string;
  /** Unix milliseconds. */
  at: number;
}

/** A period of a subscription that one fee pays for. Instants are Unix milliseconds. */
export interface PaidPeriod extends PlanChoice {
  /** The subscription's. */
  meter: string;
  starts_at: number;
  /** Exclusive. The next period starts here, unless the plan changes before. */
  ends_at: number;
  /** The paid and unused part of the plan before, a decimal string of points. It lowers the fee. */
  unused_points?: string;
  /** How often time with this start was paid back before it began. Absent: never. */
  again?: number;
}

/** What a fee's id is made of. */
export type FeePlace = Pick<PaidPeriod, "meter" | "starts_at" | "again">;

/** The fee that an entry posts. */
export interface PlanFee extends PaidPeriod {
  /** The plan's price for such a period at the time of posting, or what an order paid for it. A decimal string of points. */
  price_points: string;
  /** The order that paid for it. Missing on those from before 2026-11-28, and where no order did. */
  order?: string;
  /** The id of the fee whose unused part this one gives back: its order was paid back. */
  returns?: string;
}

/** The sums of one rollup. Points are 10⁻¹⁸. */
export interface Sums extends UsageCounts {
  calls: number;
  cost_points: bigint;
  list_points: bigint;
}

/** Whose rollups: an organization's, or those of one of its projects. */
export interface RollupOwner {
  organization: string;
  /** "" for the organization itself. */
  project: string;
}

/**
 * A rollup adds up the use of one model by one key. An older version wrote rollups of all keys: there `key` is null,
 * and `owner` is null in those of an organization.
 */
export interface Share {
  model: string;
  key: string | null;
  /** The key's project, "" for a key of the organization. */
  owner: string | null;
}

export interface Rollup extends Share {
  /** UTC hour, day or month: `2026-11-21T05`, `2026-11-21`, `2026-11`. */
  span: string;
  sums: Sums;
}

/** A rollup with its place. */
export interface PlacedRollup extends Rollup, RollupOwner {}

/**
 * How far the rollups of one organization or project are sealed. Every day up to `day` and every month up to `month`
 * has its sums; a later posting adds to them too. Both are "" before the first seal.
 */
export interface Seal {
  day: string;
  month: string;
  /** How many transactions have posted an event after its day was over. */
  late: number;
}

/** The result of recording an event. */
export type Recorded = "recorded" | "duplicate" | "corrected";

/** Some of several events were not recorded. */
export class PartlyRecorded extends Error {
  /** The results of the others, each in the place of its event. */
  readonly results: readonly (Recorded | undefined)[];

  /** `cause`: why the first of them was not. */
  constructor(results: readonly (Recorded | undefined)[], cause: unknown) {
    super("some events were not recorded", { cause });
    this.results = results;
  }
}

/** The result of recording an event of a request that has these entries. An event of the sweeper is corrected once. */
export function recordingOf(event: UsageEvent, entries: Pick<Entry, "kind" | "event">[]): Recorded {
  const base = entries.find(({ kind }) => kind === "usage");
  if (!base) return "recorded";
  const isGuess = base.event?.source === "sweeper" && event.source === "gateway";
  return isGuess && !entries.some(({ kind }) => kind === "adjustment") ? "corrected" : "duplicate";
}

/** Entries admitted in [from, to) (Unix ms) within ONE UTC hour, in order, page by page. */
type EachUse = (from: number, to: number) => AsyncIterable<SummedEntry>;

export interface Ledger {
  /**
   * Writes the entry of each event together with its rollups. An event that comes twice or late is written once. The
   * gateway's event corrects an estimate of the sweeper. Gives the results in order. Throws `PartlyRecorded` where some
   * of several were recorded and others not. An event that fails for others that write at the same moment, or for load,
   * fails by `ThrottledError`.
   */
  record(events: UsageEvent[]): Promise<Recorded[]>;
  /**
   * Changes a wallet by a credit. False if the reference was booked before. Throws `invalid_request` where it was
   * booked for another amount or kind, and `insufficient_balance` where more would be taken than is free.
   */
  credit(credit: Credit): Promise<boolean>;
  /** Posts the fee of a paid period at `now` (Unix ms). False if the period has one. */
  postFee(organization: string, fee: PlanFee, now: number): Promise<boolean>;
  /** Has the organization's hours read as spread from now on. Only then may its calls say that they are. */
  spreadHours(organization: string): Promise<void>;
  /** The fee entry of a paid period, by the subscription's meter and the start (Unix ms). */
  feeOf(organization: string, period: FeePlace): Promise<Entry | undefined>;
  entry(organization: string, request: string): Promise<Entry | undefined>;
  /** All entries of a request: its usage, then its correction if there is one. */
  entriesOf(organization: string, request: string): Promise<Entry[]>;
  /** Usage and adjustment entries admitted in [from, to) (Unix ms) within ONE UTC hour, in order, page by page. */
  eachEntry(organization: string, from: number, to: number): AsyncIterable<Entry>;
  /** A reader of the same entries with no more of their events than sums need. They are a third of the size. */
  usesOf(organization: string): Promise<EachUse>;
  /** The entries of a range of any length, newest first. For a project, from the hours in which it has entries. */
  newestEntries(place: RollupOwner, from: number, to: number): AsyncIterable<Entry>;
  /** UTC hours in [fromHour, toHour) in which the place has entries, in order, each once. */
  hoursWithEntries(place: RollupOwner, fromHour: string, toHour: string): AsyncIterable<string>;
  /**
   * The rollups of the hours, days or months in [from, to). The form of `from` and `to` says which. Days and months are
   * complete only once they are sealed. The project "" is the organization itself.
   */
  rollups(organization: string, project: string, from: string, to: string): Promise<Rollup[]>;
  /** The same, page by page. */
  eachRollup(organization: string, project: string, from: string, to: string): AsyncIterable<Rollup>;
  /** How far those rollups are sealed. */
  seal(organization: string, project: string): Promise<Seal>;
}

/** What a gateway asks of the ledger. */
export type CallLedger = Omit<Ledger, "credit" | "postFee" | "feeOf" | "spreadHours">;
