/** A payment platform in memory: its trades, and a `PaymentPlatform` over them. Nothing here is signed. */
import { GatewayError } from "#shared/base/errors.ts";
import type { PaymentChannel } from "#shared/books/catalog/catalog.ts";
import type { SavedCard } from "#shared/people/payments/auto-top-up.ts";
import type { AutomaticCharge, Declined } from "#shared/people/payments/order.ts";
import type {
  CardPlatform,
  ChargedOrder,
  Evidence,
  OpenedOrder,
  PayableOrder,
  PaymentPlatform,
  PaymentPlatforms,
  RefundRequest,
} from "#shared/people/payments/platform.ts";

const lifeMs = 15 * 60_000;

/** What the platform knows of one order. */
export interface Trade {
  /** `unscanned`: only the code is there. Nobody can ask about it or close it, and it can be paid. */
  state: "unscanned" | "pending" | "paid" | "closed";
  amount: number;
  currency: string;
  opened_at: number;
  paid_at?: number;
  /** What was paid, where that is another amount. */
  paid_amount?: number;
  refunded: number;
  /** What of it was paid back on the platform's own pages. */
  elsewhere?: number;
  /** It was closed, and a bank's payment has come all the same. */
  late?: true;
  /** Of an order that is charged to a card: whose. Nobody pays it by hand. */
  automatic?: AutomaticCharge;
  /** Why that charge failed, and when. */
  declined?: Declined;
  declined_at?: number;
}

const accounts: Record<PaymentChannel, Record<string, string>> = {
  alipay: { app_id: "2021000000000001", seller_id: "2088000000000001" },
  wechat: { appid: "wx0000000000000001", mchid: "1900000001" },
  stripe: { account: "acct_1" },
};

/** The platform's own side. Everything happens at once. */
export class Trades {
  readonly trades = new Map<string, Trade>();
  readonly refunds = new Map<string, "done" | "pending" | "refused">();
  /** What the next new refunds come to; `done` where nothing is said. */
  readonly refundOutcomes: ("done" | "pending" | "refused")[] = [];
  /** What the next charges of cards come to; they are paid where nothing is said. */
  readonly chargeOutcomes: (Declined | "paid")[] = [];
  /** The cards of each customer. */
  readonly cards = new Map<string, SavedCard[]>();
  readonly now: () => number;
  /** Alipay's way: a trade begins when its code is scanned. */
  readonly scansFirst: boolean;

  constructor(now: () => number, scansFirst = false) {
    this.now = now;
    this.scansFirst = scansFirst;
  }

  open({ id, amount, currency, automatic }: Pick<PayableOrder, "id" | "amount" | "currency" | "automatic">): {
    qr_code?: string;
    reference?: string;
  } {
    const state = this.scansFirst ? "unscanned" : "pending";
    const known = this.trades.get(id);
    const trade = {
      state,
      amount,
      currency,
      opened_at: this.now(),
      refunded: 0,
      ...(automatic && { automatic }),
    };
    if (!known) this.trades.set(id, trade as Trade);
    return automatic ? { reference: `pi-${id}` } : { qr_code: `https://pay.test/${id}` };
  }

  /** Saves a card, as a customer does on the platform's page. */
  saveCard(customer: string): SavedCard {
    const own = this.cards.get(customer) ?? [];
    const card = {
      customer,
      method: `pm-${customer}-${own.length}`,
      brand: "visa",
      last_four: "4242",
      expires: "2030-01",
    };
    this.cards.set(customer, [...own, card]);
    return card;
  }

  /** Charges a card, once whoever asks: as Stripe confirms a payment. Undefined: the card is gone. */
  charge(id: string): Declined | undefined | "known" {
    const trade = this.trades.get(id);
    if (!trade?.automatic) throw new Error("no such charge");
    if (trade.declined) return trade.declined;
    if (trade.state !== "pending") return "known";
    const { customer, method } = trade.automatic;
    if (!this.cards.get(customer)?.some((card) => card.method === method)) return undefined;
    const outcome = this.chargeOutcomes.shift() ?? "paid";
    if (outcome === "paid") this.settle(id);
    else Object.assign(trade, { declined: outcome, declined_at: this.now() });
    return outcome === "paid" ? "known" : outcome;
  }

  /** A customer pays. False where that is not possible: no code, closed, over, or paid already. */
  pay(id: string, amount?: number): boolean {
    if (!this.isPayable(id)) return false;
    this.settle(id, amount);
    return true;
  }

  isPayable(id: string): boolean {
    const trade = this.trades.get(id);
    if (!trade || trade.automatic || trade.state === "closed" || trade.state === "paid") return false;
    return this.now() < trade.opened_at + (trade.state === "pending" ? 2 : 1) * lifeMs;
  }

  /** The payment arrives, whatever the trade is: banks are late at times. */
  settle(id: string, amount?: number): void {
    const trade = this.trades.get(id);
    if (!trade) throw new Error("no such trade");
    Object.assign(trade, {
      ...(trade.state === "closed" && { late: true }),
      state: "paid",
      paid_at: this.now(),
      ...(amount !== undefined && { paid_amount: amount }),
    });
  }

  isPaid(id: string): boolean {
    return this.trades.get(id)?.state === "paid";
  }

  evidence(id: string, channel: PaymentChannel): Evidence {
    const trade = this.trades.get(id);
    const common = { channel, order: id, accounts: accounts[channel] };
    if (!trade || trade.state === "unscanned") return { ...common, state: "absent" };
    if (trade.state !== "paid") return { ...common, state: trade.state };
    const amount = trade.paid_amount ?? trade.amount;
    const isWhole = trade.refunded >= amount;
    // Alipay's answers tell only of what went back as a whole, and WeChat Pay's of no amount.
    const isTold = trade.refunded > 0 && (channel !== "alipay" || isWhole);
    return {
      ...common,
      state: isTold ? "refunded" : "paid",
      ...(isTold && channel !== "wechat" && { refunded: trade.refunded }),
      transaction: `txn-${id}`,
      amount,
      currency: trade.currency,
      paid_at: trade.paid_at ?? 0,
    };
  }

  close(id: string): "closed" | "paid" | "absent" | { declined: Declined } {
    const trade = this.trades.get(id);
    if (!trade || trade.state === "unscanned") return "absent";
    if (trade.state === "pending") trade.state = "closed";
    const { state, declined } = trade;
    return state === "closed" && declined ? { declined } : state;
  }

  refund({ id, order, amount }: RefundRequest): "done" | "pending" | "refused" {
    const known = this.refunds.get(id);
    if (known) return known;
    const trade = this.trades.get(order.id);
    const left = trade?.state === "paid" ? (trade.paid_amount ?? trade.amount) - trade.refunded : 0;
    const outcome = amount > left ? "refused" : (this.refundOutcomes.shift() ?? "done");
    this.refunds.set(id, outcome);
    if (trade && outcome !== "refused") trade.refunded += amount;
    return outcome;
  }

  /** Somebody at the merchant pays back on the platform's own pages: so much, or all that is left. */
  returnElsewhere(id: string, amount?: number): void {
    const trade = this.trades.get(id);
    if (trade?.state !== "paid") throw new Error("no such payment");
    const back = amount ?? (trade.paid_amount ?? trade.amount) - trade.refunded;
    trade.refunded += back;
    trade.elsewhere = (trade.elsewhere ?? 0) + back;
  }

  queryRefund({ id }: RefundRequest): "done" | "pending" | "refused" | "absent" {
    return this.refunds.get(id) ?? "absent";
  }

  /** Refunds that are pending have arrived, and from now on every refund arrives at once. */
  finishRefunds(): void {
    for (const [id, state] of this.refunds) if (state === "pending") this.refunds.set(id, "done");
    this.refundOutcomes.length = 0;
  }
}

/** Comes between a caller and the platform: it may wait, lose the request or the answer, or throw. */
export type Between = <Value>(call: string, act: () => Value) => Promise<Value>;

const atOnce: Between = async (_, act) => act();

/** No answer came. */
export function silence(): GatewayError {
  return new GatewayError("payment_platform");
}

/** The cards of a platform. A page saves one as soon as somebody asks what became of it. */
function cardsOver(trades: Trades, channel: PaymentChannel, between: Between): CardPlatform {
  return {
    openPage: ({ organization, customer }) =>
      between("openPage", () => ({
        customer: customer ?? `cus-${organization}`,
        reference: `page-${organization}`,
        url: "https://pay.test/card",
      })),
    cardOf: ({ customer }) => between("cardOf", () => trades.saveCard(customer)),
    detach: (customer) => between("detach", () => void trades.cards.set(customer, [])),
    async charge({ id }: ChargedOrder) {
      const known = await between("charge", () => ({
        answer: trades.charge(id),
        evidence: trades.evidence(id, channel),
      }));
      if (known.answer === undefined) throw silence();
      return known.answer === "known" ? known.evidence : { declined: known.answer };
    },
  };
}

/** The port over a platform's trades. */
export function platformOver(
  trades: Trades,
  channel: PaymentChannel,
  between: Between = atOnce,
): PaymentPlatform {
  return {
    channel,
    accounts: accounts[channel],
    currencies: ["CNY", "USD"],
    ...(channel === "stripe" && { cards: cardsOver(trades, channel, between) }),
    open: (order) => between("open", () => trades.open(order)),
    query: ({ id }: OpenedOrder) => between("query", () => trades.evidence(id, channel)),
    close: ({ id }: OpenedOrder) => between("close", () => trades.close(id)),
    refund: (request) => between("refund", () => trades.refund(request)),
    queryRefund: (request) => between("queryRefund", () => trades.queryRefund(request)),
    async readNotice({ body }) {
      const told = JSON.parse(body.toString()) as Evidence & { forged?: true };
      if (told.forged) throw new GatewayError("payment_signature");
      return told;
    },
    accepted: () => ({ status: 200, headers: { "content-type": "text/plain" }, body: "success" }),
  };
}

/** The platforms of a stage, each over its own trades. */
export function platformsOver(
  all: Partial<Record<PaymentChannel, Trades>>,
  between: Between = atOnce,
): PaymentPlatforms {
  return {
    channels: async () => Object.keys(all) as PaymentChannel[],
    async platform(channel) {
      const trades = channel === "points" ? undefined : all[channel];
      if (channel === "points" || !trades) throw new GatewayError("payment_channel");
      return platformOver(trades, channel, between);
    },
  };
}
