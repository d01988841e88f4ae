/** By which names a person is found when they first sign in (README.md "The same person"). */
import { readEmail } from "../identity/email.ts";
import type { DirectoryPerson } from "./directory.ts";

/** A name as it is compared: an address in its one form, any other text in lower case. */
export function comparedName(text: string): string {
  try {
    return readEmail(text);
  } catch {
    return text.trim().toLowerCase();
  }
}

/** What nobody else of the organization is called: the user name (RFC 7643 §4.1.1). */
export function userNameOf({ user_name }: Pick<DirectoryPerson, "user_name">): string {
  return comparedName(user_name);
}

/** By what a verified address finds a person: the user name, and the main address, which several may share. */
export function namesOf({ user_name, emails }: Pick<DirectoryPerson, "user_name" | "emails">): string[] {
  const main = emails.find(({ primary }) => primary) ?? emails[0];
  return [...new Set([user_name, ...(main ? [main.value] : [])].map(comparedName))];
}
