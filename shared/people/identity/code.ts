/** The rules of verification codes: how often one is sent, how long it is good, and how it is stored. */
import { createHmac, randomInt } from "node:crypto";
import { consoleLimits } from "../../base/console-limits.ts";
import { dayOf, hourMs } from "../../books/billing/period.ts";
import type { Contact } from "./contact.ts";
import type { IdentityKeys } from "./identity-keys.ts";

/** The last code of a contact, as it is stored. */
export interface CodeRecord {
  /** HMAC of the contact and the code, in hexadecimal digits. */
  code: string;
  /** When it was sent, and when it is over, Unix milliseconds. A code that was used is over. */
  sent_at: number;
  ends_at: number;
  /** The guesses so far. */
  tries: number;
  /** The UTC day of the last code, such as 2026-11-23. */
  day: string;
  /** How many were sent that nobody had entered, or that were not forgotten, when the last one was sent. */
  sent: number;
}

/** The store of codes. A code goes by the name of its contact (`codeName`). */
export interface Codes {
  read(name: string): Promise<CodeRecord | undefined>;
  /** Stores the next code where the last one is still as it was read. Says whether it was. */
  send(name: string, next: CodeRecord, before: CodeRecord | undefined): Promise<boolean>;
  /** Counts a guess at `at` (Unix ms). `over`: no guess is left, or the code has ended. `none`: the name has no code. */
  guess(name: string, at: number): Promise<CodeRecord | "over" | "none">;
  /** Takes a guess back that was right, if the code is still the same. */
  giveBack(name: string, code: string): Promise<void>;
}

/** Six digits that nobody can foretell. */
export function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, "0");
}

/** Whether a text has the form of a code. */
export function isCode(text: string): boolean {
  return /^\d{6}$/.test(text);
}

/** The name that the codes of a contact have under a version of the keys, in hexadecimal digits. */
export function codeName({ kind, text }: Contact, { codes }: IdentityKeys): string {
  return createHmac("sha256", codes).update(`${kind} ${text}`).digest("hex");
}

/** How a code is stored, in hexadecimal digits. */
export function codeHash({ text }: Contact, code: string, { codes }: IdentityKeys): string {
  return createHmac("sha256", codes).update(`code ${text} ${code}`).digest("hex");
}

/** How many ms a contact waits for its next code at `now`, and why: it is too `soon`, or `many` were never entered. */
export function waitForNext(
  before: CodeRecord | undefined,
  now: number,
): { wait_ms: number; why: "soon" | "many" } {
  if (!before) return { wait_ms: 0, why: "soon" };
  const soon = before.sent_at + consoleLimits.codeResendSeconds * 1000 - now;
  if (openAt(before, now) < consoleLimits.codesOpenMax) return { wait_ms: Math.max(0, soon), why: "soon" };
  return { wait_ms: Math.max(soon, forgottenMs - (now % forgottenMs)), why: "many" };
}

/** The record of a code that is sent at `now` (Unix ms). It takes the place of the one before. */
export function nextCode(before: CodeRecord | undefined, hash: string, now: number): CodeRecord {
  return {
    code: hash,
    sent_at: now,
    ends_at: now + consoleLimits.codeSeconds * 1000,
    tries: 0,
    day: dayOf(now),
    sent: before ? openAt(before, now) + 1 : 1,
  };
}

const forgottenMs = consoleLimits.codeForgottenHours * hourMs;

/** The codes that were sent and that nobody entered, without those that are forgotten by `now`: one at each third hour. */
function openAt({ sent, sent_at }: CodeRecord, now: number): number {
  const forgotten = Math.floor(now / forgottenMs) - Math.floor(sent_at / forgottenMs);
  return Math.max(0, sent - forgotten);
}

/** How long a record is kept after its code was sent: until none of its codes counts, milliseconds. */
export const codeKeptMs = consoleLimits.codesOpenMax * forgottenMs;
