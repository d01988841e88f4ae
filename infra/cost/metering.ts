/** What the metering of a call costs in DynamoDB and SQS, by units that `npm run bench` counts on real calls. */
import { usageBatchMax, usageWindowSeconds } from "../stage/queue-settings.ts";

/** Units and requests that the gateway takes for one call. */
export interface MeteringUnits {
  /** Admission, intent, the settlement of the hold, and of an idempotency key its claim and its end with the answer. */
  writes: number;
  /** Of the key, seldom. */
  reads: number;
  sends: number;
}

/** Units that the ledger takes for one call's entry, and for a rollup that a batch of them shares. */
export interface Recording {
  entry: number;
  rollup: number;
}

/** What Lambda's poller receives, and deletes, in one request. */
const messagesOfARequest = 10;

/** Requests to the queue for one call besides its send, at so many events in a batch. */
export function pollsOf(batch: number): number {
  return (2 * Math.ceil(batch / messagesOfARequest)) / batch;
}

/** A queue's mapping starts with so many pollers, each with a batch of its own (aws.md §6). */
const pollers = 5;

/** How many events of one customer and model a batch has, at so many calls a second: what comes in the first one's window. */
export function batchAt(callsPerSecond: number): number {
  return Math.min(usageBatchMax, 1 + (callsPerSecond * usageWindowSeconds) / pollers);
}
