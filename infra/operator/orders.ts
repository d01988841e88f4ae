/** The operator's commands on orders of points and plans. */

import { decideReview, listOrders, refundOrder, showOrderOf } from "#shared/operations/admin/orders.ts";
import { orderStates } from "#shared/payments/order.ts";
import { createAuditLog } from "#shared/store/identity/audit.ts";
import { createOrders } from "#shared/store/orders/orders.ts";
import { type Call, choice, command, count, flag, flagOf, type Group, needed } from "./command.ts";
import { logAside, storesOf } from "./stores.ts";

const ordersAtOnce = 100;
const ordersMost = 9_999;

const id = {
  name: "ID",
  what: "the order's id",
  missing: "give the id of the order; order list shows it",
};
/** An id as the examples write it. */
const sample = "ord_01M83T77JCBBMVDA0MM61SRH7B";
const sampleOrganization = "org_01M81Z5H5K9AHWPQ118FTWPX14";

/** What the commands need of the place they work on. The platforms are asked by the stage itself. */
async function ordersOf(call: Pick<Call, "place">) {
  const { connection, accounts, now } = await storesOf(call);
  const { aws, tables } = connection;
  return {
    ...{ accounts, now, log: logAside },
    orders: createOrders(aws, tables),
    audit: createAuditLog(aws, tables),
  };
}

const list = command({
  words: "order list",
  what: "lists orders of an organization, or all in a state, the newest first",
  flags: {
    org: flag("ID", "only orders of this organization"),
    state: choice(orderStates, "only orders in this state, such as review"),
    limit: flagOf("N", `at most so many; ${ordersAtOnce} if not given`, count(ordersMost)),
  },
  examples: [
    { words: "--state review", what: "orders that wait for a decision" },
    { words: `--org ${sampleOrganization}`, what: "the orders of one organization" },
  ],
  async run(call) {
    const { org: organization, state, limit = ordersAtOnce } = call.flags;
    const asked = { limit, ...(organization && { organization }), ...(state && { state }) };
    return { value: await listOrders(asked, await ordersOf(call)), ok: true };
  },
});

const show = command({
  words: "order show",
  what: "shows an order with its payment, its refunds, and what is doubted about it",
  operands: [id],
  flags: {},
  examples: [{ words: sample, what: "one order" }],
  run: async (call) => ({ value: await showOrderOf(call.operands[0] ?? "", await ordersOf(call)), ok: true }),
});

const decisions = ["credit", "dismiss"] as const;

const review = command({
  words: "order review",
  what: "decides about an order whose payment does not agree with it, or was paid back without us",
  more: "credit counts what was paid, at the order's own rate. dismiss credits nothing: pay the money back at the platform. An order that is credited is dismissed: its refund is noted, and org credit takes the points.",
  operands: [id],
  flags: { decision: needed(choice(decisions, "what is done")) },
  examples: [
    { words: `${sample} --decision credit`, what: "books the points of what was paid" },
    { words: `${sample} --decision dismiss`, what: "closes the order" },
  ],
  forGood: ({ operands, flags: { decision } }) =>
    decision === "credit"
      ? `What was paid for ${operands[0]} is credited.`
      : `${operands[0]} is closed, and nothing is credited. If it is credited already, it stays so.`,
  async run(call) {
    const deps = await ordersOf(call);
    return { value: await decideReview(call.operands[0] ?? "", call.flags.decision, deps), ok: true };
  },
});

const refund = command({
  words: "order refund",
  what: "pays an order back, as far as its points are not used",
  more: "The points are taken at once. The stage asks the platform within a minute; order show tells how it ended.",
  operands: [id],
  flags: {
    amount: flag("X", "how much of it, such as 50.00; all that is left if not given"),
    reason: needed(flag("TEXT", "why; the platform shows it to the customer")),
  },
  examples: [{ words: `${sample} --amount 50.00 --reason mistake`, what: "a part of one order" }],
  forGood: ({ operands, flags: { amount } }) =>
    `${amount ?? "All that is left"} of ${operands[0]} is paid back to the customer.`,
  async run(call) {
    const { amount, reason } = call.flags;
    return {
      value: await refundOrder(call.operands[0] ?? "", { amount, reason }, await ordersOf(call)),
      ok: true,
    };
  },
});

export const orders: Group = { title: "Orders", commands: [list, show, review, refund] };
