/** Delivers a message to a person by mail (mails.md), as `deliver.ts` does to a webhook. */

import { isId } from "../../base/platform/id.ts";
import type { Accounts } from "../../books/accounts/account.ts";
import { dayMs } from "../../books/billing/period.ts";
import type { AuditEntry } from "../identity/audit.ts";
import { contactsOf, openContact } from "../identity/contact.ts";
import type { ReadKeys } from "../identity/identity-keys.ts";
import type { Mail } from "../identity/mail/words.ts";
import type { Members } from "../identity/members.ts";
import type { User } from "../identity/user.ts";
import type { Velocity } from "../identity/velocity.ts";
import { newsLimits } from "./bounds.ts";
import {
  afterAttempt,
  type DeliveryStore,
  type MessageDelivery,
  type NewsLines,
  type TimedDelivery,
} from "./delivery.ts";
import { isMailed, isMailedTo } from "./mail-kinds.ts";

/** What sends mails of news. */
export interface NewsMails {
  /** Sends a mail to an address. Throws unless the service has taken it. */
  tell(to: string, mail: Mail): Promise<void>;
}

/** What mails to people need, where the stage sends mails. */
export interface MailDeps {
  mails: NewsMails;
  members: Pick<Members, "list" | "membership" | "users">;
  accounts: Pick<Accounts, "organization" | "key">;
  velocity: Pick<Velocity, "take">;
  keys: ReadKeys;
  /** What addresses of the console begin with, where the stage knows it. */
  consoleUrl: string | undefined;
}

interface DeliverMailDeps {
  deliveries: Pick<DeliveryStore, "end">;
  lines: Pick<NewsLines, "line">;
  mail: MailDeps | undefined;
  now: () => number;
}

/**
 * Makes one attempt for whoever has claimed the delivery until `claimed`. Gives the delivery as it is then. It is dropped
 * where its person has left, wants no such mails, has no address, or has got enough of them today.
 */
export async function deliverMail(
  delivery: MessageDelivery,
  claimed: number,
  deps: DeliverMailDeps,
): Promise<TimedDelivery> {
  const after = (await attempted(delivery, deps)) ?? { ...delivery, state: "dropped", due_at: null };
  await deps.deliveries.end(after, claimed);
  return after;
}

/** The delivery after an attempt; undefined where no mail may go to its person. */
async function attempted(
  delivery: MessageDelivery,
  { lines, mail, now }: DeliverMailDeps,
): Promise<TimedDelivery | undefined> {
  if (!mail) return undefined;
  const { organization, target, message, kind } = delivery;
  const [found, line] = await Promise.all([
    mail.accounts.organization(organization),
    lines.line(organization, message),
  ]);
  const user = line && (await recipient(target, line, mail));
  const address = user && addressOf(user);
  if (!address || !found || !isMailed(kind)) return undefined;
  const at = now();
  // Only the first attempt counts. A process that dies before it has sent costs the person one mail of the day.
  const counted = delivery.attempts === 0 ? await counting(target, at, mail) : { isLast: false };
  if (!counted) return undefined;
  const { locale } = user;
  // Loaded with the first mail: a process that serves people alone needs no words of mails.
  const { newsMail } = await import("./mail-words.ts");
  const text = newsMail(
    { ...line, kind },
    { organization: found.name, locale, consoleUrl: mail.consoleUrl, ...counted },
  );
  const failure = await openContact(user.id, address, mail.keys)
    .then((to) => mail.mails.tell(to.text, text))
    .then(
      () => null,
      // The sender has logged why.
      () => "our_fault" as const,
    );
  return afterAttempt(delivery, { at, status: null, failure, ms: now() - at }, true);
}

/** Who gets the mail: an active user who is a member at this moment, and who gets mails of such a line as what they are now. */
async function recipient(id: string, line: AuditEntry, mail: MailDeps): Promise<User | undefined> {
  const { members } = mail;
  const membership = await members.membership(line.organization, id);
  if (!membership || !isMailedTo(membership, line, await makerOf(line, mail))) return undefined;
  const user = (await members.users([id])).get(id);
  return user?.status === "active" ? user : undefined;
}

/** Who has made the key that a line is about; undefined where it is about none. */
export async function makerOf(
  { organization, subject }: Pick<AuditEntry, "organization" | "subject">,
  { accounts }: Pick<MailDeps, "accounts">,
): Promise<string | undefined> {
  return isId(subject, "key") ? (await accounts.key(organization, subject))?.created_by : undefined;
}

/** Where a user gets mails; undefined for who has no address. */
export function addressOf(user: User) {
  return contactsOf(user).find(({ kind }) => kind === "email");
}

/** Counts a mail of a person's UTC day. Undefined: they have got as many as a day has. */
async function counting(
  user: string,
  at: number,
  { velocity }: MailDeps,
): Promise<{ isLast: boolean } | undefined> {
  const day = Math.floor(at / dayMs);
  const most = newsLimits.mailsOfDayMax;
  const ends_at = (day + 1) * dayMs;
  const counts = await velocity.take({ what: `mails:${user}`, window: String(day), most, ends_at });
  return counts && { isLast: counts.sent >= most };
}
