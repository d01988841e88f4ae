/** The operator's command on what an organization buys by itself. */

import { createAutoTopUps } from "#shared/edges/store/orders/auto-top-ups.ts";
import { createOrders } from "#shared/edges/store/orders/orders.ts";
import { byOperator } from "#shared/people/orders/deps.ts";
import { showTopUp } from "#shared/people/orders/show-top-up.ts";
import { turnOff } from "#shared/people/orders/top-up-terms.ts";
import { isOpen } from "#shared/people/payments/states.ts";
import { command, onOff } from "./command.ts";
import { id, sample } from "./organization-change.ts";
import { organizationOf, storesOf } from "./stores.ts";

/** `org auto-top-up`. */
export const autoTopUp = command({
  words: "org auto-top-up",
  what: "shows what an organization buys by itself when its wallet is low, or turns that off",
  more: "The card stays at the platform, and members can turn it on again. An order that is shown is not over: it may have been charged, and the stage closes it at the platform within minutes. To stop charges for good, freeze the organization.",
  operands: [id],
  flags: { off: onOff("turns it off first") },
  examples: {
    [sample]: "the card, the terms, and why it pauses",
    [`${sample} --off`]: "nothing more is charged without a person",
  },
  async run(call) {
    const stores = await storesOf(call);
    const { id: organization } = await organizationOf(stores, call.operand);
    const { aws, tables } = stores.connection;
    const deps = { topUps: createAutoTopUps(aws, tables), now: stores.now };
    if (!call.flags.off) return { value: await showTopUp(await deps.topUps.of(organization), deps) };
    const topUp = await turnOff({ organization, user: byOperator, ip: null }, {}, deps);
    const orders = createOrders(aws, tables);
    const order = topUp.order === undefined ? undefined : await orders.find(topUp.order);
    // Only the stage asks platforms. Its next run closes the order there.
    if (order && isOpen(order.state)) await orders.move(order, "ended", {}, stores.now());
    return { value: await showTopUp(topUp, deps) };
  },
});
