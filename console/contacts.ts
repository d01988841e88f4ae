/** Phones and e-mail addresses: as people type them, and what is shown of those that are kept. */

/** A contact as the body of a request names it. */
export type TypedContact = { phone: string } | { email: string };

/** What somebody has typed, in its whole. */
export function textOf(contact: TypedContact): string {
  return "phone" in contact ? contact.phone : contact.email;
}

/** A number in E.164, or undefined where it cannot be one. A country code that was typed too is left out. */
export function phoneOf(country: string, typed: string): TypedContact | undefined {
  const bare = typed.replace(/[\s().-]/g, "");
  const national = bare.startsWith(country) ? bare.slice(country.length) : bare;
  const digits = country === "+86" ? /^1\d{10}$/ : /^\d{4,14}$/;
  return digits.test(national) ? { phone: `${country}${national}` } : undefined;
}

/** An address, or undefined where it cannot be one. The console's function reads it in full. */
export function emailOf(typed: string): TypedContact | undefined {
  const address = typed.trim();
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(address) ? { email: address } : undefined;
}

interface Shown {
  phone_last_four: string | null;
  email_shown: string | null;
}

/** What is shown of a person's contacts, the address first: it says more. Empty where there is nothing to show. */
export function contactsOf({ phone_last_four, email_shown }: Shown): string[] {
  return [...(email_shown ? [email_shown] : []), ...(phone_last_four ? [`…${phone_last_four}`] : [])];
}

/** What somebody is called who may have said no name. */
export function callName({ name, ...shown }: Shown & { name: string }): string {
  return name || (contactsOf(shown)[0] ?? "…");
}
