/** Deliveries: one message for one target (README.md "A delivery"). Instants are Unix milliseconds. */
import type { AuditEntry, AuditKind } from "../identity/audit.ts";
import { newsLimits } from "./bounds.ts";

/** `waiting`: an attempt is still due. `failed`: no more are. `dropped`: its target is gone, or wants it no more. */
export const deliveryStates = ["waiting", "delivered", "failed", "dropped"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Why an attempt failed. It never quotes what the receiver said. */
export const attemptFailures = [
  "closed_address",
  "no_connection",
  "no_answer",
  "status",
  "our_fault",
] as const;
export type AttemptFailure = (typeof attemptFailures)[number];

/** What came of one attempt. */
export interface DeliveryAttempt {
  at: number;
  /** What the receiver answered; null: nothing. */
  status: number | null;
  /** Null: it arrived. */
  failure: AttemptFailure | null;
  ms: number;
}

/** Which message for whom. A message has the id of its line in the audit log. */
export interface DeliveryKey {
  organization: string;
  /** The id of a webhook or of a user, or `events`: the event bus. */
  target: string;
  message: string;
}

export interface MessageDelivery extends DeliveryKey {
  kind: AuditKind;
  state: DeliveryState;
  attempts: number;
  last: DeliveryAttempt | null;
  created_at: number;
}

/** A delivery, and when its next attempt is due; null: none is. */
export type TimedDelivery = MessageDelivery & { due_at: number | null };

/** A delivery whose next attempt is at `due_at`. */
export type DueDelivery = DeliveryKey & { due_at: number };

/** The store of deliveries. */
export interface DeliveryStore {
  /** The messages since `from` that a target has a delivery for. */
  known(organization: string, target: string, from: number): Promise<Set<string>>;
  /** Makes a delivery whose first attempt is at `due_at`; null: it needs none. False where it is there already. */
  make(delivery: MessageDelivery, due_at: number | null): Promise<boolean>;
  /** Those of an organization that wait for an attempt, due or not yet, the longest due first. */
  waiting(organization: string, limit: number): Promise<DueDelivery[]>;
  /** Moves its next attempt, if it is due as it was read: nobody else then attempts it before. Undefined: somebody has. */
  claim(due: DueDelivery, next: number): Promise<MessageDelivery | undefined>;
  /** Notes what came of an attempt by whoever claimed it until `claimed`. False where it was claimed or replayed since. */
  end(delivery: TimedDelivery, claimed: number): Promise<boolean>;
  /** Those of a target, the newest message first, from behind the message `after`. */
  list(
    organization: string,
    target: string,
    page: { limit: number; after?: string },
  ): Promise<{ deliveries: TimedDelivery[]; more: boolean }>;
  /** Makes it wait for `due_at` again, with all its attempts. False where there is none. */
  replay(key: DeliveryKey, due_at: number): Promise<boolean>;
}

/** The lines of the log, as messages are made of them. */
export interface NewsLines {
  /** Those from `from` on, the oldest first, at most so many. */
  since(organization: string, from: number, limit: number): Promise<AuditEntry[]>;
  /** Those that people get by mail, of all organizations between two instants, the newest first. The last may lack. */
  marked(from: number, to: number, limit: number): Promise<{ organization: string; id: string }[]>;
  /** Those of all organizations between two instants, the oldest first. The last few seconds may lack some. */
  ofAll(from: number, to: number, limit: number): Promise<MarkedLines>;
  line(organization: string, id: string): Promise<AuditEntry | undefined>;
}

/** Lines as the index has them. */
export interface MarkedLines {
  lines: { organization: string; id: string; at: number }[];
  /** Up to when these are all; null: to the end of what was asked. */
  to: number | null;
}

export function newDelivery(
  target: string,
  { organization, id, kind }: AuditEntry,
  now: number,
): MessageDelivery {
  const key = { organization, target, message: id };
  return { ...key, kind, state: "waiting", attempts: 0, last: null, created_at: now };
}

/** When the attempt after so many is due; undefined: none is. */
function nextAttempt(attempts: number, now: number): number | undefined {
  const seconds = newsLimits.waitsSeconds[attempts - 1];
  return seconds === undefined ? undefined : now + seconds * 1000;
}

/** A delivery after an attempt. `isTried`: another one follows where this one failed. */
export function afterAttempt(
  delivery: MessageDelivery,
  last: DeliveryAttempt,
  isTried: boolean,
): TimedDelivery {
  const attempts = delivery.attempts + 1;
  if (last.failure === null) return { ...delivery, attempts, last, state: "delivered", due_at: null };
  const due_at = (isTried && nextAttempt(attempts, last.at)) || null;
  return { ...delivery, attempts, last, state: due_at === null ? "failed" : "waiting", due_at };
}
