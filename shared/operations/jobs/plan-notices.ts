/** Tells the owners of paid plans by a message that these end (payments/README.md "Before a plan ends"). */
import type { Accounts } from "../../accounts/account.ts";
import { planAt } from "../../accounts/subscription.ts";
import { consoleLimits } from "../../console-limits.ts";
import type { ReadKeys } from "../../identity/identity-keys.ts";
import type { Members } from "../../identity/members.ts";
import { openPhone } from "../../identity/phone.ts";
import type { PlanEnding, PlanNotices } from "../../identity/sending.ts";
import { daysToTell, nextNotice, type PlanEnd, type PlanEnds } from "../../payments/plan-ends.ts";
import { describeError, type Log } from "../../platform/log.ts";

export interface NoticeDeps {
  planEnds: PlanEnds;
  accounts: Pick<Accounts, "organization">;
  members: Pick<Members, "list" | "users" | "otherOwner">;
  keys: ReadKeys;
  sms: PlanNotices;
  log: Log;
  now: () => number;
}

/**
 * One run; gives how many messages were sent. A message is claimed before it is sent, so it goes out once or, where the
 * process dies in between, not at all. What fails for one organization stops no other.
 */
export async function tellPlanEnds(deps: NoticeDeps): Promise<number> {
  const until = deps.now() + consoleLimits.planNoticesMs;
  let sent = 0;
  for (const end of await deps.planEnds.due(deps.now(), consoleLimits.planNoticesMax)) {
    if (deps.now() >= until) break;
    try {
      sent += await tellOne(end, deps);
    } catch (error) {
      const { organization } = end;
      deps.log("error", "plan_notice_failed", { organization, error: describeError(error) });
    }
  }
  return sent;
}

async function tellOne(end: PlanEnd, deps: NoticeDeps): Promise<number> {
  const now = deps.now();
  const organization = await deps.accounts.organization(end.organization);
  const subscription = organization?.subscription ?? null;
  // The end as it is now: the plan may have been renewed since the message was planned.
  const ends_at = subscription?.ends_at ?? null;
  const days = daysToTell(ends_at, now);
  if (!(await deps.planEnds.claim(end, nextNotice(ends_at, now)))) return 0;
  if (!organization || !subscription || days === undefined) return 0;
  return await tellOwners(organization.id, { plan: planAt(subscription, now).plan, days }, deps);
}

async function tellOwners(organization: string, ending: PlanEnding, deps: NoticeDeps): Promise<number> {
  const { members } = await deps.members.list(organization, { limit: consoleLimits.memberPageMax });
  const owners = members.flatMap(({ role, user }) => (role === "owner" ? [user] : []));
  // Of many members the first page may have none.
  const other = owners.length === 0 ? await deps.members.otherOwner(organization, "") : undefined;
  const told = other === undefined ? owners.slice(0, consoleLimits.planNoticeOwnersMax) : [other];
  const users = await deps.members.users(told);
  let sent = 0;
  for (const user of users.values()) {
    if (user.status !== "active") continue;
    const phone = await openPhone(user, deps.keys);
    // The sender has logged why one could not be sent. The other owners are told all the same.
    const isSent = await deps.sms.planEnds(phone, ending, user.locale).catch(() => false);
    if (isSent) sent += 1;
  }
  return sent;
}
