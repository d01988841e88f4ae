import type { Accounts } from "../../../books/accounts/account.ts";
import type { Devices } from "../../../people/identity/device.ts";
import type { GuessGuard } from "../../../people/identity/guess-guard.ts";
import type { ReadKeys } from "../../../people/identity/identity-keys.ts";
import type { Sessions } from "../../../people/identity/session.ts";
import type { Users } from "../../../people/identity/users-port.ts";
import type { Velocity } from "../../../people/identity/velocity.ts";
import type { MemberKeyDeps } from "./organization-keys.ts";

/** What signing programs in needs. */
export interface DeviceDeps extends Pick<MemberKeyDeps, "peppers" | "now" | "log" | "auditedKeys"> {
  accounts: MemberKeyDeps["accounts"] & Pick<Accounts, "organization">;
  devices: Devices;
  users: Pick<Users, "read">;
  sessions: Pick<Sessions, "read">;
  /** The keys of the accounts' secret. */
  keys: ReadKeys;
  guesses: GuessGuard;
  velocity: Pick<Velocity, "take" | "giveBack">;
  /** Where the gateway answers, without a slash at its end. */
  gatewayUrl: string;
}
