/** Records the usage events of a batch of queue messages in the ledger. */
import type { Ledger } from "../../ledger/ledger.ts";
import { parseUsageEvent, type UsageEvent } from "../../ledger/usage-event.ts";
import { describeError, type Log } from "../../platform/log.ts";

interface QueueMessage {
  id: string;
  body: string;
}

/**
 * Settles a batch and gives the ids of the messages that must come again. A bad message does not stop the others: one
 * that cannot be read is not tried, and if the batch fails, each message is tried by itself.
 */
export async function settleBatch(messages: QueueMessage[], ledger: Ledger, log: Log): Promise<string[]> {
  const failed: string[] = [];
  const readable: { id: string; event: UsageEvent }[] = [];
  for (const { id, body } of messages) {
    try {
      readable.push({ id, event: parseUsageEvent(body) });
    } catch (error) {
      log("error", "poison_message", { error: describeError(error) });
      failed.push(id);
    }
  }
  try {
    await ledger.record(readable.map(({ event }) => event));
    return failed;
  } catch (error) {
    log("warn", "batch_failed", { count: readable.length, error: describeError(error) });
  }
  for (const { id, event } of readable) {
    try {
      await ledger.record([event]);
    } catch (error) {
      log("error", "settle_failed", { request: event.id, error: describeError(error) });
      failed.push(id);
    }
  }
  return failed;
}
