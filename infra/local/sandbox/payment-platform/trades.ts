/** The trades of all three platforms, in memory. */
import { randomBytes } from "node:crypto";
import type { SandboxChannel, Trade, TradeRefund } from "./trade.ts";

/** What a merchant asked for. */
type NewTrade = Omit<
  Trade,
  "state" | "created_at" | "refunds" | "notices" | "transaction" | "paid" | "paid_at" | "bank"
>;

/** `same`: the request was made before, with the same amount. */
type Booked = { refund: TradeRefund; same: boolean } | "too_much" | "not_paid" | "another_amount";

export class Trades {
  readonly #all: Trade[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** All of them, newest last. A trade whose time is over is closed. */
  all(): readonly Trade[] {
    for (const trade of this.#all) this.#age(trade);
    return this.#all;
  }

  /** The trade of a merchant's order; of any channel unless one is given. */
  find(order: string, channel?: SandboxChannel): Trade | undefined {
    return this.all().find((trade) => trade.order === order && (channel ?? trade.channel) === trade.channel);
  }

  findBy(field: "reference" | "transaction", value: string): Trade | undefined {
    return this.all().find((trade) => trade[field] === value);
  }

  add(asked: NewTrade): Trade {
    const trade: Trade = { ...asked, state: "open", created_at: this.#now(), refunds: [], notices: [] };
    this.#all.push(trade);
    return trade;
  }

  /** The customer pays `amount`. Throws unless the trade is open. */
  pay(trade: Trade, amount: number): void {
    this.#age(trade);
    if (trade.state !== "open") throw new Error(`order ${trade.order} is ${trade.state}`);
    Object.assign(trade, {
      state: "paid",
      scanned: true,
      paid: amount,
      paid_at: this.#now(),
      transaction: transactionId(trade.channel),
    });
  }

  /** The customer pays by a bank that answers later. Throws unless the trade is open. */
  payByBank(trade: Trade): void {
    this.#age(trade);
    if (trade.state !== "open") throw new Error(`order ${trade.order} is ${trade.state}`);
    Object.assign(trade, { bank: "waits", transaction: transactionId(trade.channel) });
  }

  /** The bank answers. */
  settleBank(trade: Trade, answer: "paid" | "refused"): void {
    if (answer === "refused") trade.bank = answer;
    else Object.assign(trade, { state: "paid", bank: undefined, paid: trade.amount, paid_at: this.#now() });
  }

  /** Pays back once for each id. */
  refund(trade: Trade, id: string, amount: number): Booked {
    const made = trade.refunds.find((refund) => refund.id === id);
    if (made) return made.amount === amount ? { refund: made, same: true } : "another_amount";
    if (trade.state !== "paid") return "not_paid";
    if (amount <= 0 || amount > (trade.paid ?? 0) - refundedOf(trade)) return "too_much";
    const refund = { id, amount, at: this.#now() };
    trade.refunds.push(refund);
    return { refund, same: false };
  }

  #age(trade: Trade): void {
    if (trade.state === "open" && !trade.bank && this.#now() >= trade.expires_at) trade.state = "closed";
  }
}

/** The sum of a trade's refunds, in minor units. */
export function refundedOf({ refunds }: Trade): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0);
}

function transactionId(channel: SandboxChannel): string {
  const digits = Array.from(randomBytes(24), (byte) => byte % 10).join("");
  if (channel === "stripe") return `pi_${randomBytes(12).toString("hex")}`;
  return channel === "alipay" ? `2026${digits}` : `4200${digits}`;
}
