import type { PlanChoice } from "../accounts/account.ts";
import type { Counts } from "../billing/usage.ts";
import type { UsageEvent } from "./usage-event.ts";

/** One movement of points: debit one account, credit another. Entries are only ever put, never changed. */
export interface Entry {
  /**
   * The sort key: the request id for usage, `<request>#adj` for its correction, `credit#<reference>` for what changes a
   * wallet, `plan_fee#<meter>#<start>` for a paid period of a subscription.
   */
  id: string;
  /** `adjustment` corrects an estimated usage; what an operator adjusts in a wallet is a `credit_adjustment`. */
  kind: "usage" | "adjustment" | "plan_fee" | CreditEntryKind;
  organization: string;
  /**
   * Account names: `customer:<org>` is the wallet, `receivable:<org>` what is owed for plans. On the other side stand
   * `revenue:<model>`, `revenue:plan:<plan>`, and those of `credit.ts`.
   */
  debit: string;
  credit: string;
  /** Points as a decimal string. Negative on an `adjustment` that lowers an estimate, and nowhere else. */
  points: string;
  /** When it counts, Unix milliseconds: its call's admission, its credit, the start of its paid period. */
  at: number;
  /** When it was posted, Unix milliseconds. Entries from before 2026-11-22 do not say. */
  posted_at?: number;
  /** The event this entry was made from; null for a credit and a plan fee. For an adjustment, the real event. */
  event: UsageEvent | null;
  /** Of a plan fee: what it is for. */
  fee?: PlanFee;
}

/** What a credit of a wallet is for. */
export type CreditKind = "bought" | "promotional" | "refund" | "adjustment";

/**
 * The kinds of their entries. `adjustment` is taken by corrected usage. `credit` is how points bought were written
 * before there were kinds.
 */
export type CreditEntryKind = Exclude<CreditKind, "adjustment"> | "credit_adjustment" | "credit";

/** A change of a wallet. */
export interface Credit {
  organization: string;
  /** The wallet's meter. */
  meter: string;
  /** 10⁻¹⁸ points. What is negative is taken out of the wallet. */
  points: bigint;
  /** By default what was bought or, of a negative amount, paid back. */
  kind?: CreditKind;
  /** It is booked once, whoever repeats it. */
  reference: string;
  /** Unix milliseconds. */
  at: number;
}

/** A period of a subscription that is paid for as a whole. Instants are Unix milliseconds. */
export interface PaidPeriod extends PlanChoice {
  /** The subscription's. */
  meter: string;
  starts_at: number;
  /** Exclusive: where the next one starts, unless the plan changes before. */
  ends_at: number;
  /** What was paid for and not used of the plan before, a decimal string of points. The fee is so much lower. */
  unused_points?: string;
}

/** What an entry says of the fee it is. */
export interface PlanFee extends PaidPeriod {
  /** The plan's price of such a period when the fee was posted, a decimal string of points. */
  price_points: string;
}

/** What one rollup adds up, for one organization or project, span and model. Points are 10⁻¹⁸. */
export interface Sums extends Counts {
  calls: number;
  cost_points: bigint;
  list_points: bigint;
}

/** Where rollups are together: those of an organization, or of one of its projects. */
export interface Place {
  organization: string;
  /** "" for the organization itself. */
  project: string;
}

/**
 * Whose use of a model a rollup adds up: that of one key. `key` is null in rollups that a version before this one
 * wrote: they add up all keys. Those of a project name it all the same; `owner` is null in the organization's.
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
export interface PlacedRollup extends Rollup, Place {}

/**
 * How far the rollups of one organization or project are sealed: every day up to `day` and every month up
 * to `month` has its sums, which whatever comes later adds to as well. Both are "" before the first seal.
 */
export interface Seal {
  day: string;
  month: string;
  /** Transactions so far that posted an event after its day was over. */
  late: number;
}

/** What became of each event given to `record`, in order. */
export type Recorded = "recorded" | "duplicate" | "corrected";

/** What recording an event comes to where its request has these entries: a guess of the sweeper's is corrected once. */
export function recordingOf(event: UsageEvent, entries: Pick<Entry, "kind" | "event">[]): Recorded {
  const base = entries.find(({ kind }) => kind === "usage");
  if (!base) return "recorded";
  const isGuess = base.event?.source === "sweeper" && event.source === "gateway";
  return isGuess && !entries.some(({ kind }) => kind === "adjustment") ? "corrected" : "duplicate";
}

export interface Ledger {
  /**
   * Writes each event's entry together with its rollups, once, whatever is delivered twice or late. An
   * event the sweeper had to guess at is corrected by the real one.
   */
  record(events: UsageEvent[]): Promise<Recorded[]>;
  /**
   * Changes a wallet by a credit; false if the reference was booked before. Throws `invalid_request` where that was
   * for another amount or kind, or `insufficient_balance` where more would be taken than is free.
   */
  credit(credit: Credit): Promise<boolean>;
  /** Posts the fee of a paid period at `now` (Unix ms); false if the period has one. */
  postFee(organization: string, fee: PlanFee, now: number): Promise<boolean>;
  /** The fee entry of the paid period of a subscription's meter that starts at an instant (Unix ms), if there is one. */
  feeOf(organization: string, period: { meter: string; starts_at: number }): Promise<Entry | undefined>;
  entry(organization: string, request: string): Promise<Entry | undefined>;
  /** All entries of a request: of its usage and, where that was a guess, of the correction, in this order. */
  entriesOf(organization: string, request: string): Promise<Entry[]>;
  /** Usage and adjustment entries admitted in [from, to) (Unix ms) within ONE UTC hour. */
  entries(organization: string, from: number, to: number): Promise<Entry[]>;
  /** The same in the same order, page by page. */
  eachEntry(organization: string, from: number, to: number): AsyncIterable<Entry>;
  /** Those of a range of any length, the newest first; of a project, from the hours in which it has any. */
  newestEntries(place: Place, from: number, to: number): AsyncIterable<Entry>;
  /** UTC hours in [fromHour, toHour) in which the place has entries, in order, each once. */
  hoursWithEntries(place: Place, fromHour: string, toHour: string): AsyncIterable<string>;
  /**
   * Rollups of the hours, days or months in [from, to), both named in the form of what is asked for. Those
   * of a day or month count once it is sealed. The project "" is the organization itself.
   */
  rollups(organization: string, project: string, from: string, to: string): Promise<Rollup[]>;
  /** The same, page by page. */
  eachRollup(organization: string, project: string, from: string, to: string): AsyncIterable<Rollup>;
  /** How far those rollups are sealed. */
  seal(organization: string, project: string): Promise<Seal>;
}
