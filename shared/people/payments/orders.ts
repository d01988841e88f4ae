/** The store of orders and their refunds. Every write names what must still be so, and says whether it was. */
import type { Subscription } from "../../books/accounts/account.ts";
import type { Credit, PlanFee } from "../../books/ledger/ledger.ts";
import type { Order, Refund } from "./order.ts";
import type { Trigger } from "./states.ts";

/** A client's `Idempotency-Key`: both are hashes. */
export interface OrderClaim {
  key: string;
  /** Of what was asked for. The same key with another request is refused. */
  request: string;
}

/** What became of a new order. `known`: the key made this order before. `too_often`: too many in this hour. */
export type OrderCreation =
  | { outcome: "created" }
  | { outcome: "too_many" }
  | { outcome: "too_often" }
  | { outcome: "known"; order: string; request: string };

/** What an order's move changes beside its state. A field of `null` is removed. */
export type OrderFacts = { [Field in keyof Omit<Order, "id" | "state">]?: Order[Field] | null };

/** What a plan that is paid, or paid back, changes beside its payment. */
export interface PlanChange {
  fee: PlanFee;
  /** The subscription as it was read, and as it will be. */
  before: Subscription;
  after: Subscription;
}

/** A payment of money for a plan. What is paid back has negative points. */
export type MoneyPayment = Omit<Required<Credit>, "meter" | "kind" | "of">;
/** A payment with points is a credit of the kind `plan`: it takes them out of the wallet, or gives them back. */
export type PlanPayment = MoneyPayment | Credit;

/** A look at an order. Instants are Unix milliseconds. */
interface Visit {
  now: number;
  tries: number;
  due_at: number | null;
  gapMs: number;
}

/** Why an order is due. `awaited`: somebody waits for it. `rechecked`: it is over, and asked about once more. */
export type DueKind = "awaited" | "rechecked";

/** Which orders that are due are wanted. */
export interface DueQuery {
  kind: DueKind;
  /** Unix milliseconds. */
  now: number;
  limit: number;
  /** Those that are due for the shortest time first, instead of the longest. */
  newestFirst?: boolean;
}

/** Which part of a list is wanted: the newest first, behind the id `after`, made in [from, to) (Unix milliseconds). */
export interface ListPart {
  limit: number;
  after?: string;
  from?: number;
  to?: number;
}

export interface Orders {
  /** Puts a new order, within `openOrdersMax` that wait to be paid and `ordersOfHourMax` in an hour. */
  create(order: Order, due_at: number, claim?: OrderClaim): Promise<OrderCreation>;
  /** What an `Idempotency-Key` has made; undefined where nothing has claimed it for a day. `now` is in Unix milliseconds. */
  claimed(
    organization: string,
    key: string,
    now: number,
  ): Promise<{ order: string; request: string } | undefined>;
  /** Puts a credited order and takes its points. `changed`: the subscription is another. Throws `insufficient_balance`. */
  buy(
    order: Order,
    bought: PlanChange & { payment: Credit },
    claim?: OrderClaim,
  ): Promise<OrderCreation | { outcome: "changed" }>;
  find(id: string): Promise<Order | undefined>;
  list(organization: string, part: ListPart): Promise<{ orders: Order[]; more: boolean }>;
  /** Every order, or those of a state. It reads the whole table. */
  every(state?: Order["state"]): AsyncIterable<Order>;
  /** The ids of orders that are due, the longest due first. */
  due(query: DueQuery): Promise<string[]>;
  /** Notes a look and the next one. Undefined: somebody looked less than `gapMs` ago, or the order has moved on. */
  visit(order: Order, visit: Visit): Promise<Order | undefined>;
  /**
   * Moves an order that is still in the state it was read in. Undefined where it has left that state. Throws where the
   * table of moves (states.ts) does not have the move.
   */
  move(order: Order, trigger: Trigger, facts: OrderFacts, due_at: number | null): Promise<Order | undefined>;
  /** After an answer that changes nothing: when it is due again, or never. False where the order has moved on. */
  rest(order: Order, due_at: number | null): Promise<boolean>;
  /** Books a paid order's points by `credit.reference`, at most once. Undefined: another process has credited it. */
  credit(order: Order, credit: Credit): Promise<Order | undefined>;
  /** Books the plan of a paid order: payment, fee, subscription and order. `changed`: the subscription is another by now. */
  fulfil(
    order: Order,
    fulfilment: PlanChange & { payment: MoneyPayment },
  ): Promise<Order | "changed" | undefined>;
  /** Takes a refund's points. Undefined: the order has moved on. Throws `insufficient_balance` where fewer are free. */
  takeRefund(order: Order, refund: Refund, credit: Credit, due_at: number): Promise<Order | undefined>;
  /**
   * Takes back a plan: payment, fee, subscription, refund and order, in one transaction. A refund that is `done` ends in it,
   * because its points are in the wallet. Undefined where the order or the subscription is another by now.
   */
  takePlan(
    order: Order,
    refund: Refund,
    taken: PlanChange & { payment: PlanPayment },
  ): Promise<Order | undefined>;
  refund(order: string, id: string): Promise<Refund | undefined>;
  refunds(order: string): Promise<Refund[]>;
  /** Every refund of all orders. It reads the whole table. */
  everyRefund(): AsyncIterable<Refund>;
  /** Ends a refund. With `back` its points go back into the wallet. Undefined where it has ended before. */
  endRefund(order: Order, refund: Refund, end: RefundEnd): Promise<Order | undefined>;
}

interface RefundEnd {
  trigger: Trigger;
  state: "done" | "refused";
  now: number;
  /** Of a refused one: the credit that gives its points back. */
  back?: Credit;
}
