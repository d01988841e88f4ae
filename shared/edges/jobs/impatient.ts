/** Gives up a platform that does not answer, for the rest of a run. The others then lose no time by it. */
import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError } from "../../base/errors.ts";
import type { OrderChannel } from "../../people/payments/order.ts";
import type { PaymentPlatform, PaymentPlatforms } from "../../people/payments/platform.ts";

/**
 * Gives a channel up for the run after `reconcileSilencesMax` slow failures in a row: then throws `payment_platform`.
 */
export function impatient(inner: PaymentPlatforms, { now }: { now: () => number }): PaymentPlatforms {
  const silences = new Map<OrderChannel, number>();
  return {
    channels: () => inner.channels(),
    async platform(channel) {
      const own = await inner.platform(channel);
      const patiently =
        <Args extends unknown[], Value>(ask: (...args: Args) => Promise<Value>) =>
        async (...args: Args): Promise<Value> => {
          const before = silences.get(channel) ?? 0;
          if (before >= consoleLimits.reconcileSilencesMax) throw new GatewayError("payment_platform");
          const began = now();
          try {
            const value = await ask(...args);
            silences.delete(channel);
            return value;
          } catch (error) {
            const isSlow = now() - began > consoleLimits.reconcileSlowMs;
            if (isSlow) silences.set(channel, (silences.get(channel) ?? 0) + 1);
            throw error;
          }
        };
      const { cards } = own;
      const charging = cards && { cards: { ...cards, charge: patiently(cards.charge) } };
      return { ...own, ...asked(own, patiently), ...charging };
    },
  };
}

type Questions = Pick<PaymentPlatform, "open" | "query" | "close" | "refund" | "queryRefund">;

function asked(
  own: Questions,
  patiently: <Args extends unknown[], Value>(
    ask: (...args: Args) => Promise<Value>,
  ) => (...args: Args) => Promise<Value>,
): Questions {
  return {
    open: patiently((order) => own.open(order)),
    query: patiently((order) => own.query(order)),
    close: patiently((order) => own.close(order)),
    refund: patiently((request) => own.refund(request)),
    queryRefund: patiently((request) => own.queryRefund(request)),
  };
}
