/**
 * The ceremonies of WebAuthn: what a browser is asked, and whether its answer is good (README.md "What is checked"). The
 * library is large, so this file is loaded with the first passkey that a process sees.
 */
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { decodeAttestationObject } from "@simplewebauthn/server/helpers";
import { type Passkey, type PasskeyAttempt, passkeyId, passkeyLimits } from "./passkey.ts";

/** An answer of an authenticator that proves nothing. The message is for the log and quotes no key. */
export class PasskeyError extends Error {}

/** What a browser calls the site. */
const rpName = "Model gateway";
const timeout = passkeyLimits.attemptSeconds * 1000;

/** The host that a passkey is bound to. */
const hostOf = (origin: string) => new URL(origin).hostname;
const transportsOf = (names: readonly string[]) => names as AuthenticatorTransport[];

/** What a browser is asked to make. Those that the user has already are named, so that none is made twice. */
export async function optionsToAdd(
  user: { id: string; name: string },
  origin: string,
  there: readonly Passkey[],
) {
  return await generateRegistrationOptions({
    ...{ rpName, rpID: hostOf(origin), timeout, attestationType: "none" },
    userID: new Uint8Array(Buffer.from(user.id)),
    userName: user.name,
    userDisplayName: user.name,
    excludeCredentials: there.map(({ credential, transports }) => ({
      id: credential,
      transports: transportsOf(transports),
    })),
    // It signs in by itself, so it says who it is of, and asks for a finger, a face or a PIN.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** What a browser is asked to sign in with. It names no passkey: the person chooses. */
export async function optionsToSignIn(origin: string) {
  return await generateAuthenticationOptions({ rpID: hostOf(origin), userVerification: "required", timeout });
}

type Made = Pick<Passkey, "id" | "credential" | "public_key" | "counter" | "transports" | "is_synced">;

/** The passkey of an answer to `optionsToAdd`. Throws `PasskeyError`. */
export async function made(response: unknown, { challenge, origin }: PasskeyAttempt): Promise<Made> {
  return await orPasskeyError(async () => {
    const given = response as RegistrationResponseJSON;
    refuseCertificates(given);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...{ response: given, expectedChallenge: challenge, expectedOrigin: origin },
      ...{ expectedRPID: hostOf(origin), requireUserVerification: true },
    });
    if (!verified) throw new PasskeyError("the answer is not verified");
    const { credential, credentialBackedUp } = registrationInfo;
    if (credential.id.length > passkeyLimits.credentialCharsMax) throw new PasskeyError("the id is too long");
    const { transports = [] } = credential;
    return {
      ...{ id: passkeyId(credential.id), credential: credential.id },
      public_key: Buffer.from(credential.publicKey).toString("base64url"),
      counter: credential.counter,
      transports: transports
        .filter((each) => typeof each === "string" && /^[a-z-]{1,20}$/.test(each))
        .slice(0, 8),
      is_synced: credentialBackedUp,
    };
  });
}

/** The counter behind an answer to `optionsToSignIn` by a stored passkey. Throws `PasskeyError`. */
export async function signedBy(
  passkey: Passkey,
  response: unknown,
  { challenge }: PasskeyAttempt,
): Promise<number> {
  return await orPasskeyError(async () => {
    const { origin, credential, public_key, counter, transports } = passkey;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: hostOf(origin) },
      credential: {
        ...{ id: credential, counter, transports: transportsOf(transports) },
        publicKey: new Uint8Array(Buffer.from(public_key, "base64url")),
      },
      requireUserVerification: true,
    });
    if (!verified) throw new PasskeyError("the signature is not good");
    return authenticationInfo.newCounter;
  });
}

/**
 * Nobody is asked for certificates of an authenticator. Who sends some could have the library ask the addresses in them
 * whether they are revoked, so they are refused unread.
 */
function refuseCertificates({ response }: RegistrationResponseJSON): void {
  const text = response.attestationObject;
  const bytes = Buffer.from(text, "base64url");
  // The library has a base64 of its own. Only the one spelling of the bytes is the same to both.
  if (bytes.toString("base64url") !== text) throw new PasskeyError("the answer is not in base64url");
  const object = decodeAttestationObject(new Uint8Array(bytes));
  const [format, statement] = [object.get("fmt"), object.get("attStmt")];
  // A statement of `packed` that an authenticator signs with the passkey itself has no certificates.
  const isSelfSigned = format === "packed" && statement instanceof Map && statement.get("x5c") === undefined;
  if (format !== "none" && !isSelfSigned) throw new PasskeyError("certificates were not asked for");
}

async function orPasskeyError<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PasskeyError) throw error;
    // Whatever the library throws is about what it was given.
    throw new PasskeyError(error instanceof Error ? error.message : "the answer cannot be read");
  }
}
