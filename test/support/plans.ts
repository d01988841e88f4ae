/** A plan that bounds nothing, and whoever has a plan. */
import type { Organization, Principal } from "#shared/books/accounts/account.ts";
import type { Plan } from "#shared/books/catalog/catalog.ts";

export const plain: Plan = {
  price: { monthly: "0", quarterly: "0", yearly: "0" },
  quota: { monthly: 1_000_000, quarterly: 1, yearly: 1 },
  ...{ rpm: null, tpm: null, tpd: null, models: ["*"], n_max: null, routing: "smart", cache: false },
  ...{ tools: {}, ways: {}, video: {}, list_points_max: null },
};

export const subscription = {
  meter: "m",
  plan: "mine",
  period: "monthly",
  started_at: 0,
  ends_at: null,
} as const;
export const subscribed = (plan: string) =>
  ({
    key: { mode: "subscription", limits: null },
    organization: { subscription: { ...subscription, plan }, wallet: null } as unknown as Organization,
  }) as Principal;
