/** Turns off mails by the link in one of them, without a sign-in (people/news/mails.md "Off with one click"). */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import { textReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import type { ReadKeys } from "../../../people/identity/identity-keys.ts";
import { openUnsubscription, type Unsubscription } from "../../../people/news/unsubscribe.ts";
import { unsubscribePage, unsubscribePolicy } from "../../../people/news/unsubscribe-page.ts";
import type { ConsoleCall } from "../call.ts";
import type { MailChoiceDeps } from "./account-mails.ts";
import { changedMeanwhile } from "./organization-members.ts";

export interface UnsubscribeDeps extends MailChoiceDeps {
  keys: ReadKeys;
}

/** `GET /api/v1/mails/unsubscribe/{token}`: the page with the button. It changes nothing: scanners follow links. */
export async function showUnsubscribe(call: ConsoleCall, deps: UnsubscribeDeps) {
  return await pageReply(await linkOf(call, deps), false, deps);
}

/** `POST /api/v1/mails/unsubscribe/{token}`. Repeated, it changes nothing more, and says the same. */
export async function unsubscribe(call: ConsoleCall, deps: UnsubscribeDeps) {
  const link = await linkOf(call, deps);
  const { organization, user, group } = link;
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const before = await deps.members.membership(organization, user);
    // Who has left gets no mails.
    if (!before || before.mails?.[group] === "none") return await pageReply(link, true, deps);
    if (await deps.members.changeMails(before, { ...before.mails, [group]: "none" }))
      return await pageReply(link, true, deps);
  }
  throw changedMeanwhile();
}

/** What the link is for. Throws `not_found`, whatever is wrong with it. */
async function linkOf(
  { request, parameters }: ConsoleCall,
  { keys }: UnsubscribeDeps,
): Promise<Unsubscription> {
  readQuery(request.query, {});
  const link = await openUnsubscription(parameters.token ?? "", keys);
  if (link) return link;
  const message = "This link is not good, or not any more. Choose your mails in the settings of the console.";
  throw new GatewayError("not_found", { message });
}

async function pageReply(link: Unsubscription, isDone: boolean, { mail }: UnsubscribeDeps) {
  const organization = await mail?.accounts.organization(link.organization);
  return textReply(unsubscribePage(link, organization?.name ?? "", isDone), {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": unsubscribePolicy,
  });
}
