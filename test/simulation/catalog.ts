/** What the simulated gateway sells. */
import { createCatalog, type ModelCatalog } from "#shared/catalog/models.ts";
import { parseCatalog } from "#shared/catalog/schema.ts";
import { testCatalog } from "../support/memory.ts";

/** Calls of a quota month, in every plan. */
export const monthlyQuota = 6;

/** Two providers, so that a call can go on with the second; a small quota, and a plan without limits of the minute. */
export function simulatedCatalog(): ModelCatalog {
  const base = testCatalog("https://provider.example") as {
    providers: { test: object };
    models: { channels: object[] }[];
    plans: { free: object };
  };
  const quota = { monthly: monthlyQuota, quarterly: monthlyQuota, yearly: monthlyQuota };
  const spare = { provider: "spare", model: "spare-model" };
  return createCatalog(
    parseCatalog({
      ...base,
      providers: { ...base.providers, spare: base.providers.test },
      models: base.models.map((model) => ({ ...model, channels: [...model.channels, spare] })),
      plans: {
        free: { ...base.plans.free, quota },
        pro: { ...base.plans.free, quota, rpm: null, tpm: null },
      },
    }),
  );
}
