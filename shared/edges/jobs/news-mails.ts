/** Makes the deliveries of new lines to people by mail (people/news/mails.md). */

import { eachOf } from "../../base/platform/each-of.ts";
import type { AuditEntry } from "../../people/identity/audit.ts";
import type { Membership, User } from "../../people/identity/user.ts";
import { newsLimits } from "../../people/news/bounds.ts";
import { addressOf, type MailDeps, makerOf } from "../../people/news/deliver-mail.ts";
import {
  type DeliveryStore,
  type DueDelivery,
  type NewsLines,
  newDelivery,
} from "../../people/news/delivery.ts";
import { isMailedTo } from "../../people/news/mail-kinds.ts";
import type { WebhookStore } from "../../people/news/webhook.ts";

export interface NewsMailDeps {
  webhooks: Pick<WebhookStore, "wake">;
  deliveries: Pick<DeliveryStore, "known" | "make">;
  lines: Pick<NewsLines, "line" | "marked">;
  /** Undefined where the stage sends no mails. */
  mail: MailDeps | undefined;
}

/** The target of the delivery that says of a line: people have their deliveries of it. */
const everybody = "mails";

/** The ids of the lines of the last hour that people get by mail, the oldest first, by organization. */
export async function linesForMails(
  now: number,
  { lines, mail }: NewsMailDeps,
): Promise<Map<string, string[]>> {
  if (!mail) return new Map();
  const found = await lines.marked(now - newsLimits.mailedLinesMs, now, newsLimits.mailedLinesMax);
  const sorted = found.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const ofOrganizations = Map.groupBy(sorted, ({ organization }) => organization);
  return new Map([...ofOrganizations].map(([id, own]) => [id, own.map((each) => each.id)]));
}

/** Makes a delivery of each of these lines for everybody who gets a mail of it, and gives them. */
export async function makeMails(
  organization: string,
  ids: readonly string[],
  now: number,
  deps: NewsMailDeps,
): Promise<DueDelivery[]> {
  const { mail, deliveries, webhooks } = deps;
  if (!mail || ids.length === 0) return [];
  const known = await deliveries.known(organization, everybody, now - newsLimits.mailedLinesMs);
  const fresh = ids.filter((id) => !known.has(id)).slice(0, newsLimits.mailedLinesOfRunMax);
  if (fresh.length === 0) return [];
  const members = await membersOf(organization, mail);
  const lines = (await Promise.all(fresh.map((id) => deps.lines.line(organization, id)))).filter(
    (line) => line !== undefined,
  );
  const wanted = (await Promise.all(lines.map((line) => toldOf(line, members, mail)))).flat();
  const users = await mail.members.users(wanted.map(({ user }) => user));
  const made: DueDelivery[] = [];
  const reached = wanted.filter(({ user }) => isReached(users.get(user)));
  await eachOf(reached, newsLimits.atOnceMax, async ({ line, user }) => {
    const delivery = newDelivery(user, line, now);
    if (await deliveries.make(delivery, now)) made.push({ ...delivery, due_at: now });
  });
  // Before the lines are noted: if this run dies, the next one finds what waits.
  if (reached.length > 0) await webhooks.wake(organization, now + newsLimits.lookGapMs);
  await eachOf(lines, newsLimits.atOnceMax, async (line) => {
    await deliveries.make({ ...newDelivery(everybody, line, now), state: "delivered" }, null);
  });
  return made;
}

/** The members, in the order of their ids, up to a bound that no organization of people has. */
async function membersOf(organization: string, { members }: MailDeps): Promise<Membership[]> {
  const found: Membership[] = [];
  for (
    let after: string | undefined;
    found.length < newsLimits.mailedMembersMax;
    after = found.at(-1)?.user
  ) {
    const page = await members.list(organization, {
      limit: newsLimits.membersAtOnceMax,
      ...(after && { after }),
    });
    found.push(...page.members);
    if (!page.more) break;
  }
  return found;
}

type Wanted = { line: AuditEntry; user: string };

/** Who gets a mail of a line. Of a key also whoever has made it. */
async function toldOf(line: AuditEntry, members: readonly Membership[], mail: MailDeps): Promise<Wanted[]> {
  const maker = await makerOf(line, mail);
  return members.filter((member) => isMailedTo(member, line, maker)).map(({ user }) => ({ line, user }));
}

function isReached(user: User | undefined): boolean {
  return user?.status === "active" && addressOf(user) !== undefined;
}
