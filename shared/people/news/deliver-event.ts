/** Delivers a message to the stage's event bus (README.md "The event bus"), as `deliver.ts` does to a webhook. */
import { describeError, type Log } from "../../base/platform/log.ts";
import type { AuditKind } from "../identity/audit.ts";
import { afterAttempt, type MessageDelivery, type NewsLines, type TimedDelivery } from "./delivery.ts";
import { messageBody } from "./message.ts";

/** The target of all deliveries to the event bus. */
export const eventsTarget = "events";

/** What the bus is given. */
export interface NewsEvent {
  kind: AuditKind;
  /** When it happened, Unix milliseconds. */
  at: number;
  /** What webhooks are sent, as JSON. */
  body: string;
}

/** The event bus of the stage. */
export interface NewsBus {
  /** Puts an event. Throws unless the bus has taken it. */
  put(event: NewsEvent): Promise<void>;
}

/** The store of the place: lines from before it all have their deliveries (Unix milliseconds). */
export interface EventsPlaceStore {
  /** The place; the first time it is put at `now`. */
  open(now: number): Promise<number>;
  /** Moves it, unless another run has moved it since it was read. */
  move(read: number, told_to: number): Promise<void>;
}

/** What the event bus needs, where the stage has one. */
export interface EventDeps {
  bus: NewsBus;
  place: EventsPlaceStore;
}

export interface EventAttemptDeps {
  lines: Pick<NewsLines, "line">;
  events: EventDeps | undefined;
  log: Log;
  now: () => number;
}

/** Makes one attempt, and gives the delivery as it is then; undefined where the stage has no bus any more. */
export async function attemptEvent(
  delivery: MessageDelivery,
  { events, lines, log, now }: EventAttemptDeps,
): Promise<TimedDelivery | undefined> {
  const line = events && (await lines.line(delivery.organization, delivery.message));
  if (!events || !line) return undefined;
  const at = now();
  const { kind, organization } = line;
  const failure = await events.bus.put({ kind, at: line.at, body: messageBody(line) }).then(
    () => null,
    (error: unknown) => {
      log("error", "news_event_failed", { organization, error: describeError(error) });
      // The bus is in our account: whatever it is, no customer can mend it.
      return "our_fault" as const;
    },
  );
  return afterAttempt(delivery, { at, status: null, failure, ms: now() - at }, true);
}
