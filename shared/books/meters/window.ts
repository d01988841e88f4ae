/**
 * The sliding minute of requests and tokens, as arithmetic on counters (billing.md §2.2). Each counter is named after
 * its time, so nothing has to be reset: a counter that has left the window is not added up.
 *
 * A limit of at most 64 requests a minute has counters `s<ms>`; then no minute ever exceeds the limit. A higher limit
 * has counters `t<second>`, and 61 of them are added up, so that a whole minute is always inside. Numbers are base 36.
 */
import { limits } from "../../base/limits.ts";
import { dayMs } from "../billing/period.ts";

const windowMs = 60_000;
/** How long a counter is kept after it has left the window. A clock behind ours still needs it then. */
const graceMs = 5_000;
const fineRequestsMax = 64;
/** One number holds both: requests above this unit, tokens below it. */
const requestUnit = 10n ** 15n;
const bucketName = /^[st][0-9a-z]+$/;

/** Counters of a meter by name. Those that are no minute buckets are ignored. */
export type MeterCounters = Iterable<readonly [name: string, packed: bigint]>;

interface Bucket {
  name: string;
  /** When it leaves the window, Unix milliseconds. */
  leaves_at: number;
  requests: number;
  tokens: number;
}

/** What counts at one instant, oldest bucket first. */
export interface MeterWindow {
  buckets: Bucket[];
  requests: number;
  tokens: number;
}

/** The counter of a call at `at` (Unix milliseconds), under a limit of `rpm` requests a minute. */
export function bucketAt(at: number, rpm: number | null): string {
  const fine = rpm !== null && rpm <= fineRequestsMax;
  return fine ? `s${at.toString(36)}` : `t${Math.floor(at / 1000).toString(36)}`;
}

/** Requests and tokens as the number of a counter. Both may be negative, to take something back. */
export function packBucket(requests: number, tokens: number): bigint {
  return BigInt(requests) * requestUnit + BigInt(tokens);
}

/** Whether a counter is in the window at `now`. */
export function isInWindow(name: string, now: number): boolean {
  return leavesAt(name) > now;
}

/** The window at `now`. It includes the counters of a clock ahead of ours. */
export function windowAt(counters: MeterCounters, now: number): MeterWindow {
  const window: MeterWindow = { buckets: [], requests: 0, tokens: 0 };
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

/** From when on nobody needs a minute bucket, Unix milliseconds. Never for a name that is no bucket. */
export function bucketUnusedFrom(name: string): number {
  return bucketName.test(name) ? leavesAt(name) + graceMs : Infinity;
}

/** From when on nobody needs the tokens or points of a day (`dayCounter`): yesterday's calls may still settle. */
export function dayCounterUnusedFrom(name: string): number {
  return (Number(name.slice(1)) + 2) * dayMs;
}

/**
 * When the window has room for a call that is added already and made it exceed `limit`, Unix milliseconds. Null where
 * the call's `own` share alone exceeds the limit: then waiting is useless.
 */
export function fitsAt(
  window: MeterWindow,
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

/** When everything has left the window, Unix milliseconds. `now` where it is empty. */
export function clearsAt(window: MeterWindow, now: number): number {
  return window.buckets.at(-1)?.leaves_at ?? now;
}

/**
 * Whole seconds to wait, 1 to 60. Also for a limit of the day: a call that ends early may make room before midnight.
 */
export function retryAfterSeconds(until: number, now: number): number {
  return Math.min(limits.retryAfterSecondsMax, Math.max(1, Math.ceil((until - now) / 1000)));
}

/** The token counter of an instant's UTC day: `d` and the days since 1970. */
export function dayCounter(at: number): string {
  return `d${Math.floor(at / dayMs)}`;
}

/** The counter of points at list price of an instant's UTC day: `l` and the days since 1970. */
export function dayPointsCounter(at: number): string {
  return `l${Math.floor(at / dayMs)}`;
}

/** When the UTC day of an instant ends, Unix milliseconds. */
export function dayEnd(at: number): number {
  return (Math.floor(at / dayMs) + 1) * dayMs;
}

function leavesAt(name: string): number {
  const time = Number.parseInt(name.slice(1), 36);
  return name.startsWith("s") ? time + windowMs : (time + 1) * 1000 + windowMs;
}
