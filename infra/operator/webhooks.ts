/** The operator's command on the webhooks of an organization. */

import { createWebhooks } from "#shared/edges/store/news/webhooks.ts";
import { auditEntry } from "#shared/people/identity/audit.ts";
import { isEnabled, type WebhookStore, type Webhooks } from "#shared/people/news/webhook.ts";
import { byOperator } from "#shared/people/orders/deps.ts";
import { command, onOff } from "./command.ts";
import { id, sample } from "./organization-change.ts";
import { organizationOf, storesOf } from "./stores.ts";

/** Disables each enabled webhook, with a line for each. Gives them as they are then. */
async function disableAll(before: Webhooks, store: WebhookStore, now: number): Promise<Webhooks> {
  let all = before;
  for (const { id: subject } of before.list.filter(isEnabled)) {
    const by = { user: byOperator, organization: { id: all.organization } };
    const change = { kind: "webhook_disabled", subject, after: { disabled_by: "operator" } } as const;
    const list = all.list.map((each) =>
      each.id === subject ? { ...each, disabled: change.after.disabled_by } : each,
    );
    if (!(await store.change(all, list, auditEntry(by, change, byOperator.ip, now), now)))
      throw new Error("somebody else changed the webhooks at the same time: repeat the command");
    all = await store.of(all.organization);
  }
  return all;
}

/** `org webhooks`. */
export const webhooks = command({
  words: "org webhooks",
  what: "lists the webhooks of an organization, or disables all of them",
  more: "Members see that the operator did so, and can enable them again. What waits is dropped.",
  operands: [id],
  flags: { disable: onOff("disables all of them first") },
  examples: { [`${sample} --disable`]: "a receiver must not be called any more" },
  async run(call) {
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.operand);
    const { aws, tables } = stores.connection;
    const store = createWebhooks(aws, tables);
    const before = await store.of(organization.id);
    const { list } = call.flags.disable ? await disableAll(before, store, stores.now()) : before;
    const value = list.map(({ id: webhook, url, kinds, disabled, failing_since }) => ({
      ...{ webhook, host: new URL(url).host, kinds: kinds?.join(" ") ?? "all", disabled_by: disabled ?? "-" },
      failing_since: failing_since === null ? "-" : new Date(failing_since).toISOString(),
    }));
    return { value };
  },
});
