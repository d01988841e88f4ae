/** How a usage event becomes durable. */

import { describeError } from "../../base/platform/log.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import type { AccessDeps } from "./deps.ts";

/**
 * Sends an event to the queue or, if that fails, writes it straight to the ledger. False when neither took it. Then the
 * call's hold and intent are its only trace, and an alarm rings.
 */
export async function makeDurable(
  event: UsageEvent,
  deps: Pick<AccessDeps, "queue" | "ledger" | "log">,
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
