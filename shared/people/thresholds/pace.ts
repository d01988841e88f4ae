/** How fast a wallet is spent, by samples of what it was charged (README.md "Once, of what"). Points are 10⁻¹⁸. */
import { dayMs, dayOf } from "../../books/billing/period.ts";
import { thresholdLimits } from "./bounds.ts";

/** What a wallet had been charged in all, when a pass looked at it. */
export interface UsedSample {
  /** Unix milliseconds. */
  at: number;
  used: bigint;
}

/** What was charged in so many milliseconds. */
interface Pace {
  spent: bigint;
  ms: number;
}

const weekMs = thresholdLimits.paceDays * dayMs;

/** The newest sample that is a week old; the oldest, where none is. */
function baseOf(samples: readonly UsedSample[], now: number): UsedSample | undefined {
  return samples.findLast(({ at }) => at <= now - weekMs) ?? samples[0];
}

/**
 * The pace of a wallet that has been charged `used` at `now`. Undefined without samples. No sample was taken while nothing
 * was charged, so what has come since an old one came in the last week.
 */
export function paceOf(samples: readonly UsedSample[], used: bigint, now: number): Pace | undefined {
  const base = baseOf(samples, now);
  if (!base) return undefined;
  const since = now - base.at;
  // A sample of each day: the one of a week ago may be a day older.
  const ms = since > weekMs + dayMs ? weekMs : since;
  return { spent: used - base.used, ms: Math.max(ms, thresholdLimits.paceDaysMin * dayMs) };
}

/** Whether so many points are gone within so many days at this pace. */
export function isGoneWithin(points: bigint, days: number, { spent, ms }: Pace): boolean {
  return spent > 0n && points * BigInt(ms) < spent * BigInt(days * dayMs);
}

/** For how many days so many points suffice at this pace, with one decimal; null where nothing is spent. */
export function daysLeft(points: bigint, { spent, ms }: Pace): string | null {
  if (spent <= 0n) return null;
  const tenths = points <= 0n ? 0n : (points * BigInt(ms) * 10n) / (spent * BigInt(dayMs));
  return `${tenths / 10n}.${tenths % 10n}`;
}

/**
 * The samples with one of now, or undefined where none is due: there is one of this UTC day, or nothing was charged since
 * the last one. Those that no pace asks for any more go.
 */
export function sampled(samples: readonly UsedSample[], used: bigint, now: number): UsedSample[] | undefined {
  const last = samples.at(-1);
  if (last && (last.used === used || dayOf(last.at) === dayOf(now) || last.at > now)) return undefined;
  const base = baseOf(samples, now);
  return [...samples.filter(({ at }) => base === undefined || at >= base.at), { at: now, used }];
}
