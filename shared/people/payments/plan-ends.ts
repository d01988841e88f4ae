/**
 * When owners are told that a paid plan ends or has ended (people/payments/README.md "Before a plan ends"). Instants are
 * Unix milliseconds.
 */

import { consoleLimits } from "../../base/console-limits.ts";
import { dayMs } from "../../books/billing/period.ts";
import type { AuditEntry } from "../identity/audit.ts";

/** An organization whose owners may have to be told now. */
export interface PlanEnd {
  organization: string;
  due_at: number;
}

/** The store of who is told when. */
export interface PlanEnds {
  /** Those that are due at `now`, the longest due first. */
  due(now: number, limit: number): Promise<PlanEnd[]>;
  /**
   * Notes when it is due next, or never, in one transaction with a line of the audit log if there is one. False where
   * somebody has done so since it was read: then they tell.
   */
  claim(end: PlanEnd, next: number | null, line?: AuditEntry): Promise<boolean>;
  /** Notes when it is due next, for an organization that has bought a plan. For any other it does nothing. */
  reschedule(organization: string, next: number): Promise<void>;
}

/** When something is told next of an end after `now`: a message before it, or the end itself. Null where it is over. */
export function nextNotice(ends_at: number | null, now: number): number | null {
  if (ends_at === null) return null;
  const instants = [...consoleLimits.planNoticeDays.map((days) => ends_at - days * dayMs), ends_at];
  return instants.find((at) => at > now) ?? null;
}

/** In how many days a plan ends whose owners are told at `now`. Undefined where it is over, or not yet near enough. */
export function daysToTell(ends_at: number | null, now: number): number | undefined {
  if (ends_at === null || ends_at <= now) return undefined;
  const days = Math.ceil((ends_at - now) / dayMs);
  return days <= Math.max(...consoleLimits.planNoticeDays) ? days : undefined;
}
