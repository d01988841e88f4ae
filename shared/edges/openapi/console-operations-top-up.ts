/** Automatic top-up in the console's document (edges/console/routes/payments.ts). */

import { consoleLimits } from "../../base/console-limits.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { currency, id, maybe, money } from "./console-schemas.ts";
import * as s from "./schema.ts";

export const topUpSchemas = {
  AutoTopUp: s.closed({
    object: s.just("auto_top_up"),
    state: s.such(
      s.oneOf(["off", "on", "paused"]),
      "`paused`: a charge failed, and nothing is bought until somebody turns it on again.",
    ),
    below_points: s.orNull(s.such(s.points, "It buys when the wallet has fewer.")),
    currency: s.orNull(currency),
    amount: s.orNull(s.such(money, "What it buys each time.")),
    month_max: s.orNull(s.such(money, "The most in one calendar month of UTC.")),
    month: s.such(s.string, "The running month, such as `2026-11`."),
    month_used: s.orNull(s.such(money, "What was ordered in it and has not closed.")),
    card: s.orNull(
      s.closed({
        ...{ brand: s.string, last_four: s.string },
        expires: s.such(s.string, "Its last month, such as `2027-08`."),
        removing: s.such(s.boolean, "Its removal has begun. Ask for it again."),
      }),
    ),
    order: s.orNull(s.such(id("ord"), "The order that is neither booked nor closed.")),
    paused: s.orNull(
      s.closed({
        reason: s.such(s.string, "The platform's code, such as `authentication_required`; or `unpaid`."),
        ...{ order: id("ord"), at: s.instant },
      }),
    ),
    not_before: s.orNull(s.such(s.instant, "After a failure, when the next charge may be tried.")),
  }),
  CardPage: s.closed({ object: s.just("card_page"), url: s.such(s.string, "Open it in the browser.") }),
};

export const topUpOperations = {
  show_auto_top_up: {
    tag: "Payments",
    summary: "What is bought by itself when the wallet is low",
    description: "A page where a card is being saved is asked about at the platform.",
    reply: s.ref("AutoTopUp"),
    errors: [],
  },
  set_auto_top_up: {
    tag: "Payments",
    summary: "Turn automatic top-up on, or off",
    description: `To turn it on takes a card, all fields, and a session that began in the last ${consoleLimits.freshSessionSeconds / 60} minutes. It forgets why it paused. After \`on: false\`, an \`order\` in the answer is one that may still be charged; null: nothing is charged any more.`,
    request: {
      schema: s.closed(
        { on: s.boolean },
        {
          below_points: maybe(s.such(s.points, "Buy when the wallet has fewer.")),
          currency: maybe(s.such(currency, "By default the first one of the channel.")),
          amount: maybe(s.such(money, "What to buy each time, within the bounds of the payment method.")),
          month_max: maybe(s.such(money, "The most in one calendar month of UTC.")),
        },
      ),
      example: { on: true, below_points: "50", currency: "USD", amount: "100.00", month_max: "500.00" },
    },
    reply: s.ref("AutoTopUp"),
    errors: ["payment_channel", "account_frozen", "invalid_state", "payment_platform"],
  },
  open_card_page: {
    tag: "Payments",
    summary: "Get a page of the platform where a card is saved",
    description: `Nothing is charged there. It takes a session that began in the last ${consoleLimits.freshSessionSeconds / 60} minutes.`,
    status: 201,
    reply: s.ref("CardPage"),
    errors: ["payment_channel", "invalid_state", "payment_platform"],
  },
  remove_card: {
    tag: "Payments",
    summary: "Turn automatic top-up off and remove its card, at the platform too",
    reply: s.ref("AutoTopUp"),
    errors: ["payment_channel", "invalid_state", "payment_platform"],
  },
} satisfies Readonly<Record<string, ConsoleDescribed>>;
