/** Passkeys in the console's document (edges/console/routes/passkeys.ts). */
import { consoleLimits } from "../../base/console-limits.ts";
import { passkeyLimits } from "../../people/passkeys/passkey.ts";
import type { passkeyRoutes } from "../console/routes/passkeys.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { text, whole } from "./console-schemas.ts";
import * as s from "./schema.ts";

const options = s.such(
  s.object({}),
  "What `navigator.credentials` takes, in the JSON form of WebAuthn. It is good for five minutes, and once.",
);
const credential = s.such(s.object({}), "What the browser gave, in the JSON form of WebAuthn.");
const passkeyId = s.such(s.string, "The SHA-256 of the credential's id.");
const gives = "Gives the attempt, as `__Host-passkey`, for five minutes.";
/** An operation whose page came from elsewhere may sign its visitor in as somebody else. */
const fromHere = "A browser may ask for it from a page of the console alone.";
const minutes = consoleLimits.freshSessionSeconds / 60;
const fresh = `It takes a session of a code or a passkey that began in the last ${minutes} minutes.`;

export const passkeySchemas = {
  PasskeyOptions: s.closed({ options }),
  Passkey: s.closed({
    id: passkeyId,
    object: s.just("passkey"),
    name: s.string,
    synced: s.such(s.boolean, "A service brings it to other devices of the person."),
    created_at: s.instant,
    used_at: s.orNull(s.such(s.instant, "When somebody last signed in with it.")),
  }),
};

export const passkeyOperations = {
  begin_passkey_sign_in: {
    tag: "Sign-in",
    summary: "Begin to sign in with a passkey",
    description: `It looks nobody up. ${fromHere}`,
    reply: s.ref("PasskeyOptions"),
    cookie: gives,
    errors: ["invalid_request", "permission_denied", "rate_limited"],
  },
  passkey_sign_in: {
    tag: "Sign-in",
    summary: "Sign in with a passkey",
    description: `It reads the cookie of the attempt, which is good once. ${fromHere}`,
    request: {
      schema: s.closed({ credential }),
      example: { credential: { id: "KlnLyiGLPZ4", type: "public-key" } },
    },
    reply: s.ref("SignedIn"),
    cookie: "Gives the refresh token, as `__Host-session`.",
    errors: [
      ...(["permission_denied", "verification_wrong", "verification_expired"] as const),
      ...(["login_frozen", "session_expired"] as const),
    ],
  },
  list_passkeys: {
    tag: "Account",
    summary: "The passkeys of the user, the oldest first",
    reply: whole(s.ref("Passkey")),
    errors: ["invalid_request"],
  },
  begin_passkey: {
    tag: "Account",
    summary: "Begin to add a passkey",
    description: `A user has at most ${passkeyLimits.ofUserMax}. ${fresh} ${fromHere}`,
    reply: s.ref("PasskeyOptions"),
    cookie: gives,
    errors: ["invalid_request", "permission_denied"],
  },
  add_passkey: {
    tag: "Account",
    summary: "Add a passkey",
    description: `It reads the cookie of the attempt, which is good once. ${fromHere}`,
    request: {
      schema: s.closed({
        name: s.such(text("What the user calls it.", "Ann's laptop"), {
          maxLength: consoleLimits.nameCharsMax,
        }),
        credential,
      }),
      example: { name: "Ann's laptop", credential: { id: "KlnLyiGLPZ4", type: "public-key" } },
    },
    reply: s.ref("Passkey"),
    errors: ["permission_denied", "verification_wrong", "verification_expired", "invalid_state"],
  },
  remove_passkey: {
    tag: "Account",
    summary: "Remove a passkey",
    description: `The other sessions that it began end. ${fresh}`,
    parameter: { description: "The passkey.", schema: passkeyId },
    status: 204,
    errors: ["not_found", "permission_denied"],
  },
} satisfies Readonly<Record<(typeof passkeyRoutes)[number]["operation"], ConsoleDescribed>>;
