/** Compares what a platform says of an order with the order, field by field (people/payments/README.md "Evidence"). */
import type { EvidenceField, Order } from "./order.ts";
import type { Evidence } from "./platform.ts";

/** The fields that differ from the order; none where it is paid. Our `accounts` must be named, and no others. */
export function differences(
  { channel, order, accounts, state, amount, currency, transaction }: Evidence,
  wanted: Pick<Order, "id" | "channel" | "amount" | "currency">,
  ours: Readonly<Record<string, string>>,
): EvidenceField[] {
  const differs: Record<Exclude<EvidenceField, "refund">, boolean> = {
    channel: channel !== wanted.channel,
    account: !isSame(accounts, ours),
    order: order !== wanted.id,
    currency: currency !== wanted.currency,
    amount: amount !== wanted.amount,
    transaction: transaction === undefined || transaction === "",
    // Somebody paid it back at the platform before we knew of the payment.
    state: state !== "paid",
  };
  return Object.entries(differs).flatMap(([field, isOther]) => (isOther ? [field as EvidenceField] : []));
}

function isSame(told: Readonly<Record<string, string>>, ours: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(ours);
  if (names.length === 0 || Object.keys(told).length !== names.length) return false;
  return names.every((name) => Object.hasOwn(told, name) && told[name] !== "" && told[name] === ours[name]);
}
