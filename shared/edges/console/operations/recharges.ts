/** `POST /api/v1/recharges`: orders points. */

import { type HttpReply, jsonReply } from "../../../base/http/message.ts";
import { optionalString } from "../../../base/json/fields.ts";
import { createOrder } from "../../../people/orders/create.ts";
import { showOrder } from "../../../people/orders/show.ts";
import { methodOf, readAmount } from "../../../people/payments/recharge.ts";
import type { ConsoleCall } from "../call.ts";
import { orderedFrom, type PaymentAnswerDeps, readBody } from "./payment-requests.ts";

/** Answers with 201 and the order. Throws `payment_channel`, `invalid_request`, and what `createOrder` throws. */
export async function createRecharge(call: ConsoleCall, deps: PaymentAnswerDeps): Promise<HttpReply> {
  const body = readBody(call, ["amount", "currency", "channel"]);
  const wanted = { channel: body.channel, currency: optionalString(body, "currency") };
  const method = methodOf(wanted, deps.catalog.recharge(), await deps.platforms.channels());
  const amount = readAmount(body.amount, method);
  const order = await createOrder({ method, amount }, orderedFrom(call, deps), deps);
  return { ...jsonReply(showOrder(order)), status: 201 };
}
