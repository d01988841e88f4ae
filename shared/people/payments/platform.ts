/** What the gateway needs of a payment platform. Each channel has a room that implements it (channels.md). */
import { GatewayError } from "../../base/errors.ts";
import type { PaymentChannel } from "../../books/catalog/catalog.ts";
import type { SavedCard } from "./auto-top-up.ts";
import type { AutomaticCharge, Declined, Order, OrderChannel } from "./order.ts";

/** A statement of a platform about one order, whose signature was checked. Who gets it compares every field. */
export interface Evidence {
  channel: PaymentChannel;
  /** Our id of the order, as the platform repeats it. */
  order: string;
  /** Our accounts at the platform that it names: an app id, a merchant id. All must be ours. */
  accounts: Readonly<Record<string, string>>;
  /** `absent`: unknown, as at Alipay before a QR code is scanned. `refund_failed`: a refund did not reach its customer. */
  state: "paid" | "pending" | "closed" | "refunded" | "refund_failed" | "absent";
  /** Only of a payment. */
  transaction?: string;
  amount?: number;
  currency?: string;
  /** What went back of the payment in all, in minor units, where the platform says it. */
  refunded?: number;
  /** Our id of the refund that failed. */
  refund?: string;
  /** Unix milliseconds. */
  paid_at?: number;
}

/** What a customer is shown to pay. */
interface Payable {
  qr_code?: string;
  pay_url?: string;
  /** The platform's own id of what was opened, to be kept on the order. Only Stripe gives one. */
  reference?: string;
}

export type PayableOrder = Pick<
  Order,
  "id" | "amount" | "currency" | "expires_at" | "created_at" | "automatic"
> & {
  /** What the customer reads at the platform. */
  subject: string;
  /** Where the platform calls, `https://<host>/api/v1/payments/<channel>/notify`. Stripe has it from its own settings. */
  notify_url: string;
  /** Where a hosted page leads back to, paid or not. */
  return_url: string;
};

/** An order that may be known at the platform. `reference` is what `open` gave, if its answer came. */
export type OpenedOrder = Pick<Order, "id" | "created_at" | "reference" | "automatic">;

/** An automatic order whose payment is open at the platform. */
export type ChargedOrder = OpenedOrder & { reference: string; automatic: AutomaticCharge };

/** A page where an organization saves a card. */
export interface CardPageRequest {
  organization: string;
  /** The organization's customer at the platform, if there is one. */
  customer: string | undefined;
  /** Where the page leads back to, done or not. */
  return_url: string;
}

/** The cards that a platform keeps, and charges without their person. All ask it, and throw `payment_platform`. */
export interface CardPlatform {
  /** Makes a page, and a customer where there is none. Nothing is charged there. */
  openPage(wanted: CardPageRequest): Promise<{ customer: string; reference: string; url: string }>;
  /** What became of a page. Throws where the platform's answer is about another organization or customer. */
  cardOf(page: {
    organization: string;
    customer: string;
    reference: string;
  }): Promise<SavedCard | "open" | "over">;
  /** Detaches every card of a customer. May be repeated. */
  detach(customer: string): Promise<void>;
  /** Charges an automatic order that is open. May be repeated, and charges once. Evidence says what is known. */
  charge(order: ChargedOrder): Promise<Evidence | { declined: Declined }>;
}

export interface RefundRequest {
  id: string;
  order: OpenedOrder & Pick<Order, "amount" | "currency" | "paid">;
  /** The platform's id of the payment, as its evidence named it. */
  transaction: string;
  /** In minor units. */
  amount: number;
  reason: string;
}

/** A call of the platform. */
export interface NoticeRequest {
  headers: Readonly<Record<string, string | undefined>>;
  /** The bytes as they came: signatures are over them. */
  body: Buffer;
}

/** A call that cannot be trusted. `probe`: WeChat Pay tests us with wrong signatures, which is no alarm. */
export class NoticeRefused extends GatewayError {
  /** Why, for the log. It quotes nothing of the call. */
  readonly reason: string;
  readonly probe: boolean;

  constructor(reason: string, { probe = false }: { probe?: boolean } = {}) {
    super("payment_signature");
    this.reason = reason;
    this.probe = probe;
  }
}

/** How a platform's call is answered, so that it repeats the call or does not. */
interface NoticeAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** One channel. All but `readNotice` ask the platform, and throw `payment_platform` where nothing is known. */
export interface PaymentPlatform {
  readonly channel: PaymentChannel;
  /** Our accounts at the platform, as `Evidence.accounts` has to name them. */
  readonly accounts: Readonly<Record<string, string>>;
  /** The currencies that can be paid here, as ISO 4217 writes them. */
  readonly currencies: readonly string[];
  /** Absent where the platform keeps no cards for us. */
  readonly cards?: CardPlatform;
  /**
   * Lets an order be paid. May be repeated with the same order, and gives the same. An automatic one only gets a
   * `reference`, and nothing is charged yet.
   */
  open(order: PayableOrder): Promise<Payable>;
  query(order: OpenedOrder): Promise<Evidence>;
  /**
   * Asks that an order can no longer be paid. `paid`: it was paid before. `absent`: the platform does not know it, so
   * that it cannot be closed there, and may still be paid until its QR code ends. `pending`: somebody has paid by a bank
   * that has not answered yet, which may take days. `declined`: it is closed, and the card of an automatic one was declined.
   */
  close(order: OpenedOrder): Promise<"closed" | "paid" | "absent" | "pending" | { declined: Declined }>;
  /** May be repeated by the refund's id, and pays back once. `refused`: it never will. */
  refund(refund: RefundRequest): Promise<"done" | "pending" | "refused">;
  /** The state of a refund that was asked for. `absent`: the platform does not know it. */
  queryRefund(refund: RefundRequest): Promise<"done" | "pending" | "refused" | "absent">;
  /** Reads a call. Throws `NoticeRefused` where it is not the platform's. `null`: it is about no payment. */
  readNotice(request: NoticeRequest): Promise<Evidence | null>;
  /** What tells the platform that its call arrived, and need not be repeated. */
  accepted(): NoticeAnswer;
}

/** The channels that this stage has credentials for. A channel's code is loaded when it is first used. */
export interface PaymentPlatforms {
  channels(): Promise<readonly PaymentChannel[]>;
  /** Throws `payment_channel` where the stage does not have it, and for points, which no platform takes. */
  platform(channel: OrderChannel): Promise<PaymentPlatform>;
}
