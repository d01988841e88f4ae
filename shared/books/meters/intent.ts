/** The intent of a call: what is written of it beside its hold, so that it is billed if its process dies. */

import type { KeyRecord } from "../accounts/account.ts";
import { formatPoints } from "../billing/points.ts";
import { bookedAs, bookedBy, type CallIdentity, type Hold, periodOf } from "./hold.ts";

/** What the sweep needs to bill a call whose process died. It is written next to the hold, before dispatch. */
export interface Intent extends Omit<CallIdentity, "id"> {
  request: string;
  /** The estimated input tokens. A call that died is charged for them. */
  input_tokens: number;
  /** What the admission held, a decimal string, for the receipt. The meter knows what is held now. */
  hold_points: string;
  /** Subscriptions: the quota month that the call counts in; else "". */
  period: string;
  /** The hash of the call's idempotency key. The call was sent only if it holds that key. */
  scope?: string;
  /** Where a fallback is asked: the full id of the model that the client asked for. */
  requested_model?: string;
}

/** The intent of a hold. What the hold does not say comes from the key and the call. */
export function intentFor(
  hold: Hold,
  { organization, project }: Pick<KeyRecord, "organization" | "project">,
  call: Pick<
    Intent,
    "kind" | "model" | "price" | "own_fee" | "input_tokens" | "user" | "tags" | "scope" | "requested_model"
  >,
): Intent {
  return {
    ...call,
    request: hold.request,
    organization,
    project,
    key: hold.key,
    mode: hold.mode,
    meter: hold.meter,
    shard: hold.shard,
    hold_points: formatPoints(hold.points),
    period: periodOf(hold),
    ...bookedBy(hold),
  };
}

/** The identity of the call that an intent describes. */
export function callOf(intent: Intent): CallIdentity {
  const { request: id, kind, organization, project, key, model, mode, meter, shard, price } = intent;
  const { user, tags, own_fee } = intent;
  const call = { id, kind, organization, project, key, model, mode, meter, shard, price, user };
  return {
    ...call,
    ...(own_fee && { own_fee }),
    ...(tags !== undefined && { tags }),
    ...bookedAs(intent),
  };
}
