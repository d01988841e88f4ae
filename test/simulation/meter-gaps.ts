/** What must be true of a meter item whenever one is written, by itself. */
import type { Meter } from "#shared/books/meters/meter.ts";
import { markPartitions } from "#shared/edges/store/meters/mark.ts";

/** A meter item was written. A subscription has bought so many calls a month. */
export function meterGaps(meter: Meter, quota: number): string[] {
  const name = `${meter.meter}#${meter.shard}`;
  const open = [...meter.holds, ...meter.tasks, ...meter.seized];
  const held = open.reduce((sum, [, { points }]) => sum + points, 0n);
  const gaps: string[] = [];
  if (meter.granted !== meter.avail + held + meter.used) gaps.push(`I1 ${name} does not balance`);
  // The sweep reads what has a mark. Nobody would close a call on another item within its time.
  if (open.length > 0 && meter.marked === null) gaps.push(`${name} holds something and has no mark`);
  if (!markPartitions.includes(meter.meter.slice(-1))) gaps.push(`${name} is in no partition of the marks`);
  for (const [period, calls] of meter.periods) {
    if (calls < 0 || calls > quota) gaps.push(`${name} counts ${calls} calls of ${period}`);
  }
  return gaps;
}
