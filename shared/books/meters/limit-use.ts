/**
 * What is used of limits, read from the counters that admission decides by. Nothing here changes a counter. Instants are
 * Unix milliseconds.
 */

import { limits } from "../../base/limits.ts";
import { timeOf } from "../../base/platform/id.ts";
import type { KeyLimits } from "../accounts/account.ts";
import { limitedName } from "./hold.ts";
import type { Meter } from "./meter.ts";
import { dayCounter, dayEnd, fitsAt, type MeterCounters, type MeterWindow, windowAt } from "./window.ts";

/** A meter item with its counters of minutes and days. Those of a limited key begin with its name and a colon. */
export interface CountedMeter extends Meter {
  counters: readonly (readonly [name: string, value: bigint])[];
}

export interface CountedMeters {
  /** The item of a subscription's meter, strongly consistent; undefined where there is none. */
  counted(meter: string): Promise<CountedMeter | undefined>;
}

/** What is used of one limit. */
export interface LimitUse {
  /** Null: unlimited. */
  limit: number | null;
  used: number;
  /** When nothing of it is used any more. Null where nothing is. */
  resetsAt: number | null;
  /** When one more fits. Null where it fits now. */
  freeAt: number | null;
}

type RateName = "rpm" | "tpm" | "tpd";

/** The counters of a limited key among those of its meter, by their own names. */
export function countersOfKey({ counters }: Pick<CountedMeter, "counters">, key: string): MeterCounters {
  const prefix = `${limitedName(key)}:`;
  return counters.flatMap(([name, value]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : [],
  );
}

/** What is used at `now` of the limits of the minute and the day, by the counters of a plan or of a key. */
export function rateUses(
  counters: MeterCounters,
  { rpm = null, tpm = null, tpd = null }: Partial<Record<RateName, number | null>>,
  now: number,
): Record<RateName, LimitUse> {
  const window = windowAt(counters, now);
  const today = dayCounter(now);
  const dayTokens = Number([...counters].find(([name]) => name === today)?.[1] ?? 0n);
  return {
    rpm: minuteUse(window, "requests", rpm),
    tpm: minuteUse(window, "tokens", tpm),
    tpd: spanUse(dayTokens, tpd, dayEnd(now)),
  };
}

/** What is used of a limit that resets at the end of its day or month. */
export function spanUse(used: number, limit: number | null, ends_at: number): LimitUse {
  const isFull = limit !== null && used >= limit;
  return { limit, used, resetsAt: used === 0 ? null : ends_at, freeAt: isFull ? ends_at : null };
}

function minuteUse(window: MeterWindow, dimension: "requests" | "tokens", limit: number | null): LimitUse {
  const used = window[dimension];
  const last = window.buckets.findLast((bucket) => bucket[dimension] !== 0);
  const isFull = limit !== null && used >= limit;
  return {
    limit,
    used,
    resetsAt: last?.leaves_at ?? null,
    freeAt: isFull ? fitsAt(window, dimension, limit - 1, 0) : null,
  };
}

/** The calls in flight on a meter at `now`. A hold that is older than any call can be belongs to a dead one. */
export function inFlightOn({ holds }: Pick<Meter, "holds">, now: number): number {
  return livingHolds(holds, now).length;
}

/** The calls in flight of a key that has limits of its own. */
export function inFlightOf({ holds }: Pick<Meter, "holds">, key: string, now: number): number {
  const name = limitedName(key);
  return livingHolds(holds, now).filter(([, held]) => held.key === name).length;
}

function livingHolds(holds: Meter["holds"], now: number) {
  const since = now - limits.holdExpirySeconds * 1000;
  return [...holds].filter(([request]) => timeOf(request) >= since);
}

/** A key's own limits of the minute and the day. */
export function ownRates(own: KeyLimits): Record<RateName, number | null> {
  return { rpm: own.rpm ?? null, tpm: own.tpm ?? null, tpd: own.tpd ?? null };
}
