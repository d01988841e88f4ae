/** What operators do with users of the console: show, freeze, unfreeze (people/identity/members.md "Operators"). */

import { consoleLimits } from "../../base/console-limits.ts";
import { invalidRequest } from "../../base/errors.ts";
import { isId } from "../../base/platform/id.ts";
import type { Accounts, KeyRecord } from "../../books/accounts/account.ts";
import { keysOf } from "../../books/accounts/organization-keys.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { type Contact, contactName, kindOf, shownContacts } from "../../people/identity/contact.ts";
import { readEmail } from "../../people/identity/email.ts";
import { eachVersion, type ReadKeys } from "../../people/identity/identity-keys.ts";
import { isSignedIn } from "../../people/identity/program.ts";
import { isOpen, type Sessions } from "../../people/identity/session.ts";
import type { Role, User } from "../../people/identity/user.ts";
import type { UserStatuses, Users } from "../../people/identity/users-port.ts";

export interface UserDeps {
  users: Pick<Users, "read" | "claims">;
  statuses: UserStatuses;
  sessions: Pick<Sessions, "list">;
  accounts: Pick<Accounts, "organization" | "keys">;
  /** Revokes keys of an organization, each with its line of the audit log. */
  endKeys: (organization: string, ids: string[]) => Promise<unknown>;
  /** The keys of the accounts' secret. They are read only to find a user by contact. */
  keys: ReadKeys;
  now: () => number;
}

/** A user as the operator sees one. No contact is whole. */
interface ShownUser {
  id: string;
  name: string;
  status: User["status"];
  phone_last_four: string | null;
  email_shown: string | null;
  locale: string;
  sessions: number;
  created_at: string;
  organizations: { id: string; name: string; role: Role; joined_at: string }[];
}

/** The id of a user, named by id, by a phone in E.164, also with spaces, or by an address. Throws `invalid_request`. */
export async function findUser(text: string, { users, keys }: UserDeps): Promise<string> {
  if (isId(text, "user")) return text;
  const contact = writtenContact(text);
  const versions = eachVersion(await keys());
  const claims = await users.claims(versions.map((version) => contactName(contact, version)));
  const found = claims.find((claim) => claim !== undefined);
  if (found === undefined) throw invalidRequest(`Nobody has this ${kindOf[contact.kind].word}.`);
  return found;
}

/** A contact as an operator writes it. Phones of all countries are looked up. */
function writtenContact(text: string): Contact {
  if (text.includes("@")) return { kind: "email", text: readEmail(text) };
  const number = text.replaceAll(/[\s-]/g, "");
  if (/^\+[1-9]\d{6,14}$/.test(number)) return { kind: "phone", text: number };
  throw invalidRequest(
    "Give the id of a user, usr_…, a phone with its country's code, +86…, or an e-mail address.",
  );
}

/** A user with the organizations and the open sessions. Throws `invalid_request` for an unknown id. */
export async function showUser(id: string, deps: UserDeps): Promise<ShownUser> {
  const found = await deps.users.read(id);
  if (!found) throw unknown(id);
  const { user, memberships } = found;
  const [sessions, organizations] = await Promise.all([
    deps.sessions.list(id, consoleLimits.sessionListMax),
    Promise.all(
      memberships.map(async ({ organization, role, since }) => {
        const record = await deps.accounts.organization(organization);
        return { id: organization, name: record?.name ?? "", role, joined_at: rfc3339(since) };
      }),
    ),
  ]);
  return {
    id,
    name: user.name,
    status: user.status,
    ...shownContacts(user),
    locale: user.locale,
    sessions: sessions.filter((session) => isOpen(session, deps.now())).length,
    created_at: rfc3339(user.created_at),
    organizations,
  };
}

/**
 * Freezes a user, and ends their programs in all organizations (people/identity/programs.md). It acts on the very next call.
 * If it dies, a repetition ends the rest. Throws `invalid_request` for an unknown id.
 */
export async function freezeUser(id: string, deps: UserDeps): Promise<void> {
  // A refresh reads the status and a sign-in asks for it, so no program comes after this.
  await setUserStatus(id, "frozen", deps);
  const { memberships = [] } = (await deps.users.read(id)) ?? {};
  for (const { organization } of memberships) {
    const at = deps.now();
    const isTheirs = (key: KeyRecord) => isSignedIn(key, at) && key.created_by === id;
    const programs = [...(await keysOf(deps.accounts, organization)).values()].filter(isTheirs);
    const ids = programs.map((key) => key.id);
    if (ids.length > 0) await deps.endKeys(organization, ids);
  }
}

/** Sets the status of a user. It acts on the very next call. Throws `invalid_request` for an unknown id. */
export async function setUserStatus(
  id: string,
  status: User["status"],
  { statuses }: Pick<UserDeps, "statuses">,
): Promise<void> {
  if (!(await statuses.set(id, status))) throw unknown(id);
}

function unknown(id: string) {
  return invalidRequest(`There is no user ${id}.`);
}
