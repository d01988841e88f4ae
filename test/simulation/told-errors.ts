/** Whether the entry of a call agrees with what its client was told. */
import { errorCodes } from "#shared/base/errors.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Call } from "./calls.ts";
import { answerGaps } from "./questions.ts";

/** The code in what a client has read: of an error's body, or of a frame that ended its stream. */
const toldPattern = /"error":\{[^}]*"code":"?(\d{5})/;
/** A client that stalled was told so, and one whose process stood still for as long. The call has gone on without it. */
const lost = "The answer was not read for too long";
/** Another call has its idempotency key. Whatever became of this one is not what it was told. */
const conflict = 40900;
/** The database did not answer, or was too busy. */
const unanswered = [50000, 42900];
/** The API key is not valid any more. A repetition is told so whatever the meter said (access/idempotency.ts). */
const keyEnded = 40101;

/** What is wrong with the answer that a client got, or with the error. */
export function toldGaps(call: Call, event: UsageEvent | undefined): string[] {
  return [...answerGaps(call, event), ...errorGaps(call, event)];
}

/**
 * What is wrong with the error of a call's entry: it must be what the client was told. A client that left was told
 * nothing. One that stalled was told that the rest is lost. A call that was refused while nobody
 * could tell whether another has its idempotency key was told only that: the client asks again, and may get an answer. A
 * call whose idempotency key another call has was told of its own API key first.
 */
function errorGaps(
  { id, received, replayed, stalled, idempotency }: Call,
  event: UsageEvent | undefined,
): string[] {
  if (event?.source !== "gateway") return [];
  const kept = event.error && errorCodes[event.error].code;
  if (event.outcome === "completed") return kept === undefined ? [] : [`${id} completed with ${kept}`];
  const code = toldPattern.exec(received)?.[1];
  if (code === undefined || Number(code) === conflict || replayed !== undefined) return [];
  if (stalled || received.includes(lost)) return [];
  const isClaimLost =
    idempotency !== undefined && event.attempts === 0 && [...unanswered, keyEnded].includes(Number(code));
  if (isClaimLost && kept !== undefined) return [];
  return kept === Number(code) ? [] : [`${id} was told ${code}, and its entry says ${kept}`];
}
