/** The form of automatic top-up: what is wrong with it, and what is sent. And the names of its card. */
import type { ConsoleBody } from "../shared/edges/openapi/route-types.ts";
import { amountWithin } from "./amount.ts";
import type { PaymentMethod, TopUpSettings } from "./api-types.ts";
import { isPoints } from "./points-text.ts";

export interface TopUpForm {
  below: string;
  amount: string;
  most: string;
}

/** The currencies in which a saved card is charged: those that Stripe takes here. None: there is no automatic top-up. */
export function methodsOfCards(methods: readonly PaymentMethod[]): PaymentMethod[] {
  return methods.filter(({ channels }) => channels.includes("stripe"));
}

/** The form as it is set. */
export function topUpForm({ below_points, amount, month_max }: TopUpSettings): TopUpForm {
  return { below: below_points ?? "", amount: amount ?? "", most: month_max ?? "" };
}

/** More than what people type: `amountWithin` reads nine digits. */
const longest = "999999999";

/** The least that a month can be given: one purchase. */
export const leastOfMonth = ({ amount }: TopUpForm, method: PaymentMethod) =>
  amountWithin(amount, method) ?? method.min;

/** What each field is sent as. Undefined: it cannot be sent as it is. */
function sentOf(form: TopUpForm, method: PaymentMethod): Record<keyof TopUpForm, string | undefined> {
  const below = form.below.trim();
  return {
    below: isPoints(below) ? below : undefined,
    amount: amountWithin(form.amount, method),
    most: amountWithin(form.most, { min: leastOfMonth(form, method), max: longest }),
  };
}

/** The fields that cannot be sent as they are. */
export function wrongTopUp(form: TopUpForm, method: PaymentMethod): Set<keyof TopUpForm> {
  const sent = sentOf(form, method);
  return new Set((["below", "amount", "most"] as const).filter((name) => sent[name] === undefined));
}

/** The body that turns it on by a form. Undefined where a field is wrong. */
export function topUpBody(form: TopUpForm, method: PaymentMethod) {
  const { below: below_points, amount, most: month_max } = sentOf(form, method);
  if (!below_points || !amount || !month_max) return undefined;
  const body = { on: true, below_points, currency: method.currency, amount, month_max };
  return body satisfies ConsoleBody<"set_auto_top_up">;
}

/** The order that may still be charged though it was turned off. */
export function lateOrder({ state, order }: TopUpSettings): string | undefined {
  return state === "off" && order !== null ? order : undefined;
}

/** How brands write themselves, where that is not Stripe's word with a capital. */
const brands: Readonly<Record<string, string>> = {
  amex: "American Express",
  cartes_bancaires: "Cartes Bancaires",
  diners: "Diners Club",
  eftpos_au: "eftpos",
  jcb: "JCB",
  unionpay: "UnionPay",
};

/** The name of a card's brand as people know it. Undefined: Stripe does not know it. */
export function brandName(brand: string): string | undefined {
  if (brand === "unknown") return undefined;
  return brands[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1);
}
