import type { Velocity } from "../../../people/identity/velocity.ts";
import type { Passkeys } from "../../../people/passkeys/passkey.ts";
import type { SignInDeps } from "./sign-in-deps.ts";

/** What passkeys need beside what signing in needs. */
export interface PasskeyDeps extends SignInDeps {
  passkeys: Passkeys;
  velocity: Pick<Velocity, "take" | "giveBack">;
}
