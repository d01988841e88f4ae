/** Webhooks for tests, and a receiver in memory: what it was sent, and what it answers. */
import type { Aws } from "#shared/base/platform/aws.ts";
import { type OutgoingRequest, type Send, TransportError } from "#shared/base/platform/http-call.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createWebhooks } from "#shared/edges/store/news/webhooks.ts";

/** Puts a webhook without a secret, as if a member had made it. Gives the organization. */
export async function putWebhook(
  { aws, tables }: { aws: Aws; tables: Pick<TableNames, "accounts"> },
  organization: string,
): Promise<string> {
  const store = createWebhooks(aws, tables);
  const [id, now] = [newId("webhook", Date.now()), Date.now()];
  const made = { id, url: "https://hooks.example.com/in", kinds: null, disabled: null, since: now };
  const list = [{ ...made, created_at: now, secrets: [], failing_since: null }];
  if (!(await store.change(await store.of(organization), list, undefined, now))) throw new Error("not put");
  return organization;
}

/** Answers by the status of `status`; none where it is 0. */
export function newsReceiver() {
  const received: { url: string; id: string; type: string; headers: Record<string, string>; body: string }[] =
    [];
  const answer = { status: 200 };
  const send: Send = async ({ url, headers, body }: OutgoingRequest) => {
    const text = String(body);
    const { type } = JSON.parse(text) as { type: string };
    received.push({ url, id: headers["webhook-id"] ?? "", type, headers, body: text });
    if (answer.status === 0) throw new TransportError("sent", new Error("no answer"));
    const nothing = { take: () => undefined, next: async () => undefined, destroy() {} };
    return {
      status: answer.status,
      headers: {},
      body: nothing as unknown as Awaited<ReturnType<Send>>["body"],
    };
  };
  return { received, answer, send, types: () => received.map(({ type }) => type) };
}
