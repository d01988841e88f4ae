/** What is shown of how people are reached: the last four digits of a phone, or an address without most of its name. */

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
