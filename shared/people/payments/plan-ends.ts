/** When owners are told that a paid plan ends (people/payments/README.md "Before a plan ends"). Instants are Unix ms. */

import { consoleLimits } from "../../base/console-limits.ts";
import { dayMs } from "../../books/billing/period.ts";

/** An organization whose owners may have to be told now. */
export interface PlanEnd {
  organization: string;
  due_at: number;
}

/** The store of who is told when. */
export interface PlanEnds {
  /** Those that are due at `now`, the longest due first. */
  due(now: number, limit: number): Promise<PlanEnd[]>;
  /** Notes when it is due next, or never. False where somebody has done so since it was read: then they tell. */
  claim(end: PlanEnd, next: number | null): Promise<boolean>;
  /** Notes when it is due next, for an organization that has bought a plan. For any other it does nothing. */
  reschedule(organization: string, next: number): Promise<void>;
}

/** When the next message about an end is due after `now`; null where none is left. */
export function nextNotice(ends_at: number | null, now: number): number | null {
  if (ends_at === null) return null;
  const instants = consoleLimits.planNoticeDays.map((days) => ends_at - days * dayMs);
  return instants.find((at) => at > now) ?? null;
}

/** In how many days a plan ends whose owners are told at `now`. Undefined where it is over, or not yet near enough. */
export function daysToTell(ends_at: number | null, now: number): number | undefined {
  if (ends_at === null || ends_at <= now) return undefined;
  const days = Math.ceil((ends_at - now) / dayMs);
  return days <= Math.max(...consoleLimits.planNoticeDays) ? days : undefined;
}
