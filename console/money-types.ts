/**
 * What the API answers about orders, plans, invoices and members (shared/edges/console/operations), as the browser
 * reads it.
 */
import type { PlanPeriod, Role } from "./api-types.ts";

/** How an order is paid. `points`: those of the wallet, for a plan. */
export type Channel = "alipay" | "wechat" | "stripe" | "points";

/** `GET /api/v1/payment-methods`. The bounds are of one recharge. */
export interface PaymentMethod {
  currency: string;
  channels: Channel[];
  points_per_unit: string;
  min: string;
  max: string;
}

export type OrderState =
  | "created"
  | "pending"
  | "closing"
  | "closed"
  | "paid"
  | "review"
  | "credited"
  | "refunding"
  | "partly_refunded"
  | "refunded";

/** `GET /api/v1/recharges/{id}`, of points or of a plan. */
export interface Order {
  id: string;
  kind: "recharge" | "plan";
  channel: Channel;
  state: OrderState;
  currency: string;
  amount: string;
  points: string;
  plan: { plan: string; period: PlanPeriod; action: PlanAction } | null;
  /** What a QR code shows, or the address of the platform's page. Only while it can be paid. */
  qr_code: string | null;
  pay_url: string | null;
  /** Why somebody looks at it. */
  review: "differs" | "paid_back" | null;
  booked_as: "points" | "plan" | null;
  /** What the payment was booked as. Null until then. */
  credited_points: string | null;
  paid: string | null;
  refunded: string;
  /** What of it can be paid back now. Null where nobody has looked, as in lists. */
  refundable: string | null;
  created_at: string;
  expires_at: string;
}

type PlanAction = "buy" | "renew" | "upgrade";

/** `GET /api/v1/plans`. A null rate is unlimited. */
export interface Plan {
  plan: string;
  price_points: Record<PlanPeriod, string>;
  /** In each currency that can be paid, in the order of the catalog. */
  prices: Record<string, Record<PlanPeriod, string>>;
  /** Calls of a month. */
  quota: Record<PlanPeriod, number>;
  rpm: number | null;
  tpm: number | null;
  tpd: number | null;
  models: string[];
  cache: boolean;
  /** Of providers, by name. */
  tools: Record<string, number>;
  list_points_max: { call?: string; day?: string; above: "refuse" | "count" } | null;
}

/** `GET /api/v1/plans/quote`. */
export interface PlanQuote {
  plan: string;
  period: PlanPeriod;
  action: PlanAction;
  channel: Channel;
  currency: string;
  pay: string;
  /** Names all of this in the order, so that nobody pays another price than they have seen. */
  deal: string;
  /** What is taken off for time that was paid for and is not used. */
  credit: string;
  from: string;
  until: string;
}

export interface Invoice {
  id: string;
  number: string | null;
  state: "requested" | "issued" | "rejected" | "voided";
  amount: string;
  currency: string;
  /** In the amount. The rate is in per cent of the net amount. Null where the stage has no rule for the currency. */
  tax: { name: string; rate: string; net: string; tax: string; reverse_charge: boolean } | null;
  orders: string[];
  title: { kind: "personal" | "company"; name: string; tax_id?: string | null };
  email: string;
  created_at: string;
  issued_at: string | null;
  reason: string | null;
}

/** `GET /api/v1/invoices/orders`: paid, and on no invoice yet. */
export interface InvoiceableOrder {
  order: string;
  amount: string;
  currency: string;
  paid_at: string;
}

/** `GET /api/v1/statements`. */
export interface StatementMonth {
  /** Such as `2026-11`, of UTC. */
  month: string;
  opening_points: string;
  closing_points: string;
  is_running: boolean;
}

export interface Member {
  id: string;
  name: string;
  phone_last_four: string | null;
  role: Role;
  status: "active" | "frozen" | null;
  joined_at: string;
}

export interface Invitation {
  id: string;
  role: Role;
  phone_last_four: string | null;
  created_by: { id: string; name: string };
  expires_at: string;
  /** Only in the answer that makes it. */
  token?: string;
}

type Facts = Record<string, string | number | boolean | null>;

export interface AuditEntry {
  id: string;
  kind: string;
  subject: string;
  /** A user or an API key. The name is empty where neither did it; the id is then `operator` or `platform`. */
  actor: { id: string; name: string };
  /** The session or the API key. */
  credential: string | null;
  ip: string | null;
  /** What the request said of the addresses before that one. */
  forwarded_for: string | null;
  before: Facts | null;
  after: Facts | null;
  created_at: string;
}
