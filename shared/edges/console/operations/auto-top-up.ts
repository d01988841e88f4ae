/** What an organization buys by itself when its wallet is low (people/payments/auto-top-up.md). */
import { GatewayError } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { type Fields, invalidField, optionalString } from "../../../base/json/fields.ts";
import type { OrderDeps } from "../../../people/orders/deps.ts";
import { showTopUp } from "../../../people/orders/show-top-up.ts";
import { isOutOfReach } from "../../../people/orders/tend.ts";
import { findCard, openCardPage, removeCard } from "../../../people/orders/top-up-card.ts";
import { endOpenOrder, type TopUpActor, turnOff, turnOn } from "../../../people/orders/top-up-terms.ts";
import { cardChannel, type TopUpTerms } from "../../../people/payments/auto-top-up.ts";
import { methodOf, readAmount, readMoney } from "../../../people/payments/recharge.ts";
import { readBudgetPoints } from "../../api/key-limits.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { originOf } from "../origin.ts";
import { requireRecent } from "./own-session.ts";
import { readBody } from "./payment-requests.ts";

/** `GET /api/v1/auto-top-up`. Asks the platform about a card's page. If it does not answer, shows what is known. */
export async function showAutoTopUp(call: ConsoleCall, deps: OrderDeps) {
  const { id } = callerOf(call).organization;
  const topUp = await findCard(id, deps).catch(async (error: unknown) => {
    if (isOutOfReach(error)) return await deps.topUps.of(id);
    throw error;
  });
  return jsonReply(await showTopUp(topUp, deps));
}

/**
 * `PUT /api/v1/auto-top-up`: turns it on by these terms, which takes a young session; or off, which takes none of the other
 * fields. An `order` in the answer is one that is not over yet.
 */
export async function setAutoTopUp(call: ConsoleCall, deps: OrderDeps) {
  const names = ["on", "below_points", "currency", "amount", "month_max"] as const;
  const { on, ...fields } = readBody<keyof ConsoleBody<"set_auto_top_up">>(call, names);
  if (typeof on !== "boolean") throw invalidField("on", "true or false");
  const by = actorOf(call);
  if (!on) {
    const off = await endOpenOrder(await turnOff(by, {}, deps), deps);
    return jsonReply(await showTopUp(off, deps));
  }
  requireRecent(call, deps);
  if (callerOf(call).organization.status === "frozen") throw new GatewayError("account_frozen");
  const terms = await readTerms(fields, by.user.id, deps);
  return jsonReply(await showTopUp(await turnOn(by, terms, deps), deps));
}

/** `POST /api/v1/auto-top-up/card`: a page of the platform where a card is saved. It takes a young session. */
export async function addCard(call: ConsoleCall, deps: OrderDeps) {
  requireRecent(call, deps);
  const return_url = `${originOf(call.request.headers)}/recharge`;
  const url = await openCardPage(actorOf(call), return_url, deps);
  return jsonReply({ object: "card_page" as const, url }, 201);
}

/** `DELETE /api/v1/auto-top-up/card`: turns it off, and removes the card at the platform too. */
export async function takeCard(call: ConsoleCall, deps: OrderDeps) {
  return jsonReply(await showTopUp(await removeCard(actorOf(call), deps), deps));
}

function actorOf(call: ConsoleCall): TopUpActor {
  const { user, organization, session } = callerOf(call);
  return {
    organization: organization.id,
    user: { id: user.id, name: user.name },
    session: { id: session.id },
    ip: call.request.ip,
  };
}

/** Reads the terms. Throws `invalid_request`, which names the field, and `payment_channel` for another currency. */
async function readTerms(fields: Fields, set_by: string, deps: OrderDeps): Promise<TopUpTerms> {
  const below = readBudgetPoints(fields.below_points, "below_points");
  const wanted = { channel: cardChannel, currency: optionalString(fields, "currency") };
  const method = methodOf(wanted, deps.catalog.recharge(), await deps.platforms.channels());
  const { currency } = method;
  const amount = readAmount(fields.amount, method);
  const must = `an amount of ${currency} that is \`amount\` at least, as a string`;
  const isRight = (most: number) => Number.isSafeInteger(most) && most >= amount;
  const month_max = readMoney(fields.month_max, currency, ["month_max", must], isRight);
  return { below, currency, amount, month_max, set_by };
}
