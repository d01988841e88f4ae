/**
 * What a month did to a wallet, by the ledger (people/invoices/README.md "A statement"). Everything here is pure
 * calculation. Amounts are 10⁻¹⁸ points, instants Unix milliseconds, months of UTC such as `2026-11`.
 */

import { spanEnd, spanOf, spanStart } from "../../books/billing/period.ts";
import { creditedBy, creditKindOf, paidBy } from "../../books/ledger/credit.ts";
import type { CreditKind, Entry, PlanFee } from "../../books/ledger/ledger.ts";
import { feePoints } from "../../books/ledger/plan-fee.ts";
import type { OrderChannel } from "../payments/order.ts";

/** What a model's calls cost in a month, corrections of estimates included. */
interface MonthUse {
  month: string;
  model: string;
  calls: number;
  points: bigint;
}

/** What statements are made from: all credits and fees of an organization, and its use up to now. */
export interface WalletBooks {
  credits: readonly Entry[];
  uses: readonly MonthUse[];
}

/** What was paid for an order, or paid back of it: then the amount is negative. A decimal string in the currency's units. */
export interface LineMoney {
  order: string;
  channel: OrderChannel;
  amount: string;
  currency: string;
}

/** A change of the wallet that no call made. Points taken out are negative. */
export interface WalletLine {
  at: number;
  kind: CreditKind;
  reference: string;
  points: bigint;
  /** Null: no order has made it, or nobody has looked yet (`withMoney`). */
  money: LineMoney | null;
}

/** A plan's fee, or the payment of one. `fee` is null for a payment. A fee that is owed to the customer is negative. */
export interface PlanLine {
  at: number;
  reference: string;
  fee: PlanFee | null;
  points: bigint;
  money: LineMoney | null;
}

export interface FeeLine extends PlanLine {
  fee: PlanFee;
}

/** A month's balances, at its first and after its last instant. */
export interface MonthBalance {
  month: string;
  opening: bigint;
  closing: bigint;
  /** The month is not over. */
  is_running: boolean;
}

/** opening + credits − usage + corrections + refunds + plans = closing; the last three have their signs. */
export interface Statement extends MonthBalance {
  credits: WalletLine[];
  /** By model, the dearest first. */
  usage: Omit<MonthUse, "month">[];
  corrections: WalletLine[];
  refunds: WalletLine[];
  /** Points that have paid for plans, and those that came back of one. */
  plans: WalletLine[];
  fees: FeeLine[];
  payments: PlanLine[];
}

/** The balances of all months from `since`, or the first entry before it, up to `now`, in order of time. */
export function balancesOf({ credits, uses }: WalletBooks, since: number, now: number): MonthBalance[] {
  const changes = new Map<string, bigint>();
  const add = (month: string, points: bigint) => changes.set(month, (changes.get(month) ?? 0n) + points);
  for (const entry of credits) add(spanOf(entry.at, "month"), creditedBy(entry));
  for (const { month, points } of uses) add(month, -points);
  const first = [spanOf(since, "month"), ...changes.keys()].reduce((a, b) => (a < b ? a : b));
  const balances: MonthBalance[] = [];
  let opening = 0n;
  for (let month = first; month <= spanOf(now, "month"); month = spanOf(spanEnd(month), "month")) {
    const closing = opening + (changes.get(month) ?? 0n);
    balances.push({ month, opening, closing, is_running: now < spanEnd(month) });
    opening = closing;
  }
  return balances;
}

/** The statement of a month whose balances are known. */
export function statementOf(balance: MonthBalance, { credits, uses }: WalletBooks): Statement {
  const [from, to] = [spanStart(balance.month), spanEnd(balance.month)];
  const own = credits.filter(({ at }) => at >= from && at < to).toSorted((a, b) => a.at - b.at);
  const lines = own.flatMap(walletLine);
  const of = (...kinds: CreditKind[]) => lines.filter(({ kind }) => kinds.includes(kind));
  const usage = uses
    .filter(({ month }) => month === balance.month)
    .map(({ model, calls, points }) => ({ model, calls, points }))
    .toSorted((a, b) => (a.points > b.points ? -1 : a.points < b.points ? 1 : a.model < b.model ? -1 : 1));
  return {
    ...balance,
    credits: of("bought", "promotional"),
    usage,
    corrections: of("adjustment"),
    refunds: of("refund"),
    plans: of("plan"),
    fees: own.flatMap(({ at, id, fee }) =>
      fee ? { at, reference: id.slice("plan_fee#".length), fee, points: feePoints(fee), money: null } : [],
    ),
    payments: own
      .filter(({ kind }) => kind === "payment")
      .map((entry) => {
        const { at } = entry;
        return { at, reference: referenceOf(entry), fee: null, points: paidBy(entry), money: null };
      }),
  };
}

/** The statement with the money of its lines, by their references. */
export function withMoney(statement: Statement, money: ReadonlyMap<string, LineMoney>): Statement {
  const of = <Line extends WalletLine | PlanLine>(lines: Line[]) =>
    lines.map((line) => ({ ...line, money: money.get(line.reference) ?? null }));
  const { credits, refunds, payments } = statement;
  return { ...statement, credits: of(credits), refunds: of(refunds), payments: of(payments) };
}

/** The sum of lines. */
export function sumOf(lines: readonly { points: bigint }[]): bigint {
  return lines.reduce((sum, { points }) => sum + points, 0n);
}

function walletLine(entry: Entry): WalletLine[] {
  const kind = creditKindOf(entry);
  return kind
    ? [{ at: entry.at, kind, reference: referenceOf(entry), points: creditedBy(entry), money: null }]
    : [];
}

function referenceOf({ id }: Entry): string {
  return id.slice("credit#".length);
}
