/** The sandbox's trades, as the check of the simulation's books reads them. */
import type { Trade as SandboxTrade } from "#infra/local/sandbox/payment-platform/trade.ts";
import type { OrderTrades } from "#test/simulation/orders/books.ts";
import type { Trade } from "#test/support/trades.ts";

/** By channel and order. */
export function asTrades(all: readonly SandboxTrade[]): OrderTrades {
  const of = (channel: SandboxTrade["channel"]) => {
    const own = all.filter((trade) => trade.channel === channel);
    return { trades: new Map(own.map((trade) => [trade.order, asTrade(trade)])) };
  };
  return { alipay: of("alipay"), wechat: of("wechat"), stripe: of("stripe") };
}

function asTrade({ state, amount, paid, currency, created_at, paid_at, refunds }: SandboxTrade): Trade {
  return {
    state: state === "open" ? "pending" : state,
    ...{ amount, currency, opened_at: created_at },
    ...(paid_at !== undefined && { paid_at }),
    ...(paid !== undefined && paid !== amount && { paid_amount: paid }),
    refunded: refunds.reduce((sum, refund) => sum + refund.amount, 0),
  };
}
