/** Passkeys: a way to sign in that needs no code (README.md). */
import { createHash } from "node:crypto";
import type { SealedCookie } from "../identity/sealed-cookie.ts";
import type { SessionRecord } from "../identity/session.ts";

/** The bounds of passkeys, units last in the name. */
export const passkeyLimits = {
  ofUserMax: 10,
  /** How long somebody has at the authenticator. */
  attemptSeconds: 300,
  /** How long the record of a removed one is kept. */
  removedSeconds: 86_400,
  /** A credential's own id. WebAuthn has a bound of 1,023 bytes. */
  credentialCharsMax: 1_400,
} as const;

/** A passkey as it is stored. Nothing in it is secret: the private key is in the authenticator. */
export interface Passkey {
  /** The SHA-256 of the credential's id, base64url. */
  id: string;
  user: string;
  /** The credential's id and its public key in COSE's form, both base64url. */
  credential: string;
  public_key: string;
  /** How often it has signed, as far as it counts that. */
  counter: number;
  /** How a browser can reach it, such as `internal` or `usb`. */
  transports: string[];
  /** The address of the console that it was made for, such as `https://console.example.com`. It is good there alone. */
  origin: string;
  name: string;
  /** Whether it is kept by a service that brings it to other devices of the person. */
  is_synced: boolean;
  /** Unix milliseconds. */
  created_at: number;
  used_at: number | null;
}

/** What a browser carries while its person is at the authenticator. */
export interface PasskeyAttempt {
  challenge: string;
  origin: string;
  /** Who adds a passkey, and by which session. Null: somebody signs in. */
  adding: { user: string; session: string } | null;
  /** Unix milliseconds. */
  ends_at: number;
}

export const passkeyCookie: SealedCookie = {
  name: "__Host-passkey",
  key: "passkeys",
  context: "attempt with a passkey",
  ageSeconds: passkeyLimits.attemptSeconds,
};

/** The store of passkeys. Every read is strongly consistent. */
export interface Passkeys {
  /** Those of a user, the oldest first. */
  list(user: string): Promise<Passkey[]>;
  read(user: string, id: string): Promise<Passkey | undefined>;
  /** False where the user has this one already. */
  add(passkey: Passkey): Promise<boolean>;
  /** Notes a use at the session's begin, and stores the session, both or none. False where another use was quicker. */
  use(passkey: Passkey, counter: number, session: SessionRecord): Promise<boolean>;
  /** Removes one at `at` (Unix ms). False where there is none. */
  remove(user: string, id: string, at: number): Promise<boolean>;
}

/** The id of a credential's passkey. */
export function passkeyId(credential: string): string {
  return createHash("sha256").update(credential).digest("base64url");
}
