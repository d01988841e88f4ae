/**
 * Tells the owners of paid plans by a message that these end, and the audit log that they end or have ended
 * (people/payments/README.md "Before a plan ends").
 */

import { consoleLimits } from "../../base/console-limits.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import type { Accounts, Organization } from "../../books/accounts/account.ts";
import { planAt } from "../../books/accounts/subscription.ts";
import { type AuditEntry, auditEntry } from "../../people/identity/audit.ts";
import { type ByKind, contactsOf, openContact } from "../../people/identity/contact.ts";
import type { ReadKeys } from "../../people/identity/identity-keys.ts";
import type { Members } from "../../people/identity/members.ts";
import type { PlanEnding, PlanNotices } from "../../people/identity/sending.ts";
import type { User } from "../../people/identity/user.ts";
import { mailLevel } from "../../people/news/mail-kinds.ts";
import { byPlatform } from "../../people/orders/deps.ts";
import { daysToTell, nextNotice, type PlanEnd, type PlanEnds } from "../../people/payments/plan-ends.ts";

interface NoticeDeps {
  planEnds: PlanEnds;
  accounts: Pick<Accounts, "organization">;
  members: Pick<Members, "list" | "users" | "otherOwner" | "membership">;
  keys: ReadKeys;
  /** What tells contacts of a kind; null where nothing does. */
  notices: ByKind<PlanNotices>;
  log: Log;
  now: () => number;
}

/**
 * Gives how many messages were sent. Each is claimed first, so it goes out at most once. Never rejects: the same
 * invocation books payments.
 */
export async function tellPlanEnds(deps: NoticeDeps): Promise<number> {
  const until = deps.now() + consoleLimits.planNoticesMs;
  let sent = 0;
  for (const end of await dueEnds(deps)) {
    if (deps.now() >= until) break;
    try {
      sent += await tellOne(end, until, deps);
    } catch (error) {
      logFailed(error, end.organization, deps);
    }
  }
  return sent;
}

async function dueEnds(deps: NoticeDeps): Promise<PlanEnd[]> {
  try {
    return await deps.planEnds.due(deps.now(), consoleLimits.planNoticesMax);
  } catch (error) {
    logFailed(error, null, deps);
    return [];
  }
}

/** Claims last, and not after `until`: with what follows, the invocation ends in time, and no claimed message is lost. */
async function tellOne(end: PlanEnd, until: number, deps: NoticeDeps): Promise<number> {
  const now = deps.now();
  const organization = await deps.accounts.organization(end.organization);
  const subscription = organization?.subscription ?? null;
  // The end as it is now: the plan may have been renewed since the message was planned.
  const ends_at = subscription?.ends_at ?? null;
  const days = daysToTell(ends_at, now);
  const isTold = organization !== undefined && subscription !== null && days !== undefined;
  const owners = isTold ? await ownersOf(organization.id, deps) : [];
  if (deps.now() >= until) return 0;
  const line = organization && lineOf(organization, days, now);
  if (!(await deps.planEnds.claim(end, nextNotice(ends_at, now), line))) return 0;
  if (!isTold) return 0;
  const ending = { plan: planAt(subscription, now).plan, days };
  // All at once, so that a sender that hangs takes the time of one message.
  const sent = await Promise.all(owners.map((owner) => tellOwner(owner, end.organization, ending, deps)));
  return sent.filter((isSent) => isSent).length;
}

/** The line of the log: that the plan ends in so many days, or has ended. Undefined where it is neither. */
function lineOf(organization: Organization, days: number | undefined, now: number): AuditEntry | undefined {
  const { id, subscription } = organization;
  const ends_at = subscription?.ends_at ?? null;
  if (!subscription || ends_at === null) return undefined;
  if (days === undefined && ends_at > now) return undefined;
  const after = { plan: planAt(subscription, ends_at - 1).plan, ends_at: new Date(ends_at).toISOString() };
  const change =
    days === undefined
      ? ({ kind: "plan_ended", subject: id, after } as const)
      : ({ kind: "plan_ending", subject: id, after: { ...after, days } } as const);
  return auditEntry({ user: byPlatform, organization }, change, byPlatform.ip, now);
}

/** The owners who are told, of those whose accounts are active. */
async function ownersOf(organization: string, deps: NoticeDeps): Promise<User[]> {
  const { members } = await deps.members.list(organization, { limit: consoleLimits.memberPageMax });
  const owners = members.flatMap(({ role, user }) => (role === "owner" ? [user] : []));
  // Of many members the first page may have none.
  const other = owners.length === 0 ? await deps.members.otherOwner(organization, "") : undefined;
  const told = other === undefined ? owners.slice(0, consoleLimits.planNoticeOwnersMax) : [other];
  const users = await deps.members.users(told);
  return [...users.values()].filter(({ status }) => status === "active");
}

/** Whether a message went out. Whatever fails for one owner is logged, and the others are told all the same. */
async function tellOwner(
  owner: User,
  organization: string,
  ending: PlanEnding,
  deps: NoticeDeps,
): Promise<boolean> {
  try {
    // A phone is told first: its message is the one that people see at once.
    for (const kept of contactsOf(owner)) {
      if (kept.kind === "email" && !(await wantsMail(owner, organization, deps))) continue;
      const notices = deps.notices[kept.kind];
      const { text } = await openContact(owner.id, kept, deps.keys);
      // The sender has logged why one could not be sent.
      if (await notices?.planEnds(text, ending, owner.locale).catch(() => false)) return true;
    }
    return false;
  } catch (error) {
    logFailed(error, owner.organization, deps);
    return false;
  }
}

/** Whether an owner wants mails of plans: there is one choice for all mails (people/news/mails.md). */
async function wantsMail({ id }: User, organization: string, { members }: NoticeDeps): Promise<boolean> {
  const membership = await members.membership(organization, id);
  return membership !== undefined && mailLevel(membership, "plans") !== "none";
}

function logFailed(error: unknown, organization: string | null, { log }: NoticeDeps): void {
  log("error", "plan_notice_failed", { ...(organization && { organization }), error: describeError(error) });
}
