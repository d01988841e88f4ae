/** Links in mails of news that turn off a group of them without a sign-in (mails.md "Off with one click"). */
import { openBox, sealBox } from "../identity/boxes.ts";
import type { IdentityKeys, ReadKeys } from "../identity/identity-keys.ts";
import { type MailGroup, mailGroups } from "./mail-kinds.ts";

/** What a link turns off, and the language of its page. */
export interface Unsubscription {
  user: string;
  organization: string;
  group: MailGroup;
  locale: string;
}

/** The path of a link's page, which takes its POST too. */
const unsubscribePath = "/api/v1/mails/unsubscribe";

const boxOf = { key: "mails", context: "unsubscribe" } as const;

/** The address of a link. Nobody can make one, or read what it is for, without the accounts' secret. */
export function unsubscribeUrl(
  consoleUrl: string,
  { user, organization, group, locale }: Unsubscription,
  keys: IdentityKeys,
): string {
  const text = JSON.stringify([user, organization, group, locale]);
  const { version, box } = sealBox(Buffer.from(text), boxOf, keys);
  return `${consoleUrl}${unsubscribePath}/${version}.${box}`;
}

/** What a link's token is for. Undefined: nobody of us has made it, or its version of the secret is gone. */
export async function openUnsubscription(
  token: string,
  readKeys: ReadKeys,
): Promise<Unsubscription | undefined> {
  const [, version, box = ""] = /^(\d{1,9})\.([\w-]{1,600})$/.exec(token) ?? [];
  if (version === undefined) return undefined;
  // A box that was tampered with does not open.
  const opened = await openBox({ version: Number(version), box }, boxOf, readKeys).catch(() => undefined);
  if (!opened) return undefined;
  const [user, organization, name, locale] = JSON.parse(opened.toString()) as string[];
  const group = mailGroups.find((each) => each === name);
  if (!user || !organization || !group || !locale) return undefined;
  return { user, organization, group, locale };
}

/** The headers by which a mailbox shows a button for the link (RFC 8058). */
export function unsubscribeHeaders(url: string): Record<string, string> {
  return { "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
}
