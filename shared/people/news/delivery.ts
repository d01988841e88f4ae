/** Deliveries: one message for one webhook (README.md "A delivery"). Instants are Unix milliseconds. */
import type { AuditEntry, AuditKind } from "../identity/audit.ts";
import { newsLimits } from "./bounds.ts";

/** `waiting`: an attempt is still due. `failed`: no more are. `dropped`: its webhook was disabled or deleted meanwhile. */
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

/** Which message for which webhook. A message has the id of its line in the audit log. */
export interface DeliveryKey {
  organization: string;
  webhook: string;
  message: string;
}

export interface WebhookDelivery extends DeliveryKey {
  kind: AuditKind;
  state: DeliveryState;
  attempts: number;
  last: DeliveryAttempt | null;
  created_at: number;
}

/** A delivery, and when its next attempt is due; null: none is. */
export type TimedDelivery = WebhookDelivery & { due_at: number | null };

/** A delivery whose next attempt is at `due_at`. */
export type DueDelivery = DeliveryKey & { due_at: number };

/** The store of deliveries. */
export interface DeliveryStore {
  /** The messages since `from` that a webhook has a delivery for. */
  known(organization: string, webhook: string, from: number): Promise<Set<string>>;
  /** Makes a delivery whose first attempt is at `due_at`. False where it is there already. */
  make(delivery: WebhookDelivery, due_at: number): Promise<boolean>;
  /** Those whose next attempt is due, the longest due first. */
  due(now: number, limit: number): Promise<DueDelivery[]>;
  /** Moves its next attempt, if it is due as it was read: nobody else then attempts it before. Undefined: somebody has. */
  claim(due: DueDelivery, next: number): Promise<WebhookDelivery | undefined>;
  /** Notes what came of an attempt by whoever claimed it until `claimed`. False where it was claimed or replayed since. */
  end(delivery: TimedDelivery, claimed: number): Promise<boolean>;
  /** Those of a webhook, the newest message first, from behind the message `after`. */
  list(
    organization: string,
    webhook: string,
    page: { limit: number; after?: string },
  ): Promise<{ deliveries: TimedDelivery[]; more: boolean }>;
  /** Makes it wait for `due_at` again, with all its attempts. False where there is none. */
  replay(key: DeliveryKey, due_at: number): Promise<boolean>;
}

/** The lines of the log, as messages are made of them. */
export interface NewsLines {
  /** Those from `from` on, the oldest first, at most so many. */
  since(organization: string, from: number, limit: number): Promise<AuditEntry[]>;
  line(organization: string, id: string): Promise<AuditEntry | undefined>;
}

export function newDelivery(
  webhook: string,
  { organization, id, kind }: AuditEntry,
  now: number,
): WebhookDelivery {
  const key = { organization, webhook, message: id };
  return { ...key, kind, state: "waiting", attempts: 0, last: null, created_at: now };
}

/** When the attempt after so many is due; undefined: none is. */
function nextAttempt(attempts: number, now: number): number | undefined {
  const seconds = newsLimits.waitsSeconds[attempts - 1];
  return seconds === undefined ? undefined : now + seconds * 1000;
}

/** A delivery after an attempt. */
export function afterAttempt(delivery: WebhookDelivery, last: DeliveryAttempt): TimedDelivery {
  const attempts = delivery.attempts + 1;
  if (last.failure === null) return { ...delivery, attempts, last, state: "delivered", due_at: null };
  const due_at = nextAttempt(attempts, last.at) ?? null;
  return { ...delivery, attempts, last, state: due_at === null ? "failed" : "waiting", due_at };
}
