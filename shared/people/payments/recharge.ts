/** What can be paid in which currency, and what an amount of it is worth. */

import { GatewayError } from "../../base/errors.ts";
import { invalidField } from "../../base/json/fields.ts";
import { formatMoney, moneyFor, parseMoney, pointsCurrency, pointsFor } from "../../books/billing/money.ts";
import { parsePoints } from "../../books/billing/points.ts";
import {
  type PaymentChannel,
  type Plan,
  paymentChannels,
  type Recharge,
  type RechargeTerms,
} from "../../books/catalog/catalog.ts";
import type { OrderChannel } from "./order.ts";

/** How an order is paid: a channel, and a currency that the catalog sells points in there; or points of the wallet. */
export interface PaymentMethod {
  channel: OrderChannel;
  currency: string;
  terms: Pick<RechargeTerms, "points_per_unit">;
}

/** A channel where points are bought, with the bounds of one purchase. */
interface RechargeMethod extends PaymentMethod {
  channel: PaymentChannel;
  terms: RechargeTerms;
}

/** Points of the wallet. They pay for plans. */
export const walletMethod: PaymentMethod = {
  channel: "points",
  currency: pointsCurrency,
  terms: { points_per_unit: "1" },
};

/** The method that a request names, by default in the channel's first currency. Throws `payment_channel`. */
export function methodOf(
  wanted: { channel: unknown; currency: string | undefined },
  recharge: Recharge,
  available: readonly PaymentChannel[],
): RechargeMethod {
  const channel = paymentChannels.find((name) => name === wanted.channel);
  if (!channel || !available.includes(channel))
    throw new GatewayError("payment_channel", { param: "channel" });
  const fitting = Object.entries(recharge).filter(([, terms]) => terms.channels.includes(channel));
  const found = fitting.find(([code]) => wanted.currency === undefined || code === wanted.currency);
  if (!found) {
    const codes = fitting.map(([code]) => code).join(", ") || "nothing";
    const message = `The payment channel ${channel} takes ${codes}.`;
    throw new GatewayError("payment_channel", { message, param: "currency" });
  }
  return { channel, currency: found[0], terms: found[1] };
}

/** Reads the amount of a recharge as minor units. Throws `invalid_request` on a bad form and outside of the bounds. */
export function readAmount(given: unknown, { currency, terms }: RechargeMethod): number {
  const { min, max } = terms;
  const must = `an amount of ${currency} from ${min} to ${max}, as a string such as "${min}"`;
  return readMoney(given, currency, ["amount", must], (amount) => isInBounds(amount, currency, terms));
}

/** Reads a field that has money, as minor units. Throws `invalid_request` on a bad form, and unless `isRight`. */
export function readMoney(
  given: unknown,
  currency: string,
  [field, must]: [field: string, must: string],
  isRight: (amount: number) => boolean,
): number {
  let amount: number;
  try {
    amount = parseMoney(typeof given === "string" ? given : "", currency);
  } catch {
    throw invalidField(field, must);
  }
  if (!isRight(amount)) throw invalidField(field, must);
  return amount;
}

/** Whether a currency is sold in such an amount, in minor units. */
export function isInBounds(
  amount: number,
  currency: string,
  { min, max }: Pick<RechargeMethod["terms"], "min" | "max">,
): boolean {
  return amount >= parseMoney(min, currency) && amount <= parseMoney(max, currency);
}

/** What an amount of a method is worth, 10⁻¹⁸ points. */
export function worthOf(amount: number, { currency, terms }: PaymentMethod): bigint {
  return pointsFor(amount, currency, terms.points_per_unit);
}

/** What points cost by a method, in minor units. What is below a minor unit is not asked for. */
export function priceIn(points: bigint, { currency, terms }: PaymentMethod): number {
  return moneyFor(points, currency, terms.points_per_unit);
}

/** The currencies of which a stage has a channel, each with the points of a unit of it. */
export function ratesOf(recharge: Recharge, available: readonly PaymentChannel[]): Map<string, string> {
  const sold = Object.entries(recharge).filter(([, terms]) =>
    terms.channels.some((channel) => available.includes(channel)),
  );
  return new Map(sold.map(([currency, { points_per_unit }]) => [currency, points_per_unit]));
}

/** What each period of a plan costs in each currency, in decimal strings. An order of the whole period asks the same. */
export function pricesOf({ price }: Pick<Plan, "price">, rates: ReadonlyMap<string, string>) {
  const inMoney = (points: string, currency: string, rate: string) =>
    formatMoney(moneyFor(parsePoints(points), currency, rate), currency);
  return Object.fromEntries(
    [...rates].map(([currency, rate]) => [
      currency,
      Object.fromEntries(
        Object.entries(price).map(([period, points]) => [period, inMoney(points, currency, rate)]),
      ) as Plan["price"],
    ]),
  );
}

/** The currencies that can be paid now, each with the channels that this stage has. */
export function methodsOf(recharge: Recharge, available: readonly PaymentChannel[]) {
  return Object.entries(recharge).flatMap(([currency, { points_per_unit, min, max, channels: sold }]) => {
    const own = sold.filter((channel) => available.includes(channel));
    const text = (amount: string) => formatMoney(parseMoney(amount, currency), currency);
    return own.length === 0
      ? []
      : [{ currency, channels: own, points_per_unit, min: text(min), max: text(max) }];
  });
}
