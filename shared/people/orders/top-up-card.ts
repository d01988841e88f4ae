/** The card that automatic orders are charged to (people/payments/auto-top-up.md). */
import { GatewayError, invalidState } from "../../base/errors.ts";
import { type AutoTopUp, cardChannel } from "../payments/auto-top-up.ts";
import type { CardPlatform } from "../payments/platform.ts";
import type { OrderDeps } from "./deps.ts";
import { endOpenOrder, replaceTopUp, type TopUpActor, topUpLine, turnOff } from "./top-up-terms.ts";

/** The end of an order may meet the removal, which then begins again. */
const roundsMax = 5;

/**
 * Makes a page of the platform where a card is saved, and gives its address. A page that was made before is forgotten.
 * Throws `invalid_state` where there is a card, `payment_channel` where the stage keeps none, and `payment_platform`.
 */
export async function openCardPage(by: TopUpActor, return_url: string, deps: OrderDeps): Promise<string> {
  const { organization, user, ip } = by;
  const cards = await cardsOf(deps);
  const before = await deps.topUps.of(organization);
  if (before.card) throw invalidState("There is a card. Remove it first.");
  const wanted = { organization, customer: before.customer, return_url };
  const { customer, reference, url } = await cards.openPage(wanted);
  const page = { reference, by: { id: user.id, name: user.name }, ip };
  if (await replaceTopUp(before, { ...before, customer, page }, [], deps)) return url;
  throw invalidState("Somebody else adds a card at this moment. Try again.", "changed");
}

/**
 * Asks the platform what became of the page that is open, and keeps its card. Gives the settings as they are then. The
 * platform's answer decides: nobody else's word about a page counts.
 */
export async function findCard(organization: string, deps: OrderDeps): Promise<AutoTopUp> {
  const before = await deps.topUps.of(organization);
  const { page, customer, ...others } = before;
  if (!page || customer === undefined) return before;
  const found = await (await cardsOf(deps)).cardOf({ organization, customer, reference: page.reference });
  if (found === "open") return before;
  const after = { ...others, customer, ...(found !== "over" && { card: found }) };
  const by = { organization, user: page.by, ip: page.ip };
  const facts = found === "over" ? undefined : { card: found.last_four, brand: found.brand };
  const lines = facts ? [topUpLine(by, { kind: "auto_top_up_set", after: facts }, deps)] : [];
  return (await replaceTopUp(before, after, lines, deps)) ?? (await deps.topUps.of(organization));
}

/**
 * Turns top-up off and removes the card, first at the platform. Gives the settings as they are then. Throws
 * `payment_platform` where it does not answer: nothing is charged any more, and the same request goes on there.
 */
export async function removeCard(by: TopUpActor, deps: OrderDeps): Promise<AutoTopUp> {
  const off = await turnOff(by, { removing: true }, deps);
  if (!off.card) return await forgetPage(off, deps);
  await endOpenOrder(off, deps);
  await (await cardsOf(deps)).detach(off.card.customer);
  for (let round = 0; round < roundsMax; round++) {
    const before = await deps.topUps.of(by.organization);
    const { card, removing, ...after } = before;
    // Somebody else has done so meanwhile.
    if (!removing || !card) return before;
    const facts = { card: card.last_four, brand: card.brand };
    const line = topUpLine(by, { kind: "auto_top_up_removed", before: facts }, deps);
    const done = await replaceTopUp(before, after, [line], deps);
    if (done) return done;
  }
  throw invalidState("The automatic top-up keeps changing at this moment. Try again.", "changed");
}

/** Forgets a page that somebody may have completed, and its card at the platform. */
async function forgetPage(before: AutoTopUp, deps: OrderDeps): Promise<AutoTopUp> {
  const { page, customer, ...after } = before;
  if (!page || customer === undefined) return before;
  await (await cardsOf(deps)).detach(customer);
  const done = await replaceTopUp(before, { ...after, customer }, [], deps);
  if (done) return done;
  throw invalidState("The automatic top-up keeps changing at this moment. Try again.", "changed");
}

async function cardsOf({ platforms }: Pick<OrderDeps, "platforms">): Promise<CardPlatform> {
  const { cards } = await platforms.platform(cardChannel);
  if (!cards) throw new GatewayError("payment_channel");
  return cards;
}
