/** The product broken on purpose: each rule of people/payments/README.md taken away around the ports. */
import { GatewayError } from "#shared/base/errors.ts";
import type { OrderDeps } from "#shared/people/orders/deps.ts";
import type { PaymentPlatform } from "#shared/people/payments/platform.ts";
import { topUpMutants } from "./mutants-of-top-ups.ts";
import type { OrderMutation } from "./world.ts";

const platforms = (inner: OrderDeps, change: (own: PaymentPlatform) => Partial<PaymentPlatform>) => ({
  platforms: {
    ...inner.platforms,
    platform: async (channel: Parameters<OrderDeps["platforms"]["platform"]>[0]) => {
      const own = await inner.platforms.platform(channel);
      return { ...own, ...change(own) };
    },
  },
});

/** By what is wrong with the product. */
export const orderMutants: Record<string, OrderMutation> = {
  "books each time anew": (inner) => ({
    orders: {
      ...inner.orders,
      credit: (order, credit) =>
        inner.orders.credit(order, { ...credit, reference: `${credit.reference}.${inner.now()}` }),
    },
  }),
  "credits no closed order": (inner) => ({
    orders: {
      ...inner.orders,
      move: async (order, trigger, facts, due_at) =>
        order.state === "closed" ? order : await inner.orders.move(order, trigger, facts, due_at),
    },
  }),
  "asks about no closed order": (inner) => ({
    orders: {
      ...inner.orders,
      // It is not due at all. One that stayed due would be looked for every minute, and its history be a hundred times as long.
      move: (order, trigger, facts, due_at) =>
        inner.orders.move(order, trigger, facts, trigger === "closed" ? null : due_at),
    },
  }),
  "never asks a platform by itself": (inner) =>
    platforms(inner, ({ query }) => ({
      query: async (order) => ({ ...(await query(order)), state: "pending" }),
      close: async () => "closed",
    })),
  "knows other accounts than its own": (inner) => ({
    platforms: {
      ...inner.platforms,
      async platform(channel) {
        const own = await inner.platforms.platform(channel);
        return { ...own, accounts: { app_id: "attacker" } };
      },
    },
  }),
  "does not see what went back without it": (inner) => ({
    orders: {
      ...inner.orders,
      move: async (order, trigger, facts, due_at) =>
        trigger === "returned" ? order : await inner.orders.move(order, trigger, facts, due_at),
    },
  }),
  "looks at open orders more and more seldom": (inner) => ({
    orders: {
      ...inner.orders,
      visit: (order, visit) => {
        const due_at = visit.due_at === null ? null : visit.due_at + visit.tries * 60_000;
        return inner.orders.visit(order, { ...visit, due_at });
      },
    },
  }),
  "pays back before the ledger takes the points": (inner) => ({
    orders: {
      ...inner.orders,
      async takeRefund(order, refund, credit, due_at) {
        const request = { ...refund, order, transaction: order.paid?.transaction ?? "" };
        await (await inner.platforms.platform(order.channel)).refund(request);
        return await inner.orders.takeRefund(order, refund, credit, due_at);
      },
    },
  }),
  "asks for a refund under a new id each time": (inner) =>
    platforms(inner, ({ refund, queryRefund }) => ({
      refund: (request) => refund({ ...request, id: `${request.id}.${inner.now()}` }),
      queryRefund: (request) => queryRefund({ ...request, id: `${request.id}.none` }),
    })),
  "keeps no times of the plans that it sells": (inner) => ({
    orders: {
      ...inner.orders,
      create: (order, due_at, claim) => {
        const { plan, action, period, from } = order.plan ?? {};
        const kept = plan && action && period && { plan: { plan, action, period, from: from ?? null } };
        return inner.orders.create({ ...order, ...kept }, due_at, claim);
      },
    },
  }),
  "forgets the key of a plan that points pay for": (inner) => ({
    orders: { ...inner.orders, buy: (order, bought) => inner.orders.buy(order, bought) },
  }),
  "takes other points for a plan than it costs": (inner) => ({
    orders: {
      ...inner.orders,
      buy: (order, { payment, ...change }, claim) =>
        inner.orders.buy(order, { ...change, payment: { ...payment, points: payment.points + 1n } }, claim),
    },
  }),
  "gives more points back for a plan than it was paid with": (inner) => ({
    orders: {
      ...inner.orders,
      takePlan: (order, refund, { payment, ...change }) =>
        inner.orders.takePlan(order, refund, {
          ...change,
          payment: "meter" in payment ? { ...payment, points: payment.points + 1n } : payment,
        }),
    },
  }),
  "pays plans back and keeps their fees": (inner) => ({
    orders: {
      ...inner.orders,
      takePlan: (order, refund, taken) =>
        inner.orders.takePlan(order, refund, { ...taken, fee: { ...taken.fee, unused_points: "0" } }),
    },
  }),
  "forgets which order a refund is of": (inner) => ({
    orders: {
      ...inner.orders,
      takeRefund: (order, refund, { of: _of, ...credit }, due_at) =>
        inner.orders.takeRefund(order, refund, credit, due_at),
    },
  }),
  "never gives back the points of a refund that is refused": (inner) => ({
    orders: {
      ...inner.orders,
      endRefund: (order, refund, { back: _back, ...end }) => inner.orders.endRefund(order, refund, end),
    },
  }),
  "takes silence for a refusal of a refund": (inner) =>
    platforms(inner, ({ refund }) => ({
      refund: (request) =>
        refund(request).catch((error: unknown) => {
          if (error instanceof GatewayError) return "refused";
          throw error;
        }),
    })),
  ...topUpMutants,
};
