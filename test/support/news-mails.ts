/** People with addresses, and a service of mails in memory, for tests of news by mail. */
import type { Organization } from "#shared/books/accounts/account.ts";
import { userKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { changeItem } from "#shared/edges/store/dynamodb/items.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { type AuditedChange, auditEntry } from "#shared/people/identity/audit.ts";
import { sealContact } from "#shared/people/identity/contact.ts";
import type { Mail } from "#shared/people/identity/mail/words.ts";
import type { Locale, Role } from "#shared/people/identity/user.ts";
import type { MailDeps } from "#shared/people/news/deliver-mail.ts";
import { openMembers, type Person } from "./members.ts";

type Database = Parameters<typeof openMembers>[0];

/** A gateway that sends mails. `mailbox.fails` keeps it from doing so. */
export function openMails(db: Database, changes: Parameters<typeof openMembers>[1] = {}) {
  const desk = openMembers(db, changes);
  const mailbox = { sent: [] as { to: string; mail: Mail }[], fails: false };
  const mail: MailDeps = {
    mails: {
      async tell(to, what) {
        if (mailbox.fails) throw new Error("the service is away");
        mailbox.sent.push({ to, mail: what });
      },
    },
    members: desk.deps.members,
    accounts: desk.deps.accounts,
    velocity: createVelocity(db.aws, db.tables),
    keys: desk.deps.keys,
    consoleUrl: "https://console.example.com",
    perDayMax: 1_000,
    pause: async () => {},
  };
  Object.assign(desk.news, { mail });

  /** A member with an address. */
  const newMailed = async (of: Organization, role: Role, name: string, locale: Locale = "en") => {
    const person = await desk.newMember(of, role, name);
    const { id } = person.user;
    const text = `${name.toLowerCase()}@example.com`;
    const sealed = sealContact({ kind: "email", text }, id, (await desk.deps.keys()).current);
    const set = toItem({ ...sealed, locale });
    await changeItem(db.aws, { table: db.tables.accounts, key: userKey(id), set });
    return person;
  };

  /** Writes a line of a change that somebody makes, or the platform. */
  const happen = async (
    organization: Organization,
    change: AuditedChange,
    by: Pick<Person, "user"> = { user: { ...platform } as Person["user"] },
    at = desk.clock.now,
  ) => {
    const line = auditEntry({ user: by.user, organization }, change, null, at);
    await desk.deps.auditLog.write(line);
    return line.id;
  };

  const subjectsTo = (name: string) =>
    mailbox.sent
      .filter(({ to }) => to === `${name.toLowerCase()}@example.com`)
      .map(({ mail: { subject } }) => subject);
  return { desk, mail, mailbox, newMailed, happen, subjectsTo };
}

const platform = { id: "platform", name: "" };
