/** A verification code: how it is sent, and how a request proves a phone with it (identity/README.md "Codes"). */
import { readFields } from "../../console/body.ts";
import type { ConsoleCall } from "../../console/call.ts";
import { consoleLimits } from "../../console-limits.ts";
import { GatewayError } from "../../errors.ts";
import { type HttpReply, jsonReply } from "../../http/message.ts";
import {
  codeHash,
  codeName,
  isCode,
  isSameCode,
  newCode,
  nextCode,
  waitForNext,
} from "../../identity/code.ts";
import { eachVersion, type KeyVersions } from "../../identity/identity-keys.ts";
import { phoneName, readPhone } from "../../identity/phone.ts";
import type { RightCode } from "../../identity/users-port.ts";
import { type Fields, invalidField, optionalString, requiredString } from "../../json/fields.ts";
import type { SignInDeps } from "./sign-in-deps.ts";
import { localeOf } from "./sign-in-locale.ts";

type CodeDeps = Pick<
  SignInDeps,
  "keys" | "codes" | "users" | "sms" | "guard" | "phoneCountries" | "log" | "now"
>;

/** `POST /api/v1/auth/code`. Its steps and its answer are the same for every number. */
export async function sendCode({ request }: ConsoleCall, deps: CodeDeps): Promise<HttpReply> {
  const fields = readFields(request, ["phone", "human", "locale"]);
  const { number } = readPhone(requiredString(fields, "phone"), deps.phoneCountries);
  const human = optionalString(fields, "human");
  const locale = localeOf(fields, request.headers);
  const { sms } = deps;
  if (!sms) throw new GatewayError("internal", { message: "This stage has no service that sends messages." });
  const oldest = oldestOf(await deps.keys());
  const name = codeName(number, oldest);
  const before = await deps.codes.read(name);
  const at = deps.now();
  const { wait_ms, why } = waitForNext(before, at);
  if (wait_ms > 0) throw tooOften(wait_ms, why);
  await deps.guard?.admit({ phone: number, ip: request.ip, human });
  const code = newCode();
  const next = nextCode(before, codeHash(number, code, oldest), at);
  if (!(await deps.codes.send(name, next, before)))
    throw tooOften(consoleLimits.codeResendSeconds * 1000, "soon");
  await sms.send(number, code, locale);
  const told = { expires_in: consoleLimits.codeSeconds, resend_in: consoleLimits.codeResendSeconds };
  return { ...jsonReply(told), status: 202 };
}

/** A phone whose code a request has. */
export interface ProvedPhone {
  /** E.164. */
  number: string;
  keys: KeyVersions;
  code: RightCode;
  /** Who has claimed the phone under each version, the newest version first. */
  claims: (string | undefined)[];
}

/**
 * Checks the phone and the code of a request. The guess is counted before it is compared. Who has the phone is read
 * meanwhile, also for a wrong code, so that the time tells nothing. Throws `invalid_request`, `verification_wrong` or
 * `verification_expired`.
 */
export async function provePhone(fields: Fields, deps: CodeDeps): Promise<ProvedPhone> {
  const { number } = readPhone(requiredString(fields, "phone"), deps.phoneCountries);
  const digits = requiredString(fields, "code");
  if (!isCode(digits)) throw invalidField("code", "six digits");
  const keys = await deps.keys();
  const names = eachVersion(keys).map((each) => phoneName(number, each));
  const [code, claims] = await Promise.all([guess(number, digits, keys, deps), deps.users.claims(names)]);
  return { number, keys, code, claims };
}

/**
 * Tells that a right code does not fit the route, and gives its guess back, so that the code is good for the other one.
 */
export async function refuseRightCode(
  { code }: Pick<ProvedPhone, "code">,
  error: GatewayError,
  { codes }: Pick<CodeDeps, "codes">,
): Promise<never> {
  await codes.giveBack(code.name, code.code);
  throw error;
}

/** Tells the guard that somebody has entered a code. The sign-in goes on if it cannot be told. */
export async function tellGuard(
  phone: string,
  { guard, log }: Pick<CodeDeps, "guard" | "log">,
): Promise<void> {
  try {
    await guard?.completed(phone);
  } catch {
    log("warn", "sms_completion_not_counted");
  }
}

async function guess(
  number: string,
  digits: string,
  keys: KeyVersions,
  deps: Pick<CodeDeps, "codes" | "now">,
): Promise<RightCode> {
  // All processes store a code under the oldest version that they know. Only after a drop is it another one.
  for (const each of eachVersion(keys).reverse()) {
    const name = codeName(number, each);
    const record = await deps.codes.guess(name, deps.now());
    if (record === "none" || record === "over") continue;
    if (!isSameCode(record.code, codeHash(number, digits, each)))
      throw new GatewayError("verification_wrong");
    return { name, code: record.code };
  }
  throw new GatewayError("verification_expired");
}

function oldestOf({ current, previous }: KeyVersions): KeyVersions["current"] {
  return previous ?? current;
}

function tooOften(wait_ms: number, why: "soon" | "day"): GatewayError {
  const message = `This phone gets at most ${consoleLimits.codesPerDayMax} messages a day.`;
  return new GatewayError("sms_too_often", { wait_ms, ...(why === "day" && { message }) });
}
