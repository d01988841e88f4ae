/** What was sent to a webhook, once more, and a test (people/news/README.md "A delivery"). */

import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField, requiredString } from "../../../base/json/fields.ts";
import { isId } from "../../../base/platform/id.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import type { AuditPort } from "../../../people/identity/audit.ts";
import { newsLimits } from "../../../people/news/bounds.ts";
import { type DeliverDeps, deliver } from "../../../people/news/deliver.ts";
import { type DeliveryStore, newDelivery, type TimedDelivery } from "../../../people/news/delivery.ts";
import { isEnabled, type Webhook, type Webhooks } from "../../../people/news/webhook.ts";
import { readLimit } from "../../api/report-parameters.ts";
import type { ConsoleBody, ConsoleSchema } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { entryOf } from "./organization-members.ts";

export interface DeliveryDeps extends DeliverDeps {
  deliveries: DeliveryStore;
  auditLog: AuditPort;
}

/**
 * `POST /api/v1/webhooks/{id}/test`. The line is written first. If the process dies then, the next run sends it, like any
 * other line.
 */
export async function testWebhook(call: ConsoleCall, deps: DeliveryDeps) {
  readFields(call.request, []);
  const { webhook } = await named(call, deps);
  const line = entryOf(call, { kind: "webhook_tested", subject: webhook.id }, deps);
  await deps.auditLog.write(line);
  const now = deps.now();
  const claimed = now + newsLimits.claimMs;
  const delivery = newDelivery(webhook.id, line, now);
  // The minute's run may have come in between, and attempts it.
  const isOurs = await deps.deliveries.make(delivery, claimed);
  const done = isOurs ? await deliver(delivery, webhook, claimed, deps) : { ...delivery, due_at: now };
  return jsonReply(deliveryObject(done));
}

/** `GET /api/v1/webhooks/{id}/deliveries?limit=&after=`, the newest message first. */
export async function listDeliveries(call: ConsoleCall, deps: DeliveryDeps) {
  const { limit, after } = readQuery<{ limit: number; after: string | undefined }>(call.request.query, {
    limit: readLimit(newsLimits.deliveryPageMax),
    after: (given, name) => {
      if (given && !isId(given, "audit")) throw invalidField(name, "the `last_id` of a page of this list");
      return given || undefined;
    },
  });
  const { organization, webhook } = await named(call, deps);
  const page = { limit, ...(after && { after }) };
  const { deliveries, more } = await deps.deliveries.list(organization, webhook.id, page);
  const data = deliveries.map(deliveryObject);
  return jsonReply({ object: "list", data, has_more: more, last_id: data.at(-1)?.id ?? null });
}

/** `POST /api/v1/webhooks/{id}/replay {message}`. The next run sends it. */
export async function replayDelivery(call: ConsoleCall, deps: DeliveryDeps) {
  const fields = readFields<keyof ConsoleBody<"replay_delivery">>(call.request, ["message"]);
  const message = requiredString(fields, "message");
  if (!isId(message, "audit")) throw invalidField("message", "the id of a delivery");
  const { organization, webhook } = await named(call, deps);
  if (!isEnabled(webhook))
    throw new GatewayError("invalid_state", { message: "The webhook is disabled. Enable it first." });
  const now = deps.now();
  const line = await deps.lines.line(organization, message);
  if (!line || !(await deps.deliveries.replay({ organization, target: webhook.id, message }, now)))
    throw new GatewayError("not_found", { message: "This webhook has no such delivery." });
  return jsonReply(deliveryObject({ ...newDelivery(webhook.id, line, now), due_at: now }));
}

async function named(call: ConsoleCall, { webhooks }: Pick<DeliveryDeps, "webhooks">) {
  const { organization } = callerOf(call);
  return {
    organization: organization.id,
    webhook: webhookOf(await webhooks.of(organization.id), call.parameters.id),
  };
}

/** The webhook of an id. Throws `not_found`. */
export function webhookOf({ list }: Webhooks, id: string | undefined): Webhook {
  const webhook = list.find((each) => each.id === id);
  if (!webhook) throw new GatewayError("not_found", { message: "This organization has no such webhook." });
  return webhook;
}

/** A delivery as the interface shows it. */
function deliveryObject(delivery: TimedDelivery): ConsoleSchema<"Delivery"> {
  const { message, target, kind, state, attempts, last, due_at, created_at } = delivery;
  return {
    ...{ id: message, object: "delivery", webhook_id: target, kind, state, attempts },
    last_attempt: last && {
      ...{ at: rfc3339(last.at), status: last.status, failure: last.failure },
      milliseconds: last.ms,
    },
    next_attempt_at: due_at === null ? null : rfc3339(due_at),
    created_at: rfc3339(created_at),
  };
}
