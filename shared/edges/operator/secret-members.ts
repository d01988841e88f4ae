/** A secret that is a JSON object, whose members an operator changes one at a time. */
import { objectIn } from "../../base/json/fields.ts";
import type { SecretStore } from "../../base/platform/secret-text.ts";

export type SecretMembers = Record<string, unknown>;

/** One member on one line. */
export interface MemberLine {
  name: string;
  /** `wrong`: it is there, and nobody can use it. */
  state: "set" | "missing" | "wrong";
  /** Who reads it: providers of the catalog, or the console. None: nobody does. */
  used_by: string[];
  /** The last characters of a long key; null where it is missing or short, or no key. */
  last_four: string | null;
  /** When it was set by a command; null where it was set in another way. */
  set_at: string | null;
  age_seconds: number | null;
  /** What is wrong with it, by the name of the field; null where nothing is. */
  problem: string | null;
}

/** How often a change is tried that others come before. */
const triesMax = 5;

/**
 * Changes what a secret holds, again if somebody else does so meanwhile. Gives what it holds then. Throws an `Error` if
 * the secret is no JSON object, or if others change it all the time. `what` names the secret.
 */
export async function changeMembers(
  what: string,
  to: (before: SecretMembers) => SecretMembers,
  secret: SecretStore,
): Promise<SecretMembers> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const before = await secret.read();
    const after = to(membersIn(what, before.text));
    if (await secret.replace(before, JSON.stringify(after, null, 2))) return after;
  }
  throw new Error("others change the secret all the time: nothing was changed; try again");
}

/** The members of a secret's text. Throws where it is no JSON object, without quoting it. A person may have written it. */
export function membersIn(what: string, text: string): SecretMembers {
  const parsed = objectIn(text);
  if (!parsed) throw new Error(`${what} is no JSON object; repair it first`);
  return parsed;
}
