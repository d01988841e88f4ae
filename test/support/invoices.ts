/** Invoices and statements over real stores: credited orders, and the console's routes as members ask them. */

import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { ConsoleAnswers, ConsoleRequest } from "#shared/edges/console/call.ts";
import { type InvoiceAnswerDeps, invoiceAnswers } from "#shared/edges/console/operations/invoices.ts";
import { createConsole } from "#shared/edges/console/pipeline.ts";
import { createCallers } from "#shared/edges/store/identity/callers.ts";
import { createInvoices } from "#shared/edges/store/invoices.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createOrders } from "#shared/edges/store/orders/orders.ts";
import { identify } from "#shared/people/identity/identify.ts";
import { checkCharacter } from "#shared/people/invoices/tax-id.ts";
import type { Order, PaidFacts, Refund } from "#shared/people/payments/order.ts";
import type { Orders } from "#shared/people/payments/orders.ts";
import type { Database } from "./dynamodb.ts";
import { openMembers, type Person } from "./members.ts";
import { catalog, newOrder } from "./orders.ts";

/** A tax id with the right check character. */
export const taxId = `91350100M000100Y4${checkCharacter("91350100M000100Y4")}`;

export const company = { kind: "company", name: "某某科技有限公司", tax_id: taxId };
export const email = "finance@example.com";

/** An answer, with its body as a value where it is JSON, and as text. */
interface InvoiceAnswer {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at fields that they know.
  body: any;
  text: string;
}

/** Pays, credits and pays back, at the time of a clock. */
function payers(orders: Orders, clock: { now: number }) {
  /** An order that was paid and credited, 100 CNY unless changed. A unit of money is worth a point. */
  const creditedOrder = async (
    { id, wallet }: Organization,
    change: Partial<Order> = {},
    paid: Partial<PaidFacts> = {},
  ): Promise<Order> => {
    clock.now += 1;
    const at = clock.now;
    const worth = change.amount === undefined ? {} : { points: `${change.amount / 100}` };
    const order = newOrder(id, at, { ...worth, ...change });
    const creation = await orders.create(order, at);
    if (creation.outcome !== "created") throw new Error(creation.outcome);
    const { amount, currency } = order;
    const facts: PaidFacts = { transaction: `t-${order.id}`, amount, currency, at, via: "notice", ...paid };
    const moved = await orders.move(order, "paid", { paid: facts }, at);
    const credit = {
      ...{ organization: id, meter: wallet?.meter ?? "", points: BigInt(amount) * 10n ** 16n },
      ...{ kind: "bought" as const, reference: `order.${order.id}`, account: `cash:${order.channel}`, at },
    };
    const credited = moved && (await orders.credit(moved, credit));
    if (!credited) throw new Error("the order was not credited");
    return credited;
  };

  /** Takes the points of a refund of so many minor units, and pays it back. */
  const refund = async ({ wallet }: Organization, id: string, amount: number): Promise<void> => {
    const order = await orders.find(id);
    if (!order) throw new Error("no order");
    const at = clock.now;
    const taken: Refund = {
      ...{ id: newId("refund", at), order: id, amount, points: `${amount / 100}` },
      ...{ reason: "asked for", state: "asked", created_at: at },
    };
    const points = -BigInt(amount) * 10n ** 16n;
    const credit = {
      ...{ organization: order.organization, meter: wallet?.meter ?? "", points, at },
      ...{ kind: "refund" as const, reference: `refund.${taken.id}`, account: `cash:${order.channel}` },
    };
    const running = await orders.takeRefund(order, taken, credit, at + 1000);
    const trigger = amount + (order.refunded ?? 0) < order.amount ? "refunded_in_part" : "refunded";
    const end = { trigger, state: "done", now: at } as const;
    if (!running || !(await orders.endRefund(running, taken, end))) throw new Error("not refunded");
  };

  return { creditedOrder, refund };
}

/** One process of the console. `clock.now` is its time. */
export function openInvoices(db: Database, changes: Partial<InvoiceAnswerDeps> = {}) {
  const { aws, tables } = db;
  const desk = openMembers(db);
  const { clock, lines } = desk;
  const now = () => clock.now;
  const orders = createOrders(aws, tables);
  const ledger = createLedger(aws, tables, now);
  const deps: InvoiceAnswerDeps = {
    invoices: createInvoices(aws, tables),
    orders,
    ledger,
    catalog,
    taxRules: {},
    log: desk.deps.log,
    now,
    ...changes,
  };
  const callers = createCallers(aws, tables);
  const serve = createConsole(invoiceAnswers(deps) as unknown as ConsoleAnswers, {
    log: desk.deps.log,
    identify: (request) => identify(request, { keys: desk.deps.keys, callers, now }),
    asset: async () => undefined,
  });

  /** Asks a route such as `GET /api/v1/invoices?limit=1` as somebody, for one organization. */
  const ask = async (
    [person, organization]: [Person, Organization],
    route: string,
    body?: unknown,
  ): Promise<InvoiceAnswer> => {
    const [method = "", target = ""] = route.split(" ");
    const [path = "", query = ""] = target.split("?");
    const request: ConsoleRequest = {
      ...{ id: newId("request", clock.now), method, path, query: new URLSearchParams(query) },
      headers: { authorization: `Bearer ${await person.token(organization)}` },
      body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
      ...{ received_at: clock.now, deadline_at: clock.now + 30_000, ip: "203.0.113.7" },
    };
    const { status, headers, body: text } = await serve(request);
    const isJson = headers["content-type"] === "application/json";
    return { status, headers, body: isJson ? JSON.parse(String(text)) : undefined, text: String(text) };
  };

  const newOwner = async (): Promise<[Person, Organization]> => {
    const acme = await desk.newOrganization();
    return [await desk.newMember(acme, "owner"), acme];
  };

  return { ask, ...payers(orders, clock), newOwner, desk, clock, lines, deps, orders, ledger };
}
