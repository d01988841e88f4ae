/** What keeps e-mail addresses and mails: nobody else's account, and no bomb of codes. */
import type { Row } from "#test/guards/guard.ts";

const email = "shared/people/identity/email";
const contact = "shared/people/identity/contact";
const mails = "shared/people/identity/guard-mails";
const second = "shared/edges/console/operations/sign-in-contacts";
const sender = "shared/people/identity/mail/sender";

export const contacts: Row[] = [
  {
    id: "contacts-1",
    test: `${email} › %j is refused`,
    guard: "if (!typedDomain.test(typed)) return undefined;",
    without: "",
    rule: "a domain is read as it was typed, or not at all",
  },
  {
    id: "contacts-2",
    test: `${email} › %j is refused`,
    guard:
      'return isName && /[a-z]/.test(labels.at(-1)?.[0] ?? "") && name.length <= domainCharsMax ? name : undefined;',
    without: "return isName ? name : undefined;",
  },
  {
    id: "contacts-3",
    test: `${contact} › a box of the other kind does not open in its place`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it quotes code.
    guard: "boundTo: (user) => `email ${user}`,",
    without: "boundTo: (user) => user,",
  },
  {
    id: "contacts-4",
    test: `${mails} › to one mailbox have a bound together, however its address is written`,
    guard: "range: mailboxOf,",
    without: "range: (text) => text,",
    rule: "who writes an address in many ways sends its owner no more codes",
  },
  {
    id: "contacts-5",
    test: `${sender} › a notice of a plan's end that fails is another line`,
    guard: "maxAttempts: 1,",
    in: "mail/ses.ts",
    without: "maxAttempts: 3,",
  },
  {
    id: "contacts-6",
    test: `${second} › leaves one, also of two removals at one moment`,
    guard: "when: [exists(box), isAnother]",
    without: "when: [exists(box)]",
    rule: "nobody removes the last way to sign in",
  },
  {
    id: "contacts-7",
    test: `${second} › takes a session of the last 15 minutes, as removing does`,
    guard: "if (now() - session.created_at <= consoleLimits.freshSessionSeconds * 1000) return;",
    without: "return;",
    rule: "an old session does not make an account its thief's",
  },
];
