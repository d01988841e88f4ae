/** E-mail addresses: which ones we take, how they are compared, and what is shown of them (README.md "Addresses"). */
import { domainToASCII } from "node:url";
import { invalidField } from "../../base/json/fields.ts";

/** The lengths of RFC 5321 §4.5.3.1, of which the path's two brackets are no part of an address. */
const addressCharsMax = 254;
const localCharsMax = 64;
const domainCharsMax = 253;

/** A `dot-atom` of RFC 5322 §3.2.3. Nobody types the quoted form, which may hold spaces, `@` and line breaks. */
const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** What may stand in a typed domain. `domainToASCII` alone would cut at a `/` and decode a `%`. */
const typedDomain = /^[\p{L}\p{M}\p{N}.-]+$/u;
const domainLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const wanted = "an e-mail address, such as ann@example.com";

/**
 * An address as it is stored, compared and written to: in lower case, the domain in the ASCII form of IDNA. Throws
 * `invalid_request` for what is none, and for one that only a mail server with SMTPUTF8 could take.
 */
export function readEmail(text: string): string {
  const typed = text.trim();
  // Before anything else looks at it: what follows takes time that grows with the text.
  if (typed.length > addressCharsMax) throw invalidField("email", wanted);
  const at = typed.lastIndexOf("@");
  const local = typed.slice(0, Math.max(0, at)).toLowerCase();
  const domain = readDomain(typed.slice(at + 1));
  const address = `${local}@${domain}`;
  const isGood = local.length <= localCharsMax && localPart.test(local) && address.length <= addressCharsMax;
  if (!isGood || domain === undefined) throw invalidField("email", wanted);
  return address;
}

/** A domain name in its ASCII form; undefined for an address of IP, a name without a dot, and all that is no name. */
export function readDomain(typed: string): string | undefined {
  if (!typedDomain.test(typed)) return undefined;
  const labels = domainToASCII(typed).split(".");
  const isName = labels.length > 1 && labels.every((label) => domainLabel.test(label));
  const name = labels.join(".");
  // The last label of a name is never a number. `1.2` is an address of IP in another writing.
  return isName && /[a-z]/.test(labels.at(-1)?.[0] ?? "") && name.length <= domainCharsMax ? name : undefined;
}

/** What may be shown of an address: its first character and its domain. */
export function maskEmail(address: string): string {
  return `${address.slice(0, 1)}…${address.slice(address.lastIndexOf("@"))}`;
}

/**
 * The mailbox that an address may lead to at most providers: without what follows a plus, and without dots. Addresses
 * of one mailbox have a bound together. They are still different people to us: a provider may tell them apart.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf("@");
  const [local = ""] = address.slice(0, at).split("+", 1);
  return `${local.replaceAll(".", "")}${address.slice(at)}`;
}
