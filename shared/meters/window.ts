/**
 * The sliding minute of requests and tokens, as arithmetic on counters named after the time they stand
 * for (billing.md §2.2). A rollover needs no reset: what has left the window is simply not added up.
 *
 * Counters are `s<ms>` for limits of at most 64 requests a minute, which no minute then ever exceeds, and
 * `t<second>` above, added up over 61 so that a whole minute is always inside. Numbers are base 36.
 */
import { dayMs } from "../billing/period.ts";

const windowMs = 60_000;
/** Counters are dropped this long after they left the window, so that a clock behind ours still sees them. */
const graceMs = 5_000;
const retryAfterSecondsMax = 60;
const fineRequestsMax = 64;
/** Requests stand above the tokens in one number; a bucket's tokens stay below this. */
const requestUnit = 10n ** 15n;
const bucketName = /^[st][0-9a-z]+$/;

/** Counters of a meter by name; those that are no buckets are ignored. */
export type Counters = Iterable<readonly [name: string, packed: bigint]>;

interface Bucket {
  name: string;
  /** Unix milliseconds from which on it no longer counts. */
  leaves_at: number;
  requests: number;
  tokens: number;
}

/** What counts at one instant, oldest bucket first. */
export interface Window {
  buckets: Bucket[];
  requests: number;
  tokens: number;
}

/** The counter a call at `at` (Unix milliseconds) is added to, under a limit of `rpm` requests a minute. */
export function bucketAt(at: number, rpm: number | null): string {
  const fine = rpm !== null && rpm <= fineRequestsMax;
  return fine ? `s${at.toString(36)}` : `t${Math.floor(at / 1000).toString(36)}`;
}

/** Requests and tokens as the one number a counter holds. Either may be negative, to take back. */
export function packBucket(requests: number, tokens: number): bigint {
  return BigInt(requests) * requestUnit + BigInt(tokens);
}

/** Whether a counter still counts at `now`. */
export function isInWindow(name: string, now: number): boolean {
  return leavesAt(name) > now;
}

/** The window at `now`. Counters of a clock ahead of ours count too. */
export function windowAt(counters: Counters, now: number): Window {
  const window: Window = { buckets: [], requests: 0, tokens: 0 };
  for (const [name, packed] of counters) {
    if (packed === 0n || !bucketName.test(name) || !isInWindow(name, now)) continue;
    const requests = Number(packed / requestUnit);
    const tokens = Number(packed % requestUnit);
    window.buckets.push({ name, leaves_at: leavesAt(name), requests, tokens });
    window.requests += requests;
    window.tokens += tokens;
  }
  window.buckets.sort((a, b) => a.leaves_at - b.leaves_at);
  return window;
}

/** The counters nobody needs any more at `now`. */
export function staleBuckets(names: Iterable<string>, now: number): string[] {
  return [...names].filter((name) => bucketName.test(name) && leavesAt(name) + graceMs <= now);
}

/**
 * When a call that is already added, and made the window exceed `limit`, would have fitted: Unix milliseconds.
 * Null when its `own` share alone is over the limit, so that waiting is useless.
 */
export function fitsAt(
  window: Window,
  dimension: "requests" | "tokens",
  limit: number,
  own: number,
): number | null {
  if (own > limit) return null;
  let total = window[dimension];
  const leaver = window.buckets.find((bucket) => {
    total -= bucket[dimension];
    return total <= limit;
  });
  return leaver?.leaves_at ?? null;
}

/** When everything has left the window and the limit is whole again; `now` when nothing is in it. */
export function clearsAt(window: Window, now: number): number {
  return window.buckets.at(-1)?.leaves_at ?? now;
}

/** Whole seconds to wait, 1 to 60 (design §4): a day's limit is worth asking about sooner than at midnight. */
export function retryAfterSeconds(until: number, now: number): number {
  return Math.min(retryAfterSecondsMax, Math.max(1, Math.ceil((until - now) / 1000)));
}

/** The counter of tokens of the UTC day of an instant: `d` and the days since 1970. */
export function dayCounter(at: number): string {
  return `d${Math.floor(at / dayMs)}`;
}

/** When the UTC day of an instant ends, Unix milliseconds. */
export function dayEnd(at: number): number {
  return (Math.floor(at / dayMs) + 1) * dayMs;
}

function leavesAt(name: string): number {
  const time = Number.parseInt(name.slice(1), 36);
  return name.startsWith("s") ? time + windowMs : (time + 1) * 1000 + windowMs;
}
