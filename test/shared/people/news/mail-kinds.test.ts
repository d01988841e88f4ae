/** Laws of who gets which mail, over all roles, choices and kinds. */
import { expect, test } from "vitest";
import { auditKinds, isBilling } from "#shared/people/identity/audit.ts";
import { mayDo } from "#shared/people/identity/roles.ts";
import { locales, roles } from "#shared/people/identity/user.ts";
import {
  isMailed,
  isMailedTo,
  levelsFor,
  mailGroupOf,
  mailGroups,
  mailLevel,
  mailLevels,
} from "#shared/people/news/mail-kinds.ts";
import { newsMail } from "#shared/people/news/mail-words.ts";

const others = { actor: "usr_2", subject: "key_1" };

test("nobody is mailed more than their role sees in the audit log, whatever they have chosen", () => {
  for (const role of roles)
    for (const level of mailLevels) {
      const mails = Object.fromEntries(mailGroups.map((group) => [group, level]));
      const told = auditKinds.filter((kind) =>
        isMailedTo({ user: "usr_1", role, mails }, { kind, ...others }),
      );
      const isSeen = (kind: (typeof auditKinds)[number]) =>
        mayDo(role, "manage_members") ||
        (mayDo(role, "see_audit_log") && (isBilling(kind) || /^organization_/.test(kind)));
      expect(told.filter((kind) => !isSeen(kind))).toEqual([]);
    }
});

test("whoever did it, or chose none, is told nothing; whom it concerns is told with any other level", () => {
  for (const kind of auditKinds.filter(isMailed))
    for (const role of roles)
      for (const level of mailLevels) {
        const member = { user: "usr_1", role, mails: { [mailGroupOf(kind) ?? ""]: level } };
        const about = { kind, subject: "usr_1", actor: "usr_2" };
        expect(isMailedTo(member, { ...about, actor: "usr_1" }), kind).toBe(false);
        expect(isMailedTo(member, about), kind).toBe(level !== "none");
        expect(isMailedTo(member, { kind, ...others }, "usr_1"), kind).toBe(level !== "none");
      }
});

test("what a role may choose is what it then has", () => {
  for (const role of roles)
    for (const group of mailGroups)
      for (const level of mailLevels)
        expect(mailLevel({ role, mails: { [group]: level } }, group) === level).toBe(
          levelsFor(role, group).includes(level),
        );
});

test.each(locales)(
  "each kind has words in %s, of their own, and no link where the stage knows no address",
  (locale) => {
    const kinds = auditKinds.filter(isMailed);
    const place = {
      organization: "Acme",
      locale,
      consoleUrl: undefined,
      unsubscribe: undefined,
      isLast: false,
    };
    const mails = kinds.map((kind) => newsMail({ kind, actor_name: "", before: null, after: null }, place));
    expect(new Set(mails.map(({ subject }) => subject)).size).toBe(kinds.length);
    for (const { text, html } of mails) {
      expect(text + html).not.toMatch(/undefined|null|https?:/);
      expect(html).toContain(`lang="${locale}"`);
    }
  },
);
