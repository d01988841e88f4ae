/** Automatic orders broken on purpose: each rule of people/payments/auto-top-up.md taken away around the ports. */
import type { AutoTopUp, ChargeableTopUp } from "#shared/people/payments/auto-top-up.ts";
import type { AutoTopUps } from "#shared/people/payments/auto-top-ups.ts";
import type { ChargedOrder } from "#shared/people/payments/platform.ts";
import type { OrderMutation } from "./world.ts";

const topUps = (change: (own: AutoTopUps) => Partial<AutoTopUps>): OrderMutation => {
  return (inner) => ({ topUps: { ...inner.topUps, ...change(inner.topUps) } });
};

/** By what is wrong with the product. */
export const topUpMutants: Record<string, OrderMutation> = {
  "frees the place of an automatic order while it is open": topUps((own) => ({
    async order(topUp, ...order) {
      const made = await own.order(topUp, ...order);
      const { order: _open, ...free } = await own.of(topUp.organization);
      if (made === "created") await own.change({ ...free, order: "" }, free, { lines: [] });
      return made;
    },
  })),
  "counts no automatic order against the month": topUps((own) => ({
    used: async () => 0,
    order: (topUp, ...order) => own.order(withoutBound(topUp), ...order),
  })),
  "reads the month and makes an order without a condition": topUps((own) => ({
    order: (topUp, ...order) => own.order(withoutBound(topUp), ...order),
  })),
  "gives back no sum of an automatic order that closed": topUps((own) => ({
    change: (before, after, { lines }) => own.change(before, after, { lines }),
  })),
  "does not read that top-up was turned off": topUps((own) => ({
    of: async (organization) => ({ ...(await own.of(organization)), is_on: true }),
  })),
  "charges a card again after it was declined": topUps((own) => ({
    change: (before, after, change) => own.change(before, unworried(after), change),
  })),
  "opens another payment each time": (inner) => ({
    platforms: {
      ...inner.platforms,
      async platform(channel) {
        const own = await inner.platforms.platform(channel);
        const { cards } = own;
        const charging = cards && {
          ...cards,
          charge: async (order: ChargedOrder) => {
            const id = `${order.id}.${inner.now()}`;
            const { amount = 0, currency = "" } = (await inner.orders.find(order.id)) ?? {};
            const another = { ...order, id, amount, currency, expires_at: inner.now() };
            await own.open({ ...another, subject: "", notify_url: "", return_url: "" });
            return await cards.charge({ ...order, id });
          },
        };
        return { ...own, ...(charging && { cards: charging }) };
      },
    },
  }),
};

function withoutBound(topUp: ChargeableTopUp): ChargeableTopUp {
  return { ...topUp, terms: { ...topUp.terms, month_max: Number.MAX_SAFE_INTEGER } };
}

/** Settings that know of no failure. */
function unworried({ paused: _why, failures: _count, not_before: _at, ...others }: AutoTopUp): AutoTopUp {
  return others;
}
