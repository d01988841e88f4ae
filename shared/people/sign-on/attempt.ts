/** One attempt to sign on: what a browser carries while its person is at the provider (README.md "An attempt"). */
import type { SealedCookie } from "../identity/sealed-cookie.ts";
import { signOnLimits } from "./bounds.ts";

export interface SignOnAttempt {
  organization: string;
  /** When the connection was changed last, as it began with it, Unix milliseconds. */
  connection_at: number;
  state: string;
  nonce: string;
  /** The verifier of PKCE (RFC 7636). */
  verifier: string;
  /** Unix milliseconds. */
  ends_at: number;
  /** Somebody who is signed in and joins their own account to the provider's. */
  link: { user: string; session: string } | null;
}

export const attemptCookie: SealedCookie = {
  name: "__Host-sign-on",
  key: "signOn",
  context: "attempt to sign on",
  ageSeconds: signOnLimits.attemptSeconds,
};
