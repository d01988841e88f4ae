/**
 * Contacts: by what a person is reached and found, a phone or an e-mail address (README.md "Contacts"). One table says
 * all that differs between their kinds. Outside this room nobody sees more of one than `shown`.
 */
import { createHmac } from "node:crypto";
import { type Fields, invalidField, isAbsent, requiredString } from "../../base/json/fields.ts";
import { type Box, openBox, sealBox } from "./boxes.ts";
import { mailboxOf, maskEmail, readEmail } from "./email.ts";
import type { IdentityKeys, ReadKeys } from "./identity-keys.ts";
import { lastFourOf, rangeOf, readPhone } from "./phone.ts";
import type { User } from "./user.ts";

export const contactKinds = ["phone", "email"] as const;
/** Also the name of the field in which requests have one. */
export type ContactKind = (typeof contactKinds)[number];

export interface Contact {
  kind: ContactKind;
  /** A phone in E.164, or an address as `readEmail` gives it. No two kinds have a text in common. */
  text: string;
}

/** What a stage takes. */
export interface ContactRules {
  /** The kinds that it sends codes to. */
  kinds: readonly ContactKind[];
  /** The calling codes of the phones that it sends codes to. */
  countries: readonly string[];
}

/** Something of each kind that a stage may have, such as what sends its codes. Null: it has none. */
export type ByKind<Each> = Readonly<Record<ContactKind, Each | null>>;

/** The members of a user's record that hold the contact of one kind. */
interface ContactMembers {
  shown: keyof User;
  box: keyof User;
  version: keyof User;
}

interface Kind {
  /** What people call one. */
  word: string;
  /** The text of a written one. Throws `invalid_request` that names the field. */
  read(written: string, rules: ContactRules): string;
  /** What may be shown of it. */
  shown(text: string): string;
  /** What it shares with its neighbors, who have a bound of codes together. */
  range(text: string): string;
  /** Where a user's record has it. */
  members: ContactMembers;
  /** What its box is bound to: the user, and a kind that came after phones names itself. */
  boundTo(user: string): string;
}

export const kindOf = {
  phone: {
    word: "phone",
    read: (written, { countries }) => readPhone(written, countries).number,
    shown: lastFourOf,
    range: rangeOf,
    members: { shown: "phone_last_four", box: "phone_box", version: "phone_version" },
    boundTo: (user) => user,
  },
  email: {
    word: "e-mail address",
    read: readEmail,
    shown: maskEmail,
    range: mailboxOf,
    members: { shown: "email_shown", box: "email_box", version: "email_version" },
    boundTo: (user) => `email ${user}`,
  },
} as const satisfies Readonly<Record<ContactKind, Kind>>;

/** The members of a user's record that hold contacts. */
export type ContactFields = Pick<User, (typeof kindOf)[ContactKind]["members"][keyof ContactMembers]>;

/** The one contact that a request names. Throws `invalid_request` for none, for several, and for what is no contact. */
export function readContact(fields: Fields, rules: ContactRules): Contact {
  const given = contactKinds.filter((kind) => !isAbsent(fields[kind]));
  const names = rules.kinds.map((kind) => `\`${kind}\``).join(" or ");
  const [kind = rules.kinds[0] ?? "phone", other] = given;
  if (other !== undefined) throw invalidField(other, `absent where there is \`${kind}\``);
  if (!rules.kinds.includes(kind)) throw invalidField(kind, `absent: this console takes ${names}`);
  return { kind, text: kindOf[kind].read(requiredString(fields, kind), rules) };
}

/** What may be shown of a contact: the last four digits of a phone, or `a…@example.com`. */
export function shownOf({ kind, text }: Contact): string {
  return kindOf[kind].shown(text);
}

/** The name that the claim of a contact has under a version of the keys, in hexadecimal digits. */
export function contactName({ text }: Contact, { contactNames }: Pick<IdentityKeys, "contactNames">): string {
  return createHmac("sha256", contactNames).update(text).digest("hex");
}

/**
 * What a contact's count of neighbors goes by: a range of ten thousand phones, or a hash of the mailbox, which would
 * name one person.
 */
export function neighborsOf({ kind, text }: Contact, { contactNames }: IdentityKeys): string {
  const range = kindOf[kind].range(text);
  return kind === "phone"
    ? range
    : createHmac("sha256", contactNames).update(`mailbox ${range}`).digest("hex");
}

/** A contact as its user's record keeps it. Only the same user's record opens it again. */
export function sealContact({ kind, text }: Contact, user: string, keys: IdentityKeys): ContactFields {
  const { members, shown } = kindOf[kind];
  const { box, version } = sealBox(Buffer.from(text), boxOf(kind, user), keys);
  return { [members.shown]: shown(text), [members.box]: box, [members.version]: version };
}

/** A contact of a user's record, still in its box. */
export interface KeptContact extends Box {
  kind: ContactKind;
  /** What may be shown of it. */
  shown: string;
}

/** The contacts of a user, phones first. At most one of each kind, and none of who came by a provider. */
export function contactsOf(user: ContactFields): KeptContact[] {
  return contactKinds.flatMap((kind) => {
    const { members } = kindOf[kind];
    const [shown, box, version] = [user[members.shown], user[members.box], user[members.version]];
    return shown === undefined || box === undefined || version === undefined
      ? []
      : [{ kind, shown, box, version }];
  });
}

/** The contact in a box of a user's. Throws where its version of the secret is gone, or the record was tampered with. */
export async function openContact(
  user: string,
  kept: Pick<KeptContact, "kind" | "box" | "version">,
  readKeys: ReadKeys,
): Promise<Contact> {
  const { kind, version } = kept;
  const found = await openBox(kept, boxOf(kind, user), readKeys);
  if (!found) throw new Error(`the ${kind} of ${user} is under version ${version}, which is gone`);
  return { kind, text: found.toString() };
}

/** A box of one kind does not open in the place of another, nor for another user. */
function boxOf(kind: ContactKind, user: string) {
  return { key: "contactBoxes", context: kindOf[kind].boundTo(user) } as const;
}

/** What may be shown of a user's contacts, as the interface has it. Null: they have none of that kind. */
export function shownContacts(user: ContactFields | undefined): {
  phone_last_four: string | null;
  email_shown: string | null;
} {
  return { phone_last_four: user?.phone_last_four ?? null, email_shown: user?.email_shown ?? null };
}
