/** `POST /api/v1/recharges`: orders points. */
import type { ConsoleCall } from "../../console/call.ts";
import { type HttpReply, jsonReply } from "../../http/message.ts";
import { optionalString } from "../../json/fields.ts";
import { methodOf, readAmount } from "../../payments/recharge.ts";
import { createOrder } from "../orders/create.ts";
import { showOrder } from "../orders/show.ts";
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
