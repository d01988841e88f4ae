/** Parts of schemas that several groups of the console's operations share. */

import { consoleLimits } from "../../base/console-limits.ts";
import type { PlanPeriod } from "../../books/accounts/account.ts";
import { pointsCurrency } from "../../books/billing/money.ts";
import { periodMonths } from "../../books/ledger/plan-fee.ts";
import { contactKinds } from "../../people/identity/contact.ts";
import { roles } from "../../people/identity/user.ts";
import { orderChannels } from "../../people/payments/order.ts";
import * as s from "./schema.ts";

export const text = (description: string, example: string): s.Schema<string> => ({
  type: "string",
  minLength: 1,
  description,
  examples: [example],
});

/** A member of a body that may be left out, or be null. */
export const maybe = s.orNull;

export const role = s.oneOf(roles);
export const planPeriod = s.oneOf(Object.keys(periodMonths) as PlanPeriod[]);

export const phone = s.such(
  text("E.164. Spaces, hyphens, dots and parentheses are dropped.", "+8613912345678"),
  {
    maxLength: 64,
  },
);
export const email = s.such(
  text(
    "It is compared in lower case. Its domain may be international, and must not be an address of IP.",
    "ann@example.com",
  ),
  { maxLength: 254 },
);
/** Of several members that name a contact, a request has one. */
export const oneContact = { oneOf: contactKinds.map((kind) => ({ required: [kind] })) };
/** Whom an invitation is for, in its request. */
export const invited = {
  phone: maybe(s.such(phone, "Only the owner of this phone may accept.")),
  email: maybe(s.such(email, "Only the owner of this address may accept. A request has one of the two.")),
};
/** What is shown of a person's contacts. */
export const contactsShown = {
  phone_last_four: s.orNull(
    s.such(s.string, "The last four digits of a phone number. The others are never shown."),
  ),
  email_shown: s.orNull(
    s.such(s.string, {
      description: "An e-mail address without most of its first part.",
      examples: ["a…@example.com"],
    }),
  ),
};

/** The name of a person or of an organization. */
export const givenName = s.such(s.string, {
  minLength: 1,
  maxLength: consoleLimits.nameCharsMax,
  description: "Without control characters. Space around it is dropped.",
});

/** An amount of money: a decimal string in the units of its currency. */
export const money: s.Schema<string> = {
  type: "string",
  pattern: "^\\d+(\\.\\d+)?$",
  examples: ["100.00"],
};
export const currency = s.such(s.string, {
  pattern: "^[A-Z]{3}$",
  description: "ISO 4217.",
  examples: ["CNY"],
});

/** How an order is paid, and in what. */
export const orderChannel = s.such(s.oneOf(orderChannels), "`points`: points of the wallet pay for a plan.");
export const orderCurrency = s.such(s.string, {
  pattern: `^([A-Z]{3}|${pointsCurrency})$`,
  description: "ISO 4217, or `points` where points of the wallet pay.",
  examples: ["CNY"],
});

/** An id of ours as it stands in an answer. */
export const id = (prefix: string): s.Schema<string> => ({
  type: "string",
  pattern: `^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`,
});

export const idParameter = (prefix: string, what: string) => ({
  description: `The id of ${what}, \`${prefix}_…\`.`,
});

/** What is used of a limit. */
export const use = s.closed({
  used: s.integer,
  limit: s.orNull(s.such(s.integer, "Null: there is no limit.")),
  resets_at: s.orNull(s.such(s.instant, "When nothing of it is used any more.")),
  free_at: s.orNull(s.such(s.instant, "When one more fits; null: it fits now.")),
});

/** The plan of an organization, and until when it is paid for. */
export const plan = {
  plan: s.string,
  period: planPeriod,
  ends_at: s.orNull(s.such(s.instant, "The end of the time that is paid for. Null: it renews by itself.")),
  next: s.orNull(
    s.such(s.closed({ plan: s.string, period: planPeriod, from: s.instant }), {
      description: "The plan that takes over, up to `ends_at`. Null: no change is due.",
    }),
  ),
};

export const deleted = <const Name extends string>(name: Name) =>
  s.closed({ id: s.string, object: s.just(name), deleted: s.just(true) });

/** A list that is always whole. */
export function whole<T>(items: s.Schema<T>) {
  return s.closed({
    object: s.just("list"),
    data: s.list(items),
    has_more: s.just(false),
    last_id: s.orNull(s.string),
  });
}

/** A list without pages. */
export function plainList<T>(items: s.Schema<T>) {
  return s.closed({ object: s.just("list"), data: s.list(items) });
}
