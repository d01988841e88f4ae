/** Webhooks and their deliveries in the console's document (edges/console/routes/webhooks.ts). */

import { auditKinds } from "../../people/identity/audit.ts";
import { newsLimits } from "../../people/news/bounds.ts";
import { attemptFailures, deliveryStates } from "../../people/news/delivery.ts";
import { mailGroups, mailLevels } from "../../people/news/mail-kinds.ts";
import { disabledWhys } from "../../people/news/webhook.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { deleted, id, idParameter, maybe, whole } from "./console-schemas.ts";
import { after, limit } from "./parameters.ts";
import * as s from "./schema.ts";

const hours = newsLimits.secretOverlapMs / 3_600_000;

const url = s.such(s.string, {
  maxLength: newsLimits.urlCharsMax,
  description: `HTTPS, at a public address and one of the ports ${newsLimits.ports.join(", ")}.`,
  examples: ["https://example.com/hooks"],
});
const kinds = s.orNull(
  s.such(s.list(s.oneOf(auditKinds), { minItems: 1, uniqueItems: true }), {
    description: "What it is told, by the kinds of the audit log. Null: everything.",
  }),
);

const webhook = {
  id: id("whk"),
  object: s.just("webhook"),
  ...{ url, kinds },
  enabled: s.boolean,
  disabled_by: s.orNull(
    s.such(s.oneOf(disabledWhys), {
      description:
        "`gone`: its receiver answered 410. `failing`: nothing has arrived for days. Null: it is enabled.",
    }),
  ),
  failing_since: s.orNull(s.such(s.instant, "Null: the last message has arrived, or there was none.")),
  created_at: s.instant,
};

const secret = s.such(s.string, {
  pattern: "^whsec_[A-Za-z0-9+/]+=*$",
  description: "Signs its messages by the Standard Webhooks scheme. It is shown once.",
});

const message = s.such(id("aud"), "The id of the line of the audit log. `webhook-id` has it.");

const level = s.oneOf(mailLevels);
const choice = s.orNull(
  s.such(level, { description: "`own`: what concerns the person. Null: what is usual for the role." }),
);

export const webhookSchemas = {
  MailChoices: s.closed({
    object: s.just("mail_choices"),
    organization_id: id("org"),
    enabled: s.such(s.boolean, "Whether the stage sends mails."),
    email_shown: s.orNull(s.such(s.string, "Where they go. Null: the user has no address.")),
    most_per_day: s.such(s.integer, "The most mails that one person gets in a UTC day."),
    groups: s.list(
      s.closed({
        group: s.oneOf(mailGroups),
        level,
        is_usual: s.such(s.boolean, "Nothing was chosen: the level is that of the role."),
        levels: s.such(s.list(level), "What the role may choose."),
      }),
    ),
  }),
  Webhook: s.closed(webhook),
  CreatedWebhook: s.closed({ ...webhook, secret }),
  Delivery: s.closed({
    id: message,
    object: s.just("delivery"),
    webhook_id: id("whk"),
    kind: s.oneOf(auditKinds),
    state: s.such(s.oneOf(deliveryStates), {
      description:
        "`failed`: no attempt is left. `dropped`: the webhook was disabled before it could be delivered.",
    }),
    attempts: s.integer,
    last_attempt: s.orNull(
      s.closed({
        at: s.instant,
        status: s.orNull(s.such(s.integer, "What the receiver answered. Null: nothing.")),
        failure: s.orNull(
          s.such(s.oneOf(attemptFailures), {
            description:
              "Null: it arrived. `closed_address`: its name leads to an address that is not public. `no_answer`: none in time. `status`: it was not 2xx.",
          }),
        ),
        milliseconds: s.integer,
      }),
    ),
    next_attempt_at: s.orNull(s.instant),
    created_at: s.instant,
  }),
  DeliveryList: s.page(s.ref("Delivery")),
};

const parameter = idParameter("whk", "a webhook");
/** Of a link in a mail. */
const link = { description: "What the link in the mail ends with." };

export const webhookOperations = {
  show_mails: {
    tag: "Account",
    summary: "Which mails the user gets of the organization that they work in",
    reply: s.ref("MailChoices"),
    errors: ["permission_denied", "invalid_request"],
  },
  change_mails: {
    tag: "Account",
    summary: "Choose which mails to get of this organization",
    description: "A group that is not named stays as it is.",
    request: {
      schema: s.such(s.closed({}, { money: choice, plans: choice, keys: choice, people: choice }), {
        minProperties: 1,
      }),
      example: { money: "none" },
    },
    reply: s.ref("MailChoices"),
    errors: ["permission_denied", "invalid_state"],
  },
  show_unsubscribe: {
    tag: "Account",
    summary: "The page of a link in a mail, which asks whether to turn off such mails",
    description: "It changes nothing: scanners follow links.",
    parameter: link,
    content: { "text/html": s.string },
    errors: ["not_found", "invalid_request"],
  },
  unsubscribe: {
    tag: "Account",
    summary: "Turn off the mails that a link is for, without a sign-in",
    description: "By a mailbox, as RFC 8058 says, or by the page of the link. The body says nothing more.",
    parameter: link,
    request: { schema: s.anything, example: {}, optional: true },
    content: { "text/html": s.string },
    errors: ["not_found", "invalid_state", "invalid_request"],
  },
  list_webhooks: {
    tag: "Webhooks",
    summary: "List the webhooks",
    reply: whole(s.ref("Webhook")),
    errors: ["invalid_request"],
  },
  create_webhook: {
    tag: "Webhooks",
    summary: "Make a webhook",
    description: `It is told of what happens from now on. An organization has at most ${newsLimits.webhooksMax}.`,
    request: {
      schema: s.closed({ url }, { kinds }),
      example: { url: "https://example.com/hooks", kinds: ["key_created", "key_revoked"] },
    },
    status: 201,
    reply: s.ref("CreatedWebhook"),
    errors: ["invalid_state"],
  },
  change_webhook: {
    tag: "Webhooks",
    summary: "Change a webhook, disable it, or enable it again",
    description: "One that is enabled again is told of what happens from then on.",
    parameter,
    request: {
      schema: s.closed({}, { url: maybe(url), kinds, enabled: maybe(s.boolean) }),
      example: { enabled: false },
    },
    reply: s.ref("Webhook"),
    errors: ["not_found", "invalid_state"],
  },
  delete_webhook: {
    tag: "Webhooks",
    summary: "Delete a webhook",
    parameter,
    reply: deleted("webhook"),
    errors: ["not_found", "invalid_state", "invalid_request"],
  },
  rotate_webhook_secret: {
    tag: "Webhooks",
    summary: "Give a webhook another secret",
    description: `The one before signs too, for ${hours} hours.`,
    parameter,
    reply: s.ref("CreatedWebhook"),
    errors: ["not_found", "invalid_state", "invalid_request"],
  },
  test_webhook: {
    tag: "Webhooks",
    summary: "Send a message of the kind `webhook_tested`, and say what came of it",
    parameter,
    reply: s.ref("Delivery"),
    errors: ["not_found", "invalid_request"],
  },
  list_deliveries: {
    tag: "Webhooks",
    summary: "The deliveries of a webhook, the newest message first",
    description: `Each is listed for ${newsLimits.deliveryKeptSeconds / 86_400} days.`,
    parameter,
    query: [limit(newsLimits.deliveryPageMax), after],
    reply: s.ref("DeliveryList"),
    errors: ["not_found", "invalid_request"],
  },
  replay_delivery: {
    tag: "Webhooks",
    summary: "Send a message of the last days once more",
    description: "It has the same id, so that its receiver can tell.",
    parameter,
    request: { schema: s.closed({ message }), example: { message: "aud_01KAJ2X5P00000000000000000" } },
    reply: s.ref("Delivery"),
    errors: ["not_found", "invalid_state"],
  },
} satisfies Record<string, ConsoleDescribed>;
