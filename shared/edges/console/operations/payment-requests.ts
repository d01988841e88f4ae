/** What the routes of payments read of a request. */

import { GatewayError } from "../../../base/errors.ts";
import { readJsonObject, refuseDuplicates } from "../../../base/json/body.ts";
import type { OrderedFrom } from "../../../people/orders/create.ts";
import type { OrderDeps } from "../../../people/orders/deps.ts";
import type { RefundableDeps } from "../../../people/orders/refundable.ts";
import type { FieldsOf } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { originOf } from "../origin.ts";

export interface PaymentAnswerDeps extends OrderDeps, Omit<RefundableDeps, keyof OrderDeps> {
  ledger: OrderDeps["ledger"] & RefundableDeps["ledger"];
  /** Where platforms call, such as `https://pay.example.com`. Undefined: at the address that the console is asked at. */
  notifyBase: string | undefined;
}

/** Reads a body, and refuses fields that the route does not take. */
export function readBody<Name extends string>(
  { request }: Pick<ConsoleCall, "request">,
  names: readonly Name[],
): FieldsOf<Name> {
  const { members, value } = readJsonObject(request.body);
  refuseDuplicates(members, new Set(Object.keys(value)));
  const unknown = Object.keys(value).find((name) => !(names as readonly string[]).includes(name));
  if (unknown === undefined) return value as FieldsOf<Name>;
  const message = `The field \`${unknown.slice(0, 64)}\` is unknown. This route takes ${names.join(", ")}.`;
  throw new GatewayError("invalid_request", { message, param: unknown.slice(0, 64) });
}

/** From where a call orders. Pages lead back to the address that the console was asked at. */
export function orderedFrom(
  call: ConsoleCall,
  { notifyBase }: Pick<PaymentAnswerDeps, "notifyBase">,
): OrderedFrom {
  const { headers, ip } = call.request;
  const origin = originOf(headers);
  return {
    caller: callerOf(call),
    ...{ ip, origin, notifyBase: notifyBase ?? origin },
    idempotencyKey: headers["idempotency-key"],
  };
}
