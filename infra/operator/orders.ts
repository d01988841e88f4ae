/** The operator's commands on orders of points and plans. */

import { listOrders, type OrderLine, orderInstants } from "#shared/edges/operator/order-lists.ts";
import { type OrderTotal, totalOrders } from "#shared/edges/operator/order-totals.ts";
import { decideReview, refundablesOf, refundOrder, showOrderOf } from "#shared/edges/operator/orders.ts";
import { showOrganization } from "#shared/edges/operator/organizations.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { createOrders } from "#shared/edges/store/orders/orders.ts";
import { orderChannels, orderStates, reviewDecisions } from "#shared/people/payments/order.ts";
import {
  type CommandCall,
  type CommandGroup,
  type CommandOutcome,
  choice,
  command,
  flag,
  flagOf,
  needed,
} from "./command.ts";
import { listed, listFormat, listLimit } from "./lists.ts";
import { dayOrMoment, logAside, organizationOf, storesOf, storesWithCatalog } from "./stores.ts";

const id = {
  name: "ID",
  what: "the order's id",
  missing: "give the id of the order; order list shows it",
};
/** An id as the examples write it. */
const sample = "ord_01M83T77JCBBMVDA0MM61SRH7B";

/** What the commands need of the place they work on. The platforms are asked by the stage itself. */
async function ordersOf(call: Pick<CommandCall, "place">) {
  const { connection, accounts, now } = await storesOf(call);
  const { aws, tables } = connection;
  return {
    ...{ accounts, now, log: logAside },
    orders: createOrders(aws, tables),
    audit: createAuditLog(aws, tables),
  };
}

/** The same with what a refund needs: the plans of the catalog say how many calls a month has. */
async function refundsOf(call: Pick<CommandCall, "place" | "catalogFile">) {
  const { ledger, meters, plan } = await storesWithCatalog(call);
  return { ...(await ordersOf(call)), ledger, meters, catalog: { plan } };
}

/** `org show`: an organization, and what of its newest orders can be paid back. */
export async function showWithRefundable(call: CommandCall): Promise<CommandOutcome> {
  const stores = await refundsOf(call);
  const organization = await organizationOf(stores, call.operand);
  const refundable = await refundablesOf(organization, stores);
  return { value: { ...(await showOrganization(organization, stores)), refundable } };
}

const columns: readonly (keyof OrderLine)[] = [
  ...(["id", "organization", "kind", "channel", "state", "amount", "currency"] as const),
  ...(["paid", "refunded", "returned", "points", "booked_as", "transaction"] as const),
  ...(["created_at", "paid_at", "credited_at"] as const),
];

const list = command({
  words: "order list",
  what: "lists orders, the newest first",
  more: "Days are of UTC. CSV and --json have more columns, such as the points and the platform's id of the payment. The column refunded has what we paid back. The column returned has what the platform paid back without us, once order review has dismissed it.",
  flags: {
    org: flag("ID", "only orders of this organization"),
    state: choice(orderStates, "only orders in this state, such as review"),
    channel: choice(orderChannels, "only orders of this channel"),
    from: flagOf("DAY", "from this day or instant on", dayOrMoment),
    to: flagOf("DAY", "up to this day or instant, and without it", dayOrMoment),
    by: choice(orderInstants, "which instant of an order --from and --to look at; created if not given"),
    limit: listLimit,
    format: listFormat,
  },
  examples: {
    "--state review": "orders that wait for a decision",
    "--from 2026-11-22 --to 2026-11-23 --by paid --limit 9999 --format csv > paid.csv":
      "what was paid on one day, into a file",
  },
  async run(call) {
    const { org: organization, state, channel, from, to, by, limit, format } = call.flags;
    checkRange(from, to);
    const deps = await ordersOf(call);
    if (organization !== undefined) await organizationOf(deps, organization);
    const given = { organization, state, channel, from, to, by };
    const asked = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const value = await listOrders({ ...asked, limit }, deps);
    const shown = { orders: value.orders.map(shortOf), more: value.more };
    return listed({ value, shown, columns, rows: value.orders.map((line) => ({ ...line })) }, format);
  },
});

/** What fits on one line of a terminal. */
function shortOf(line: OrderLine): object {
  const { id, organization, kind, channel, state, amount, currency, created_at } = line;
  return { id, organization, kind, channel, state, amount, currency, created_at };
}

const totalColumns: readonly (keyof OrderTotal)[] = [
  ...(["day", "channel", "currency", "orders", "paid", "refunds", "paid_back"] as const),
  ...(["returned", "points", "ledger_points", "difference"] as const),
];

const totals = command({
  words: "order totals",
  what: "adds up what was paid and paid back on each day, by channel and currency, and compares it with the ledger",
  more: "Days are of UTC and of the bookings: a payment of just before midnight may be booked after it. The column paid_back has what our refunds took. The column returned has what the platform paid back without us, on the day of the order. The ledger has no entry of that and is compared without it. It exits with 1 where points and ledger differ; audit then names the orders.",
  flags: {
    from: needed(flagOf("DAY", "the first day, or an instant", dayOrMoment)),
    to: needed(flagOf("DAY", "the day after the last, or an instant", dayOrMoment)),
    format: listFormat,
  },
  examples: {
    "--from 2026-11-01 --to 2026-12-01": "a month, day by day",
    "--from 2026-11-22 --to 2026-11-23 --format csv": "one day, for a spreadsheet",
  },
  async run(call) {
    const { from, to, format } = call.flags;
    checkRange(from, to);
    const { ledger } = await storesOf(call);
    const found = await totalOrders({ from, to }, { ...(await ordersOf(call)), ledger });
    const shown = { days: found.days, all: found.totals.map(({ day: _, ...total }) => total) };
    const rows = found.days.map((line) => ({ ...line }));
    return listed({ value: found, shown, columns: totalColumns, rows, ok: found.agrees }, format);
  },
});

function checkRange(from: number | undefined, to: number | undefined): void {
  if (from !== undefined && to !== undefined && from > to) throw new Error("--from is after --to");
}

const show = command({
  words: "order show",
  what: "shows an order with its payment, its refunds, and what is doubted about it",
  operands: [id],
  examples: { [sample]: "one order" },
  run: async (call) => ({ value: await showOrderOf(call.operand, await refundsOf(call)) }),
});

const review = command({
  words: "order review",
  what: "decides about an order in review",
  more: "Its payment does not agree with it, or its platform has paid it back without us. The field doubt of order show says what is wrong, with amounts in the smallest unit of the currency. With credit the stage books the points of what was paid, at the order's own rate, within a minute. With dismiss the order is closed and gets no points. Then pay the money back on the platform's own pages. An order that has its points already can only be dismissed: what was paid back is noted as returned, and the points stay. So take them with org credit first.",
  operands: [id],
  flags: { decision: needed(choice(reviewDecisions, "what is done")) },
  examples: {
    [`${sample} --decision credit`]: "books the points of what was paid",
    [`${sample} --decision dismiss`]: "closes the order",
  },
  forGood: ({ operand, flags: { decision } }) =>
    decision === "credit"
      ? `What was paid for ${operand} is credited.`
      : `${operand} is closed, and nothing is credited. If it has its points already, it keeps them.`,
  async run(call) {
    const deps = await ordersOf(call);
    return { value: await decideReview(call.operand, call.flags.decision, deps) };
  },
});

const refund = command({
  words: "order refund",
  what: "pays an order back, as far as its own points or its plan are not used",
  more: "Calls use points first that nobody has paid for, and then bought ones, the oldest first. Of a plan, the months to come are paid back, and the days or calls of the running month that are left, whichever is less. The plan ends at once; where the order was an upgrade, the plan before it runs on. order show tells under refundable what is left. The points or the plan are taken at once. The stage asks the platform within a minute; order show tells how it ended.",
  operands: [id],
  flags: {
    amount: flag("X", "how much of it, such as 50.00; all that can be paid back if not given"),
    reason: needed(flag("TEXT", "why; the platform shows it to the customer")),
  },
  examples: { [`${sample} --amount 50.00 --reason mistake`]: "a part of one order" },
  forGood: ({ operand, flags: { amount } }) =>
    `${amount ?? "All that can be paid back"} of ${operand} is paid back to the customer. If it paid for a plan, that ends.`,
  async run(call) {
    const { amount, reason } = call.flags;
    return { value: await refundOrder(call.operand, { amount, reason }, await refundsOf(call)) };
  },
});

export const orders: CommandGroup = { title: "Orders", commands: [list, totals, show, review, refund] };
