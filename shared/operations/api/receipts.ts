/** `GET /api/v1/requests/{id}`: the receipt of a call. */

import type { Replays } from "../../access/replays.ts";
import type { Principal } from "../../accounts/account.ts";
import { GatewayError } from "../../errors.ts";
import { type HttpReply, jsonReply } from "../../http/message.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Intent } from "../../meters/hold.ts";
import type { Meters } from "../../meters/meter.ts";
import { isId, timeOf } from "../../platform/id.ts";
import { pendingReceipt, repeatedReceipt, settledReceipt } from "../../reports/receipt.ts";

export interface ReceiptDeps {
  ledger: Pick<Ledger, "entriesOf">;
  meters: Pick<Meters, "intent">;
  replays: Pick<Replays, "holder">;
}

/**
 * The receipt of a request or a task. A settled one comes from its entries, and a pending one from its intent. A
 * request that repeated another says which. Throws `not_found` for an id that is malformed, unknown, or not of the
 * key's organization and project, without telling these apart.
 */
export async function retrieveReceipt(id: string, caller: Principal, deps: ReceiptDeps): Promise<HttpReply> {
  const { project: own } = caller.key;
  return await showReceipt(id, caller.organization.id, ({ project }) => own === "" || own === project, deps);
}

/** The same for any caller of an organization. `isSeen` says which of its calls the caller may see. */
export async function showReceipt(
  id: string,
  organization: string,
  isSeen: (call: Pick<Intent, "project" | "key">) => boolean,
  deps: ReceiptDeps,
): Promise<HttpReply> {
  const receipt = isId(id, "request", "task") ? await receiptOf(id, organization, isSeen, deps) : undefined;
  if (!receipt) throw new GatewayError("not_found");
  return jsonReply(receipt);
}

async function receiptOf(
  id: string,
  organization: string,
  isSeen: (call: Pick<Intent, "project" | "key">) => boolean,
  deps: ReceiptDeps,
): Promise<object | undefined> {
  // Stored keys have no prefix, so an id with another prefix finds the same items. It must not show them.
  const visible = (call: Pick<Intent, "request" | "project" | "key">) => call.request === id && isSeen(call);

  const entries = await deps.ledger.entriesOf(organization, id);
  const event = entries[0]?.event;
  if (event) return visible({ ...event, request: event.id }) ? settledReceipt(entries) : undefined;
  const intent = await deps.meters.intent(id);
  if (intent?.organization !== organization || !visible(intent)) return undefined;
  const first = intent.scope && (await deps.replays.holder(intent.scope));
  return first && first !== id
    ? repeatedReceipt(intent, timeOf(id), first)
    : pendingReceipt(intent, timeOf(id));
}
