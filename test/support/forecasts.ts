/** Another catalog for forecasts, and calls as they end. */
import { newId } from "#shared/base/platform/id.ts";
import type { PinnedPrice } from "#shared/books/billing/pricing/price.ts";
import type { HouseCost, Model, Plan } from "#shared/books/catalog/catalog.ts";
import { type CallEnd, endCall } from "#shared/books/ledger/end-call.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { CallIdentity } from "#shared/books/meters/hold.ts";
import type { ForecastCatalog } from "#shared/books/reports/forecast/forecast.ts";
import { noon } from "./store.ts";

/** A catalog of one model, `acme/one`, at this price. `costs` are those of its channels at `acme`. */
export function catalogOf(
  price: PinnedPrice,
  { costs = [], ...change }: Partial<ForecastCatalog> & { costs?: (HouseCost | undefined)[] } = {},
): ForecastCatalog {
  const channels = costs.map((cost) => ({ provider: "acme", ...(cost && { cost }) }));
  const model = { id: "acme/one", channels } as unknown as Model;
  return {
    find: (name) => (name === model.id ? model : undefined),
    price: () => price,
    ownFee: () => undefined,
    plan: () => undefined,
    recharge: () => ({}),
    seller: () => ({ issuer: "Acme", currency: undefined }),
    ...change,
  };
}

/** The terms of a plan that a forecast reads: what it costs. */
export function planOf(monthly: string, yearly = "12"): Plan {
  return { price: { monthly, quarterly: "3", yearly } } as unknown as Plan;
}

/** The event of a call of `acme/one` that ended so. */
export function endedCall(
  price: PinnedPrice,
  usage: UsageEvent["usage"],
  call: Partial<CallIdentity> = {},
  end: Partial<CallEnd> = {},
): UsageEvent {
  const identity: CallIdentity = {
    ...{ id: newId("request", noon), kind: "chat", organization: "org_1", project: "", key: "key_1" },
    ...{ model: "acme/one", mode: "payg", meter: "mtr_1", shard: 0, price, user: null },
    ...call,
  };
  return endCall(identity, {
    ...{ at: noon + 1000, source: "gateway", usage, evidence: "reported", outcome: "completed" },
    ...{ free: false, flags: [], provider: "acme", attempts: 1 },
    ...end,
  });
}
