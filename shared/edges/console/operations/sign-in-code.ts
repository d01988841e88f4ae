/**
 * A verification code: how it is sent, and how a request proves a contact with it (people/identity/README.md "Codes").
 */

import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { type Fields, invalidField, optionalString, requiredString } from "../../../base/json/fields.ts";
import { isSameSecret } from "../../../base/platform/encryption.ts";
import { codeHash, codeName, isCode, newCode, nextCode, waitForNext } from "../../../people/identity/code.ts";
import {
  type Contact,
  type ContactKind,
  contactKinds,
  contactName,
  contactsOf,
  kindOf,
  openContact,
  readContact,
} from "../../../people/identity/contact.ts";
import type { CountedGuess } from "../../../people/identity/guess-guard.ts";
import { eachVersion, type KeyVersions, keysOfVersion } from "../../../people/identity/identity-keys.ts";
import type { User } from "../../../people/identity/user.ts";
import type { RightCode, UserWithMemberships } from "../../../people/identity/users-port.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import type { ConsoleCall } from "../call.ts";
import type { SignInDeps } from "./sign-in-deps.ts";
import { localeOf } from "./sign-in-locale.ts";

type CodeDeps = Pick<
  SignInDeps,
  "keys" | "codes" | "users" | "senders" | "guard" | "guesses" | "contacts" | "log" | "now" | "pause"
>;

/** `POST /api/v1/auth/code`. Its steps and its answer are the same for every contact. */
export async function sendCode({ request }: ConsoleCall, deps: CodeDeps) {
  const fields = readFields<keyof ConsoleBody<"send_code">>(request, [...contactKinds, "human", "locale"]);
  const contact = readContact(fields, deps.contacts);
  const human = optionalString(fields, "human");
  const locale = localeOf(fields, request.headers);
  const sender = deps.senders[contact.kind];
  if (!sender)
    throw new GatewayError("internal", { message: "This stage has no service that sends messages." });
  const keys = await deps.keys();
  const oldest = oldestOf(keys);
  const name = codeName(contact, oldest);
  const before = await deps.codes.read(name);
  const at = deps.now();
  const { wait_ms, why } = waitForNext(before, at);
  if (wait_ms > 0) throw tooOften(contact.kind, wait_ms, why);
  const hasAccount = async () => {
    const claims = await deps.users.claims(eachVersion(keys).map((each) => contactName(contact, each)));
    return claims.some((claim) => claim !== undefined);
  };
  const admitted = await deps.guard?.admit({ contact, name, ip: request.ip, human, hasAccount });
  const code = newCode();
  const next = nextCode(before, codeHash(contact, code, oldest), at);
  if (!(await deps.codes.send(name, next, before)))
    throw tooOften(contact.kind, consoleLimits.codeResendSeconds * 1000, "soon");
  const send = () => sender.send(contact.text, code, locale);
  const told = { expires_in: consoleLimits.codeSeconds, resend_in: consoleLimits.codeResendSeconds };
  const { isSent = true, scarce_until } = admitted ?? {};
  if (scarce_until === undefined) {
    await send();
    return jsonReply(told, 202);
  }
  // Nobody may see by answer or time whether a message was sent: that would tell who has an account.
  await Promise.all([isSent && send().catch(() => undefined), deps.pause(consoleLimits.smsTimeoutMs)]);
  const sign_up_in = Math.ceil((scarce_until - at) / 1000);
  return jsonReply({ ...told, sign_up_in }, 202);
}

/** A contact whose code a request has. */
export interface ProvedContact {
  contact: Contact;
  /** The address that the code was entered from. */
  ip: string;
  keys: KeyVersions;
  code: RightCode;
  /** What the address has been counted. */
  counted: CountedGuess;
  /** Who has claimed the contact under each version, the newest version first. */
  claims: (string | undefined)[];
  /** Whom the contact belongs to. */
  owner: UserWithMemberships | undefined;
}

/** An id that no user has. It is read in place of the user of a contact that nobody has claimed. */
const nobody = "nobody";

/**
 * Counts the guess before it compares: for the address, then for the contact. It always reads a user, so that the time
 * tells nothing. Throws `invalid_request`, `sms_too_often`, `verification_wrong` or `verification_expired`.
 */
export async function proveContact(fields: Fields, ip: string, deps: CodeDeps): Promise<ProvedContact> {
  const contact = readContact(fields, deps.contacts);
  const digits = requiredString(fields, "code");
  if (!isCode(digits)) throw invalidField("code", "six digits");
  const keys = await deps.keys();
  const names = eachVersion(keys).map((each) => contactName(contact, each));
  const [counted, claims] = await Promise.all([deps.guesses.admit(ip), deps.users.claims(names)]);
  const claimed = claims.find((claim) => claim !== undefined);
  const [code, owner] = await Promise.all([
    guess(contact, digits, keys, deps),
    deps.users.read(claimed ?? nobody),
  ]);
  if (claimed !== undefined && !owner) throw new Error(`the user ${claimed} is missing`);
  if (owner && !(await hasContact(owner.user, contact, deps)))
    throw new Error(`a claim leads to ${owner.user.id}, who has another contact`);
  return { contact, ip, keys, code, counted, claims, owner };
}

/**
 * Whether a user's record has a contact: a removal may have passed a sign-in that was claiming it under a newer name. A
 * process with an older copy of the secret cannot open the record, and trusts the claim.
 */
async function hasContact(
  user: User,
  { kind, text }: Contact,
  { keys }: Pick<CodeDeps, "keys">,
): Promise<boolean> {
  const kept = contactsOf(user).find((each) => each.kind === kind);
  if (!kept) return false;
  const isOpenable = (await keysOfVersion(kept.version, keys)) !== undefined;
  return !isOpenable || (await openContact(user.id, kept, keys)).text === text;
}

/**
 * Does what a right code was given for. If that is refused, gives the guess back, so the code is good for another try.
 */
export async function withRightCode<Done>(
  proved: ProvedContact,
  use: () => Promise<Done>,
  { codes, guesses }: Pick<CodeDeps, "codes" | "guesses">,
): Promise<Done> {
  try {
    return await use();
  } catch (error) {
    const { code, counted } = proved;
    if (error instanceof GatewayError)
      await Promise.all([codes.giveBack(code.name, code.code), guesses.giveBack(counted)]);
    throw error;
  }
}

/** Tells both guards that somebody has entered a code. The sign-in goes on if one cannot be told. */
export async function tellGuards(
  { contact, ip, code, counted }: Pick<ProvedContact, "contact" | "ip" | "code" | "counted">,
  { guard, guesses, log }: Pick<CodeDeps, "guard" | "guesses" | "log">,
): Promise<void> {
  const entered = { contact, name: code.name, ip };
  const told = await Promise.allSettled([guard?.completed(entered), guesses.giveBack(counted)]);
  if (told.some(({ status }) => status === "rejected")) log("warn", "sms_completion_not_counted");
}

/** Compares under every version of the secret: while versions change, two processes may each have sent a good code. */
async function guess(
  contact: Contact,
  digits: string,
  keys: KeyVersions,
  { codes, now }: Pick<CodeDeps, "codes" | "now">,
): Promise<RightCode> {
  const at = now();
  const tried = await Promise.all(
    eachVersion(keys).map(async (each) => {
      const name = codeName(contact, each);
      const record = await codes.guess(name, at);
      if (record === "none" || record === "over") return undefined;
      return { name, code: record.code, isRight: isSameSecret(record.code, codeHash(contact, digits, each)) };
    }),
  );
  const running = tried.filter((each) => each !== undefined);
  const right = running.find(({ isRight }) => isRight);
  if (right) return { name: right.name, code: right.code };
  throw new GatewayError(running.length > 0 ? "verification_wrong" : "verification_expired");
}

function oldestOf({ current, previous }: KeyVersions): KeyVersions["current"] {
  return previous ?? current;
}

function tooOften(kind: ContactKind, wait_ms: number, why: "soon" | "many"): GatewayError {
  const message = `This ${kindOf[kind].word} was sent ${consoleLimits.codesOpenMax} codes that nobody entered. It gets another one every ${consoleLimits.codeForgottenHours} hours.`;
  return new GatewayError("sms_too_often", {
    wait_ms,
    ...(why === "many" && { message, reason: "codes_of_day" }),
  });
}
