/** Delivers a message that somebody has claimed, and notes what came of it on the delivery and on its webhook. */
import { consoleLimits } from "../../base/console-limits.ts";
import { type AuditEntry, auditEntry } from "../identity/audit.ts";
import { byPlatform } from "../orders/deps.ts";
import {
  afterAttempt,
  type DeliveryAttempt,
  type DeliveryStore,
  type MessageDelivery,
  type NewsLines,
  type TimedDelivery,
} from "./delivery.ts";
import { type AttemptDeps, attempt } from "./send.ts";
import { afterAttemptAt, isEnabled, type Webhook, type WebhookStore } from "./webhook.ts";

export interface DeliverDeps extends AttemptDeps {
  webhooks: Pick<WebhookStore, "of" | "change">;
  deliveries: Pick<DeliveryStore, "end">;
  lines: Pick<NewsLines, "line">;
}

/**
 * Makes one attempt for whoever has claimed the delivery until `claimed`. Gives the delivery as it is then. A webhook that
 * is disabled gets a test, and no second attempt at it.
 */
export async function deliver(
  delivery: MessageDelivery,
  webhook: Webhook,
  claimed: number,
  deps: DeliverDeps,
): Promise<TimedDelivery> {
  const line = await deps.lines.line(delivery.organization, delivery.message);
  const last: DeliveryAttempt = line
    ? await attempt(webhook, line, deps)
    : { at: deps.now(), status: null, failure: "our_fault", ms: 0 };
  const after = afterAttempt(delivery, last, isEnabled(webhook));
  await deps.deliveries.end(after, claimed);
  await noteOn(webhook, delivery.organization, last, deps);
  return after;
}

/** Notes on the webhook that it works again or fails. One that has failed for days is disabled, with a line of it. */
async function noteOn(
  known: Webhook,
  organization: string,
  last: DeliveryAttempt,
  deps: DeliverDeps,
): Promise<void> {
  // What is our fault says nothing of the receiver.
  if (last.failure === "our_fault" || !afterAttemptAt(known, last)) return;
  for (let tried = 1; tried <= consoleLimits.memberAttemptsMax; tried++) {
    const before = await deps.webhooks.of(organization);
    const webhook = before.list.find(({ id }) => id === known.id);
    const after = webhook && afterAttemptAt(webhook, last);
    if (!after) return;
    const list = before.list.map((each) => (each.id === after.id ? after : each));
    const line = after.disabled === null ? undefined : disabledLine(after, organization, deps.now());
    if (await deps.webhooks.change(before, list, line, deps.now())) return;
  }
}

function disabledLine({ id, disabled }: Webhook, organization: string, at: number): AuditEntry {
  const by = { user: byPlatform, organization: { id: organization } };
  const change = { kind: "webhook_disabled", subject: id, after: { disabled_by: disabled } } as const;
  return auditEntry(by, change, byPlatform.ip, at);
}
