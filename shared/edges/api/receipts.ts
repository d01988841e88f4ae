/** `GET /api/v1/requests/{id}`: the receipt of a call. */

import { GatewayError } from "../../base/errors.ts";
import { jsonReply } from "../../base/http/message.ts";
import { isId, timeOf } from "../../base/platform/id.ts";
import type { Principal } from "../../books/accounts/account.ts";
import type { Ledger } from "../../books/ledger/ledger.ts";
import type { Intent } from "../../books/meters/intent.ts";
import type { Meters } from "../../books/meters/meter.ts";
import {
  pendingReceipt,
  refusedReceipt,
  repeatedReceipt,
  settledReceipt,
} from "../../books/reports/receipt.ts";
import type { Replays } from "../../calls/access/replays.ts";
import type { GatewaySchema } from "../openapi/route-types.ts";
import { findRefused, type RefusedDeps } from "./refused.ts";

export interface ReceiptDeps extends RefusedDeps {
  ledger: Pick<Ledger, "entriesOf">;
  meters: Pick<Meters, "intent">;
  replays: Pick<Replays, "holder">;
}

/**
 * The receipt of a request or task. Throws `not_found` for an id that is malformed, unknown or not the key's.
 */
export async function retrieveReceipt(id: string, caller: Principal, deps: ReceiptDeps) {
  const { project: own } = caller.key;
  return await showReceipt(id, caller.organization.id, ({ project }) => own === "" || own === project, deps);
}

type IsSeen = (call: Pick<Intent, "project" | "key">) => boolean;

/** The same for any caller of an organization. `isSeen` says which of its calls the caller may see. */
export async function showReceipt(id: string, organization: string, isSeen: IsSeen, deps: ReceiptDeps) {
  const receipt = isId(id, "request", "task") ? await receiptOf(id, organization, isSeen, deps) : undefined;
  if (!receipt) throw new GatewayError("not_found");
  return jsonReply(receipt);
}

type Receipt = GatewaySchema<"Receipt">;

async function receiptOf(
  id: string,
  organization: string,
  isSeen: IsSeen,
  deps: ReceiptDeps,
): Promise<Receipt | undefined> {
  // Stored keys have no prefix, so an id with another prefix finds the same items. It must not show them.
  const visible = (call: Pick<Intent, "request" | "project" | "key">) => call.request === id && isSeen(call);

  const entries = await deps.ledger.entriesOf(organization, id);
  const event = entries[0]?.event;
  if (event) return visible({ ...event, request: event.id }) ? settledReceipt(entries) : undefined;
  const [intent, refused] = await Promise.all([deps.meters.intent(id), findRefused(organization, id, deps)]);
  // Its intent may be there too: that is written beside the hold that was refused.
  if (refused) return visible({ ...refused, request: refused.id }) ? refusedReceipt(refused) : undefined;
  if (intent?.organization !== organization || !visible(intent)) return undefined;
  const first = intent.scope && (await deps.replays.holder(intent.scope));
  return first && first !== id
    ? repeatedReceipt(intent, timeOf(id), first)
    : pendingReceipt(intent, timeOf(id));
}
