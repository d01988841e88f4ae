/** `POST /api/v1/recharges`: orders points. */

import { jsonReply } from "../../../base/http/message.ts";
import { optionalString } from "../../../base/json/fields.ts";
import { createOrder } from "../../../people/orders/create.ts";
import { showOrder } from "../../../people/orders/show.ts";
import { methodOf, readAmount } from "../../../people/payments/recharge.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import type { ConsoleCall } from "../call.ts";
import { orderedFrom, type PaymentAnswerDeps, readBody } from "./payment-requests.ts";

/** Answers with 201 and the order. Throws `payment_channel`, `invalid_request`, and what `createOrder` throws. */
export async function createRecharge(call: ConsoleCall, deps: PaymentAnswerDeps) {
  const body = readBody<keyof ConsoleBody<"create_recharge">>(call, ["amount", "currency", "channel"]);
  const wanted = { channel: body.channel, currency: optionalString(body, "currency") };
  const method = methodOf(wanted, deps.catalog.recharge(), await deps.platforms.channels());
  const amount = readAmount(body.amount, method);
  const order = await createOrder({ method, amount }, orderedFrom(call, deps), deps);
  return jsonReply(showOrder(order), 201);
}
