/** Webhooks of an organization, as its members make and change them (people/news/README.md). */

import { consoleLimits } from "../../../base/console-limits.ts";
import { invalidRequest } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { type Fields, invalidField, optionalBoolean, requiredString } from "../../../base/json/fields.ts";
import { newId } from "../../../base/platform/id.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { type AuditedChange, type AuditKind, auditKinds } from "../../../people/identity/audit.ts";
import type { ReadKeys } from "../../../people/identity/identity-keys.ts";
import { newsLimits } from "../../../people/news/bounds.ts";
import { inForce, newSecret } from "../../../people/news/signature.ts";
import {
  isEnabled,
  readWebhookUrl,
  type Webhook,
  type WebhookStore,
  type Webhooks,
} from "../../../people/news/webhook.ts";
import type { AnswersTo, ConsoleBody, ConsoleSchema } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import type { webhookRoutes } from "../routes/webhooks.ts";
import { changeMails, type MailChoiceDeps, showMails } from "./account-mails.ts";
import { changedMeanwhile, entryOf } from "./organization-members.ts";
import { showUnsubscribe, unsubscribe } from "./unsubscribe.ts";
import {
  type DeliveryDeps,
  listDeliveries,
  replayDelivery,
  testWebhook,
  webhookOf,
} from "./webhook-deliveries.ts";

export interface WebhookDeps extends DeliveryDeps, MailChoiceDeps {
  webhooks: WebhookStore;
  keys: ReadKeys;
  localHosts: readonly string[];
  now: () => number;
}

/** The operations of `edges/console/routes/webhooks.ts`. */
export function webhookAnswers(deps: WebhookDeps): AnswersTo<typeof webhookRoutes> {
  return {
    show_mails: async (call) => await showMails(call, deps),
    change_mails: async (call) => await changeMails(call, deps),
    show_unsubscribe: async (call) => await showUnsubscribe(call, deps),
    unsubscribe: async (call) => await unsubscribe(call, deps),
    list_webhooks: async (call) => await listWebhooks(call, deps),
    create_webhook: async (call) => await createWebhook(call, deps),
    change_webhook: async (call) => await changeWebhook(call, deps),
    delete_webhook: async (call) => await deleteWebhook(call, deps),
    rotate_webhook_secret: async (call) => await rotateSecret(call, deps),
    test_webhook: async (call) => await testWebhook(call, deps),
    list_deliveries: async (call) => await listDeliveries(call, deps),
    replay_delivery: async (call) => await replayDelivery(call, deps),
  };
}

/** `GET /api/v1/webhooks`, the oldest first. */
async function listWebhooks(call: ConsoleCall, { webhooks }: WebhookDeps) {
  readQuery(call.request.query, {});
  const { list } = await webhooks.of(callerOf(call).organization.id);
  const data = list.map(webhookObject);
  return jsonReply({ object: "list", data, has_more: false, last_id: data.at(-1)?.id ?? null });
}

/** `POST /api/v1/webhooks {url, kinds}`. The answer has the secret, which is shown once. */
async function createWebhook(call: ConsoleCall, deps: WebhookDeps) {
  const fields: Fields = readFields<keyof ConsoleBody<"create_webhook">>(call.request, ["url", "kinds"]);
  const url = readWebhookUrl(requiredString(fields, "url"), deps.localHosts);
  const kinds = readKinds(fields) ?? null;
  const now = deps.now();
  const id = newId("webhook", now);
  const { secret, sealed } = newSecret(id, await deps.keys());
  const webhook: Webhook = {
    ...{ id, url, kinds, disabled: null, since: now, created_at: now },
    ...{ secrets: [sealed], failing_since: null },
  };
  const added = ({ list }: Webhooks): ListChange => {
    if (list.length >= newsLimits.webhooksMax)
      throw invalidRequest(
        `There are ${newsLimits.webhooksMax} webhooks. Delete one first.`,
        "webhooks_full",
      );
    return { list: [...list, webhook], audited: { kind: "webhook_made", after: factsOf(webhook) } };
  };
  await changeList(call, id, added, deps);
  return jsonReply({ ...webhookObject(webhook), secret }, 201);
}

/** `PATCH /api/v1/webhooks/{id} {url, kinds, enabled}`. The answer is the webhook as it is then. */
async function changeWebhook(call: ConsoleCall, deps: WebhookDeps) {
  const names = ["url", "kinds", "enabled"] as const;
  const fields: Fields = readFields<keyof ConsoleBody<"change_webhook">>(call.request, names);
  const given = fields.url ?? undefined;
  const url =
    given === undefined ? undefined : readWebhookUrl(requiredString(fields, "url"), deps.localHosts);
  const kinds = readKinds(fields);
  const enabled = optionalBoolean(fields, "enabled");
  const change = (before: Webhook): WebhookChange => {
    const after = {
      ...before,
      // A new address has not failed yet.
      ...(url !== undefined && url !== before.url && { url, failing_since: null }),
      ...(kinds !== undefined && { kinds }),
      ...(enabled === false && isEnabled(before) && { disabled: "member" as const }),
      // It begins anew: what it missed meanwhile is not sent.
      ...(enabled === true &&
        !isEnabled(before) && { disabled: null, since: deps.now(), failing_since: null }),
    };
    const kind = isEnabled(before) && !isEnabled(after) ? "webhook_disabled" : "webhook_changed";
    return { after, audited: { kind, before: factsOf(before), after: factsOf(after) } };
  };
  return jsonReply(webhookObject(await changeOne(call, change, deps)));
}

/** `DELETE /api/v1/webhooks/{id}`. What waits for it is dropped. */
async function deleteWebhook(call: ConsoleCall, deps: WebhookDeps) {
  readQuery(call.request.query, {});
  const { id = "" } = call.parameters;
  const without = (before: Webhooks): ListChange => {
    const webhook = webhookOf(before, id);
    const list = before.list.filter((each) => each !== webhook);
    return { list, audited: { kind: "webhook_deleted", before: factsOf(webhook) } };
  };
  await changeList(call, id, without, deps);
  return jsonReply({ id, object: "webhook", deleted: true });
}

/** `POST /api/v1/webhooks/{id}/rotate`. The answer has the new secret; the one before signs for a day more. */
async function rotateSecret(call: ConsoleCall, deps: WebhookDeps) {
  readFields(call.request, []);
  const { id = "" } = call.parameters;
  const { secret, sealed } = newSecret(id, await deps.keys());
  const rotated = (before: Webhook): WebhookChange => {
    const now = deps.now();
    const until = now + newsLimits.secretOverlapMs;
    // Of three secrets at a time the oldest goes at once.
    const last = inForce(before, now)
      .slice(0, 1)
      .map((each) => ({ ...each, until }));
    return { after: { ...before, secrets: [sealed, ...last] }, audited: { kind: "webhook_secret_rotated" } };
  };
  return jsonReply({ ...webhookObject(await changeOne(call, rotated, deps)), secret });
}

type Audited = Omit<AuditedChange, "subject">;
/** What a change makes of all webhooks, or of one, and its line without the subject. */
type ListChange = { list: Webhook[]; audited: Audited };
type WebhookChange = { after: Webhook; audited: Audited };

/** Changes the list of webhooks, with a line about the webhook `subject`. Begins anew where somebody else changed it. */
async function changeList(
  call: ConsoleCall,
  subject: string,
  change: (before: Webhooks) => ListChange,
  deps: WebhookDeps,
): Promise<void> {
  const { id } = callerOf(call).organization;
  for (let attempt = 1; attempt <= consoleLimits.memberAttemptsMax; attempt++) {
    const before = await deps.webhooks.of(id);
    const { list, audited } = change(before);
    const line = entryOf(call, { ...audited, subject }, deps);
    if (await deps.webhooks.change(before, list, line, deps.now())) return;
  }
  throw changedMeanwhile();
}

/** Changes the webhook that the path names, and gives it as it is then. */
async function changeOne(
  call: ConsoleCall,
  change: (before: Webhook) => WebhookChange,
  deps: WebhookDeps,
): Promise<Webhook> {
  const { id = "" } = call.parameters;
  let changed: Webhook | undefined;
  const ofList = (before: Webhooks): ListChange => {
    const webhook = webhookOf(before, id);
    const { after, audited } = change(webhook);
    changed = after;
    return { list: before.list.map((each) => (each === webhook ? after : each)), audited };
  };
  await changeList(call, id, ofList, deps);
  return changed as Webhook;
}

/** The kinds of a body; null where it says all, undefined where it says nothing. Throws `invalid_request`. */
function readKinds({ kinds }: Fields): AuditKind[] | null | undefined {
  if (kinds === undefined || kinds === null) return kinds;
  const known: readonly unknown[] = auditKinds;
  if (!Array.isArray(kinds) || kinds.length === 0 || !kinds.every((kind) => known.includes(kind)))
    throw invalidField("kinds", "a list of kinds of the audit log, or null for all of them");
  return [...new Set(kinds as AuditKind[])];
}

/** What a line says of a webhook. The path may be a secret of its receiver, so only the host is told. */
function factsOf({ url, kinds, disabled }: Webhook) {
  return { host: new URL(url).host, kinds: kinds?.join(" ") ?? "", enabled: disabled === null };
}

/** A webhook as the interface shows it, without its secrets. */
function webhookObject(webhook: Webhook): ConsoleSchema<"Webhook"> {
  const { id, url, kinds, disabled, failing_since, created_at } = webhook;
  return {
    ...{ id, object: "webhook", url, kinds },
    enabled: isEnabled(webhook),
    disabled_by: disabled,
    failing_since: failing_since === null ? null : rfc3339(failing_since),
    created_at: rfc3339(created_at),
  };
}
