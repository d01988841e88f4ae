import type { Counts } from "./usage.ts";
import type { UsageEvent } from "./usage-event.ts";

/** One movement of points: debit one account, credit another. Entries are only ever put, never changed. */
export interface Entry {
  /** The sort key: the request id for usage, `<request>#adj` for its correction, `credit#<reference>` for a top-up. */
  id: string;
  kind: "usage" | "adjustment" | "credit";
  organization: string;
  /** Account names: `customer:<org>`, `revenue:<model>`, `cash:operator`. */
  debit: string;
  credit: string;
  /** Points as a decimal string; an adjustment may be negative. */
  points: string;
  /** Unix milliseconds. */
  at: number;
  /** The event this entry was made from; null for a credit. For an adjustment, the real event. */
  event: UsageEvent | null;
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
   * Books points bought; false if the reference was booked before. Throws `invalid_request` where that was
   * for another amount (billing.md fault 58). Amounts are 10⁻¹⁸ points.
   */
  credit(credit: {
    organization: string;
    meter: string;
    points: bigint;
    reference: string;
    at: number;
  }): Promise<boolean>;
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
