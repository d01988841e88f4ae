/** What a platform of the sandbox knows of an order, and what its customers may do (README.md). */
import type { SandboxSettings } from "./keys.ts";

export type SandboxChannel = "alipay" | "wechat" | "stripe";

export interface TradeRefund {
  /** The merchant's id of it. */
  id: string;
  /** Minor units. */
  amount: number;
  at: number;
}

export interface Trade {
  channel: SandboxChannel;
  /** The merchant's id of the order. */
  order: string;
  /** What the merchant wrote on it beside that; only Stripe has it. */
  metadata?: Readonly<Record<string, string>>;
  /** The platform's id of what was opened, and of the payment when there is one. */
  reference: string;
  transaction?: string;
  /** Minor units, as the merchant asked for it. */
  amount: number;
  /** What the customer paid, in minor units. It differs only where a test wants it to. */
  paid?: number;
  /** ISO 4217, in capital letters. */
  currency: string;
  subject: string;
  state: "open" | "paid" | "closed";
  notify_url: string;
  /** Where a hosted page leads back to. */
  return_url?: string;
  /** Unix milliseconds. */
  created_at: number;
  expires_at: number;
  /** Alipay makes its trade when the QR code is scanned. Before that it knows of none. */
  scanned: boolean;
  paid_at?: number;
  /** The customer has paid at Stripe by a bank that answers after days, and what it has answered. */
  bank?: "waits" | "refused";
  /** Of a payment that is charged to a saved card at Stripe: whose. Nobody pays it on a page. */
  card?: { customer: string; method: string };
  /** Why that card was declined. */
  declined?: string;
  refunds: TradeRefund[];
  /** Each attempt to tell the merchant, in its order. */
  notices: { at: number; status: number | "no answer" }[];
}

/** What a customer does, and what becomes of the platform's call about it, as the page of an order says it. */
export const ways = {
  pay: ["Pay", "The gateway is called at once."],
  pay_another_amount: ["Pay another amount", "One unit less is paid. The order has to go to review."],
  lose_notice: ["Pay, lose the notice", "Nobody calls the gateway. It has to ask by itself."],
  notice_twice: ["Pay, notice twice", "Two calls at the same time. The points are credited once."],
  late_notice: ["Pay, late notice", "The call comes after a minute."],
  probe: ["Send a forged notice", "Nothing is paid. The call's signature is wrong, and it is refused."],
} as const satisfies Record<string, [label: string, meaning: string]>;
export type PaymentWay = keyof typeof ways;

/** What becomes of the charges of a card that a customer saves at Stripe, as its page says it. */
export const cardKinds = {
  good: ["Save a card that works", "Every charge is paid.", undefined],
  busy: ["Save a card that is busy", "Every charge is declined: try again later.", "try_again_later"],
  poor: ["Save a card without money", "Every charge is declined for good.", "insufficient_funds"],
  asking: [
    "Save a card that asks its owner",
    "Every charge without the person needs authentication.",
    "authentication_required",
  ],
} as const satisfies Record<string, [label: string, meaning: string, decline: string | undefined]>;
export type CardKind = keyof typeof cardKinds;

export interface SandboxOptions {
  /**
   * Where Stripe calls, which knows the address from its own settings. It is asked for each call, because the console may
   * open after the sandbox. The other two call where the order says.
   */
  notifyUrl: (channel: SandboxChannel) => string;
  /** 0 picks a free port. */
  port?: number;
  /** Real seconds for one second of the platforms' time between repeated calls; 0.05 unless given. */
  noticeScale?: number;
  /** Unix milliseconds. */
  now?: () => number;
}

export interface OpenSandbox {
  /** `http://127.0.0.1:<port>`. Its first page lists the trades. */
  url: string;
  /** To be written into the secret `platforms` as JSON. The keys are made with the first call. */
  makeSettings(): Promise<SandboxSettings>;
  /** All trades, newest last. */
  trades(): readonly Trade[];
  /** Lets the customer of an order do something; resolves when the first calls about it were answered. */
  pay(order: string, way?: PaymentWay): Promise<void>;
  /** Saves a card on the page with this address at Stripe. */
  saveCard(url: string, kind?: CardKind): void;
  /** Stripe forgets a customer, whom somebody has deleted on its own pages. */
  forgetCustomer(customer: string): void;
  /** Lets the customer of an order at Stripe pay by a bank that answers later. */
  payByBank(order: string): Promise<void>;
  /** The bank answers, and the merchant is told. */
  settleBank(order: string, answer: "paid" | "refused"): Promise<void>;
  /** Somebody pays back on the platform's own pages: so many minor units, or all. Alipay and Stripe tell the merchant. */
  payBack(order: string, amount?: number): Promise<void>;
  /** Calls the merchant about a paid order once more; gives the status of the answer. */
  sendNotice(order: string): Promise<number | "no answer">;
  stop(): Promise<void>;
}
