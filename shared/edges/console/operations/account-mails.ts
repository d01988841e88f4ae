/** Which mails somebody wants of the organization that they work in (people/news/mails.md "Choices"). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError, invalidRequest } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField } from "../../../base/json/fields.ts";
import type { Members } from "../../../people/identity/members.ts";
import type { Membership } from "../../../people/identity/user.ts";
import { newsLimits } from "../../../people/news/bounds.ts";
import type { MailDeps } from "../../../people/news/deliver-mail.ts";
import { levelsFor, mailGroups, mailLevel } from "../../../people/news/mail-kinds.ts";
import type { ConsoleBody, ConsoleSchema } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { changedMeanwhile } from "./organization-members.ts";

export interface MailChoiceDeps {
  members: Pick<Members, "membership" | "changeMails">;
  /** Undefined where the stage sends no mails. */
  mail: MailDeps | undefined;
}

/** `GET /api/v1/account/mails`. */
export async function showMails(call: ConsoleCall, deps: MailChoiceDeps) {
  readQuery(call.request.query, {});
  return jsonReply(choicesObject(call, await ownMembership(call, deps), deps));
}

/** `PATCH /api/v1/account/mails`, by groups. Null chooses what is usual for the role. */
export async function changeMails(call: ConsoleCall, deps: MailChoiceDeps) {
  const fields = readFields<keyof ConsoleBody<"change_mails">>(call.request, mailGroups);
  const given = mailGroups.filter((group) => fields[group] !== undefined);
  if (given.length === 0) throw invalidRequest(`The body must have one of ${mailGroups.join(", ")}.`);
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const before = await ownMembership(call, deps);
    const mails = { ...before.mails };
    for (const group of given) {
      const levels = levelsFor(before.role, group);
      const level = levels.find((each) => each === fields[group]);
      if (level === undefined && fields[group] !== null)
        throw invalidField(group, `one of ${levels.join(", ")} for your role, or null`);
      if (level === undefined) delete mails[group];
      else mails[group] = level;
    }
    if (await deps.members.changeMails(before, mails))
      return jsonReply(choicesObject(call, { ...before, mails }, deps));
  }
  throw changedMeanwhile();
}

/** The caller's membership as it is stored. Throws `permission_denied` where it has ended since the call began. */
async function ownMembership(call: ConsoleCall, { members }: MailChoiceDeps): Promise<Membership> {
  const { user, organization } = callerOf(call);
  const membership = await members.membership(organization.id, user.id);
  if (!membership) throw new GatewayError("permission_denied");
  return membership;
}

function choicesObject(
  call: ConsoleCall,
  membership: Membership,
  { mail }: MailChoiceDeps,
): ConsoleSchema<"MailChoices"> {
  const { user, organization } = callerOf(call);
  return {
    object: "mail_choices",
    organization_id: organization.id,
    enabled: mail !== undefined,
    email_shown: user.email_shown ?? null,
    most_per_day: newsLimits.mailsOfDayMax,
    groups: mailGroups.map((group) => ({
      group,
      level: mailLevel(membership, group),
      is_usual: membership.mails?.[group] === undefined,
      levels: levelsFor(membership.role, group),
    })),
  };
}
