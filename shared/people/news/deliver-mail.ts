/** Delivers a message to a person by mail (mails.md), as `deliver.ts` does to a webhook. */

import { isId } from "../../base/platform/id.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
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
import { afterAttempt, type MessageDelivery, type NewsLines, type TimedDelivery } from "./delivery.ts";
import { isMailed, isMailedTo, type MailedKind, mailGroupOf } from "./mail-kinds.ts";
import type { MailPace } from "./mail-pace.ts";
import { unsubscribeUrl } from "./unsubscribe.ts";

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
  /** The most mails of news of a UTC day, over all people. */
  perDayMax: number;
  /** Waits for so many milliseconds. */
  pause: (ms: number) => Promise<void>;
}

export interface MailAttemptDeps {
  pace: Pick<MailPace, "inTurn">;
  lines: Pick<NewsLines, "line">;
  mail: MailDeps | undefined;
  log: Log;
  now: () => number;
}

/**
 * Makes one attempt, and gives the delivery as it is then. Undefined where its person has left, wants no such mails, has no
 * address, or has got enough of them today.
 */
export async function attemptMail(
  delivery: MessageDelivery,
  deps: MailAttemptDeps,
): Promise<TimedDelivery | undefined> {
  const { lines, mail, now } = deps;
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
  const told = { line: { ...line, kind }, user, address, organization: found.name, ...counted };
  const isSent = (await isWithinDay(at, mail)) ? await send(told, mail, deps) : tooMany(organization, deps);
  const failure = isSent ? null : ("our_fault" as const);
  return afterAttempt(delivery, { at, status: null, failure, ms: now() - at }, true);
}

/** A mail of a line to a user. */
interface ToldMail {
  line: AuditEntry & { kind: MailedKind };
  user: User;
  address: NonNullable<ReturnType<typeof addressOf>>;
  /** What the organization is called. */
  organization: string;
  isLast: boolean;
}

/** Sends a mail when it is its turn. False where it was not sent, and the log says why. */
async function send(
  { line, user, address, organization, isLast }: ToldMail,
  mail: MailDeps,
  { pace, log }: Pick<MailAttemptDeps, "pace" | "log">,
): Promise<boolean> {
  const { consoleUrl } = mail;
  const { locale } = user;
  // Loaded with the first mail: a process that serves people alone needs no words of mails.
  const { newsMail } = await import("./mail-words.ts");
  try {
    const { current } = await mail.keys();
    const to = await openContact(user.id, address, mail.keys);
    const group = mailGroupOf(line.kind) ?? "people";
    const link = { user: user.id, organization: line.organization, group, locale };
    const unsubscribe = consoleUrl === undefined ? undefined : unsubscribeUrl(consoleUrl, link, current);
    const text = newsMail(line, { organization, locale, consoleUrl, unsubscribe, isLast });
    return await pace.inTurn(() =>
      mail.mails.tell(to.text, text).then(
        () => true,
        // The sender has logged why.
        () => false,
      ),
    );
  } catch (error) {
    const of = { organization: line.organization, user: user.id };
    log("error", "news_failed", { ...of, error: describeError(error) });
    return false;
  }
}

function tooMany(organization: string, { log }: Pick<MailAttemptDeps, "log">): false {
  log("error", "news_mail_not_sent", { organization, reason: "news have had their share of the day" });
  return false;
}

/** Counts a mail of the stage's UTC day. False: news have had their share, and what follows is tried again later. */
async function isWithinDay(at: number, { velocity, perDayMax: most }: MailDeps): Promise<boolean> {
  const day = Math.floor(at / dayMs);
  const count = { what: "mails:news", window: String(day), most, ends_at: (day + 1) * dayMs };
  return (await velocity.take(count)) !== undefined;
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
