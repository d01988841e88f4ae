/** The columns of a list of orders as CSV (books/reports/columns.md "Orders"). */

import { rfc3339 } from "../../books/billing/instant.ts";
import { formatMoney } from "../../books/billing/money.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { CellColumn } from "../../books/reports/csv.ts";
import type { Order } from "../payments/order.ts";
import { isBooked } from "../payments/states.ts";
import { worthPaid } from "./book.ts";

type OrderColumn = CellColumn<Order>;

const moneyOf = numberOf("decimal", (amount, { currency }) => formatMoney(amount, currency));
const instantOf = numberOf("instant", (at) => rfc3339(at));

export const orderColumns: readonly OrderColumn[] = [
  textOf("id", "the order's id"),
  textOf("kind", "`recharge`: points; `plan`"),
  partOf("plan", "the plan", ({ plan }) => plan?.plan),
  partOf("period", "the plan's period", ({ plan }) => plan?.period),
  partOf("action", "`buy`, `renew` or `upgrade`", ({ plan }) => plan?.action),
  textOf("channel", "where it is paid; `points`: with points of the wallet"),
  textOf("state", "its state"),
  textOf(
    "currency",
    "the currency of all its money, ISO 4217; `points` where points of the wallet have paid",
  ),
  moneyOf("amount", "amount", "what is to be paid", ({ amount }) => amount),
  moneyOf("paid", "paid.amount", "what was paid", ({ paid }) => paid?.amount),
  moneyOf("refunded", "refunded", "what was paid back", ({ refunded = 0 }) => refunded),
  { ...textOf("points", "what the amount is worth, at the rate of the day of the order"), type: "decimal" },
  {
    ...{ name: "credited_points", type: "decimal", source: "order `points`, `amount` and `paid`" },
    what: "what the payment was booked as",
    of: (order) => (order.paid && isBooked(order) ? formatPoints(worthPaid(order, order.paid)) : null),
  },
  textOf("booked_as", "`points` or `plan`"),
  instantOf(
    "created_at",
    "created_at",
    "when it was made; `from` and `to` go by it",
    (order) => order.created_at,
  ),
  instantOf("paid_at", "paid.at", "when it was paid", ({ paid }) => paid?.at),
  instantOf("credited_at", "credited_at", "when it was booked", (order) => order.credited_at),
  instantOf("closed_at", "closed_at", "when it ended unpaid", (order) => order.closed_at),
];

function textOf(
  name: "id" | "kind" | "channel" | "state" | "currency" | "points" | "booked_as",
  what: string,
): OrderColumn {
  return { name, type: "text", source: `order \`${name}\``, what, of: (order) => order[name] ?? null };
}

function partOf(
  name: "plan" | "period" | "action",
  what: string,
  of: (order: Order) => string | undefined,
): OrderColumn {
  return { name, type: "text", source: `order \`plan.${name}\``, what, of: (order) => of(order) ?? null };
}

/** A column of a number that an order may have: an amount of its money, or an instant. */
function numberOf(type: "decimal" | "instant", text: (value: number, order: Order) => string) {
  return (
    name: string,
    source: string,
    what: string,
    of: (order: Order) => number | undefined,
  ): OrderColumn => ({
    ...{ name, type, source: `order \`${source}\``, what },
    of(order) {
      const value = of(order);
      return value === undefined ? null : text(value, order);
    },
  });
}
