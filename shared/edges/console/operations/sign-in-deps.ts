import type { Log } from "../../../base/platform/log.ts";
import type { Codes } from "../../../people/identity/code.ts";
import type { ByKind, ContactRules } from "../../../people/identity/contact.ts";
import type { GuessGuard } from "../../../people/identity/guess-guard.ts";
import type { IdentifyDeps } from "../../../people/identity/identify.ts";
import type { ReadKeys } from "../../../people/identity/identity-keys.ts";
import type { InvitationsPort } from "../../../people/identity/invitation.ts";
import type { CodeSender, SendGuard } from "../../../people/identity/sending.ts";
import type { Sessions } from "../../../people/identity/session.ts";
import type { UserContacts, Users } from "../../../people/identity/users-port.ts";
import type { OrganizationDeps } from "../../operator/organizations.ts";

export interface SignInDeps extends OrganizationDeps {
  keys: ReadKeys;
  codes: Codes;
  users: Users;
  userContacts: UserContacts;
  sessions: Sessions;
  /** Counts the calls of a session. */
  pace: NonNullable<IdentifyDeps["pace"]>;
  /** Null where no service sends messages of a kind: then no contact of that kind gets a code. */
  senders: ByKind<CodeSender>;
  guard: SendGuard | null;
  guesses: GuessGuard;
  /** Null where there are no invitations: then no request may carry one. */
  invitations: InvitationsPort | null;
  /** The phones and addresses that codes go to. */
  contacts: ContactRules;
  /** Whether everybody may sign up. If not, those who are invited may. */
  isRegistrationOpen: boolean;
  log: Log;
  /** Waits for so many milliseconds. */
  pause: (ms: number) => Promise<void>;
}
