/** Automatic top-up as the console's routes and the operator's command show it. Shows no id of the platform. */
import { rfc3339 } from "../../books/billing/instant.ts";
import { formatMoney } from "../../books/billing/money.ts";
import { type AutoTopUp, topUpMonth, topUpState } from "../payments/auto-top-up.ts";
import type { OrderDeps } from "./deps.ts";

/** The settings, what was bought in the running month, and why it pauses if it does. */
export async function showTopUp(topUp: AutoTopUp, { topUps, now }: Pick<OrderDeps, "topUps" | "now">) {
  const { organization, terms, card, order, paused, not_before, removing } = topUp;
  const month = topUpMonth({ created_at: now() });
  const used = terms ? await topUps.used(organization, month, terms.currency) : 0;
  const money = (amount: number) => (terms ? formatMoney(amount, terms.currency) : null);
  return {
    object: "auto_top_up" as const,
    state: topUpState(topUp),
    ...{ below_points: terms?.below ?? null, currency: terms?.currency ?? null },
    ...{ amount: terms ? money(terms.amount) : null, month_max: terms ? money(terms.month_max) : null },
    ...{ month, month_used: money(used) },
    card: card
      ? { brand: card.brand, last_four: card.last_four, expires: card.expires, removing: removing ?? false }
      : null,
    order: order ?? null,
    paused: paused ? { reason: paused.reason, order: paused.order, at: rfc3339(paused.at) } : null,
    // Between failures, while it goes on.
    not_before: not_before === undefined ? null : rfc3339(not_before),
  };
}
