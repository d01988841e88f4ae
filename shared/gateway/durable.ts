/** A usage event on its way into the books. */
import type { UsageEvent } from "../ledger/usage-event.ts";
import { describeError } from "../platform/log.ts";
import type { Deps } from "./deps.ts";

/**
 * Has an event acknowledged by the queue or, where that fails, written straight to the ledger. False when neither
 * took it: then its hold and its intent are the only trace of the call, and an alarm says so.
 */
export async function makeDurable(
  event: UsageEvent,
  deps: Pick<Deps, "queue" | "ledger" | "log">,
): Promise<boolean> {
  try {
    await deps.queue.send(event);
    return true;
  } catch (error) {
    deps.log("warn", "queue_failed", { request: event.id, error: describeError(error) });
  }
  try {
    await deps.ledger.record([event]);
    return true;
  } catch (error) {
    deps.log("error", "settle_gap", {
      request: event.id,
      organization: event.organization,
      cost_points: event.cost_points,
      error: describeError(error),
    });
    return false;
  }
}
