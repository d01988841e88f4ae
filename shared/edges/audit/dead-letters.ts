/** Dead letters as the audit reads them: which call each belongs to, what recording it would post, and its age. */

import { limits } from "../../base/limits.ts";
import { isId } from "../../base/platform/id.ts";
import { type Entry, recordingOf } from "../../books/ledger/ledger.ts";
import { type DeadLetter, parseUsageEvent, type UsageEvent } from "../../books/ledger/usage-event.ts";
import type { Intent } from "../../books/meters/intent.ts";
import type { Finding } from "./rollups.ts";

/** A dead letter, read as far as possible. */
export interface AuditedDeadLetter extends DeadLetter {
  /** Undefined where the message cannot be settled. Then nobody knows its amount. */
  event: UsageEvent | undefined;
  /** The call it belongs to, if the message still contains an id. */
  request: string | undefined;
  /** The meter item that held the call. Undefined without a request, and once the intent has expired. */
  calledOn: { meter: string; shard: number; call_points?: string } | undefined;
}

/** What recording a letter would post. A letter that cannot be read is poison. */
export type LetterFate = ReturnType<typeof recordingOf> | "poison";

/** Reads letters. For a letter that cannot be settled, the intent of its call tells the meter. */
export async function auditDeadLetters(
  deadLetters: DeadLetter[],
  intentOf: (request: string) => Promise<Intent | undefined>,
): Promise<AuditedDeadLetter[]> {
  const read: AuditedDeadLetter[] = [];
  for (const letter of deadLetters) {
    const event = eventIn(letter.body);
    const request = event?.id ?? requestIn(letter.body);
    const calledOn = event ?? (request === undefined ? undefined : await intentOf(request));
    read.push({ ...letter, event, request, calledOn });
  }
  return read;
}

function eventIn(body: string): UsageEvent | undefined {
  try {
    return parseUsageEvent(body);
  } catch {
    return undefined;
  }
}

/** The first id of a call or task in any text. */
function requestIn(body: string): string | undefined {
  return body.split(/[^\w-]+/).find((word) => isId(word, "request", "task"));
}

/** What recording each letter would post, in the same order, by the ledger's own rule. */
export function fatesOf(deadLetters: AuditedDeadLetter[], entries: Entry[]): LetterFate[] {
  const requests = new Set(deadLetters.map(({ request }) => request));
  const known = Map.groupBy(
    entries.filter(({ event }) => event && requests.has(event.id)),
    ({ event }) => event?.id ?? "",
  );
  return deadLetters.map(({ event }) => (event ? recordingOf(event, known.get(event.id) ?? []) : "poison"));
}

const words: Record<LetterFate, string> = {
  recorded: "is not booked yet",
  corrected: "corrects an estimate",
  duplicate: "is booked already",
  poison: "cannot be read",
};

/** Every usage event reaches the ledger: no dead letter is older than half of the time that the queue keeps it. */
export function eventsArrive({
  deadLetters,
  fates,
  queued,
  now,
}: {
  deadLetters: AuditedDeadLetter[];
  fates: LetterFate[];
  queued: number;
  now: number;
}): Finding {
  const overdue = now - (limits.deadLetterSeconds / 2) * 1000;
  const told = deadLetters.map((letter, at) => `${nameOf(letter)} ${words[fates[at] ?? "poison"]}`);
  return {
    gaps: deadLetters
      .filter(({ sent_at }) => sent_at < overdue)
      .map((letter) => `${nameOf(letter)} has been a dead letter so long that it will be lost`),
    detail: `${queued} messages queued, ${deadLetters.length} dead letters${told.length === 0 ? "" : `: ${firstOf(told)}`}`,
  };
}

/** The name by which an operator finds a letter: its call or, where that is unknown, the queue's message id. */
export function nameOf({ id, request }: Pick<AuditedDeadLetter, "id" | "request">): string {
  return request ?? `message ${id}`;
}

const shownMax = 5;

/** The first few of a list, for a line that people read. */
export function firstOf(names: string[], separator = ", "): string {
  const rest = names.length - shownMax;
  return names.slice(0, shownMax).join(separator) + (rest > 0 ? `${separator}and ${rest} more` : "");
}
