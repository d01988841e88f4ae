/** Contacts: one request names one, only the secret tells one again, and records from before addresses are read. */
import { describe, expect, test } from "vitest";
import {
  type Contact,
  type ContactFields,
  contactName,
  contactsOf,
  type KeptContact,
  neighborsOf,
  openContact,
  readContact,
  sealContact,
  shownContacts,
  shownOf,
} from "#shared/people/identity/contact.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import { bothSecrets, firstSecret, keysFrom, secondSecret } from "#test/support/people.ts";

const rules = { kinds: ["phone", "email"], countries: ["+86"] } as const;
const { current: first } = keysOf(firstSecret);
const { current: second } = keysOf(bothSecrets);
const phone: Contact = { kind: "phone", text: "+8613800138000" };
const email: Contact = { kind: "email", text: "ann@example.com" };

/** The only contact of a record. */
function kept(fields: ContactFields): KeptContact {
  const [one, other] = contactsOf(fields);
  if (!one || other) throw new Error("not one contact");
  return one;
}

describe("a request", () => {
  test.each([
    [{ phone: "+86 138 0013 8000" }, phone],
    [{ email: " Ann@Example.COM " }, email],
    [{ phone: null, email: "ann@example.com" }, email],
  ])("with %j has one contact", (fields, contact) => {
    expect(readContact(fields, rules)).toEqual(contact);
  });

  test.each([
    [{}, "`phone` must be a non-empty string."],
    [{ email: "" }, "`email` must be a non-empty string."],
    [{ email: ["a@b.example"] }, "`email` must be a non-empty string."],
    [{ phone: "+8613800138000", email: "ann@example.com" }, "`email` must be absent where there is `phone`."],
  ])("with %j has none or two", (fields, message) => {
    expect(() => readContact(fields, rules)).toThrow(message);
  });

  test("names no kind that the stage sends nothing to", () => {
    const message = "`email` must be absent: this console takes `phone`.";
    expect(() => readContact({ email: "ann@example.com" }, { ...rules, kinds: ["phone"] })).toThrow(message);
  });
});

describe.each([
  ["phone", phone, "+8613800138001", "8000"],
  ["email", email, "bob@example.com", "a…@example.com"],
] as const)("keeping the contact of kind %s", (kind, contact, otherText, shown) => {
  test("its name needs the secret and its version, and tells nothing else", () => {
    const other = { kind, text: otherText };
    const names = [contactName(contact, first), contactName(contact, second), contactName(other, first)];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{64}$/);
    expect(contactName(contact, first)).toBe(names[0]);
  });

  test("its box opens for the same user under the version that made it", async () => {
    const box = kept(sealContact(contact, "usr_1", first));
    expect(await openContact("usr_1", box, keysFrom(firstSecret))).toEqual(contact);
    expect(await openContact("usr_1", box, keysFrom(bothSecrets))).toEqual(contact);
    expect(box.box).not.toBe(kept(sealContact(contact, "usr_1", first)).box);
    await expect(openContact("usr_2", box, keysFrom(firstSecret))).rejects.toThrow();
    await expect(openContact("usr_1", { ...box, version: 2 }, keysFrom(bothSecrets))).rejects.toThrow();
    await expect(openContact("usr_1", box, keysFrom(secondSecret))).rejects.toThrow(
      `the ${kind} of usr_1 is under version 1, which is gone`,
    );
  });

  test("a box of the other kind does not open in its place", async () => {
    const box = kept(sealContact(contact, "usr_1", first));
    const swapped = { ...box, kind: kind === "phone" ? ("email" as const) : ("phone" as const) };
    await expect(openContact("usr_1", swapped, keysFrom(firstSecret))).rejects.toThrow();
  });

  test("little of it is shown", () => {
    expect(shownOf(contact)).toBe(shown);
    expect(kept(sealContact(contact, "usr_1", first)).shown).toBe(shown);
  });
});

test("a user has one of each kind, and a record from before addresses has its phone", () => {
  const both = { ...sealContact(phone, "usr_1", first), ...sealContact(email, "usr_1", first) };
  expect(contactsOf(both).map(({ kind }) => kind)).toEqual(["phone", "email"]);
  expect(shownContacts(both)).toEqual({ phone_last_four: "8000", email_shown: "a…@example.com" });
  const old = { phone_last_four: "8000", phone_box: "box", phone_version: 1 };
  expect(contactsOf(old)).toEqual([{ kind: "phone", shown: "8000", box: "box", version: 1 }]);
  expect(shownContacts(undefined)).toEqual({ phone_last_four: null, email_shown: null });
});

test("addresses of one mailbox are neighbors, by a hash that names nobody", () => {
  const neighbors = (text: string) => neighborsOf({ kind: "email", text }, first);
  const texts = ["ann.lee@example.com", "annlee+one@example.com", "a.n.n.l.e.e+two+three@example.com"];
  expect(new Set(texts.map(neighbors)).size).toBe(1);
  expect(neighbors("ann.lee@example.com")).toMatch(/^[0-9a-f]{64}$/);
  expect(neighbors("ann.lee@example.org")).not.toBe(neighbors("ann.lee@example.com"));
  expect(neighborsOf(phone, first)).toBe("+861380013");
});
