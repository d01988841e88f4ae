/** How the messages of a UTC day are given out over its hours (people/identity/sms/README.md "The budget"). */

import { consoleLimits } from "../../base/console-limits.ts";
import { hourMs } from "../../books/billing/period.ts";

const hoursOfDay = 24;

/** How many of a UTC day's `most` messages may be sent by an instant (Unix ms): half at once, and more each hour. */
export function allowedBy(at: number, most: number): number {
  const hour = Math.floor(at / hourMs) % hoursOfDay;
  const parts = 2 * (hoursOfDay - 1);
  return Math.ceil((most * (hoursOfDay - 1 + hour)) / parts);
}

/** Of so many, those that phones without an account may have. The others are the reserve. */
export function ofStrangers(allowed: number): number {
  return Math.ceil((allowed * consoleLimits.smsStrangersPercent) / 100);
}

/** The instant at which the budget refills, Unix ms. */
export function nextRefill(at: number): number {
  return (Math.floor(at / hourMs) + 1) * hourMs;
}

/** By how many bits a proof of work is harder once so many of `allowed` were sent. Undefined: no proof is asked for. */
export function hardness(sent: number, allowed: number): number | undefined {
  const steps = consoleLimits.smsHardeningPercents;
  const passed = steps.filter((percent) => sent * 100 >= allowed * percent).length;
  return passed === 0 ? undefined : passed - 1;
}
