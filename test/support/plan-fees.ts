/** Subscribers of plans with prices of their own, a clock, and their fees as the ledger has them. */
import type { Organization, PlanChoice } from "#shared/books/accounts/account.ts";
import type { Plan } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import { postPlanFees } from "#shared/edges/jobs/plan-fees.ts";
import { createOrganization } from "#shared/edges/operator/organizations.ts";
import { createPlanEnds } from "#shared/edges/store/orders/plan-ends.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { useStores } from "./stores.ts";

/** When every subscriber of these tests has bought its plan. */
export const started = Date.parse("2026-01-31T10:00:00Z");
export const at = (day: string) => Date.parse(`${day}T00:00:00Z`);

/** Stores of their own, with what these tests do to them. */
export function usePlanFees() {
  const { accounts, meters, ledger, db } = useStores();
  const prices = {
    free: { monthly: "0", quarterly: "0", yearly: "0" },
    lite: { monthly: "129", quarterly: "327", yearly: "1188" },
    pro: { monthly: "599", quarterly: "1647", yearly: "5988" },
  };
  const shipped = createCatalog(parseCatalog(catalogFile));
  const plan = (name: string): Plan | undefined => {
    const known = shipped.plan(name);
    return known && { ...known, price: prices[name as keyof typeof prices] };
  };
  const clock = { now: started };
  const deps = {
    ...{ accounts, meters, ledger, planEnds: createPlanEnds(db.aws, db.tables) },
    ...{ plans: () => Object.keys(prices), plan, now: () => clock.now },
  };
  const feesOf = async ({ id }: Organization): Promise<Entry[]> =>
    (await ledger.creditsAndFees(id)).filter(({ kind }) => kind === "plan_fee");

  return {
    ...{ deps, clock, prices, feesOf },

    /** An organization of its own that has bought a plan. */
    async subscriber(plan: string, period: PlanChoice["period"] = "monthly"): Promise<Organization> {
      clock.now = started;
      return await createOrganization({ name: "Acme", plan, period }, deps);
    },

    /** Fees as `day plan points`, what is owed to the customer with a minus. */
    async told(organization: Organization): Promise<string[]> {
      return (await feesOf(organization)).map(({ fee, at: from, points, debit }) => {
        const sign = debit.startsWith("receivable:") ? "" : "-";
        return `${new Date(from).toISOString().slice(0, 10)} ${fee?.plan} ${sign}${points}`;
      });
    },

    /** The schedule's pass at midnight of a day, over one organization. */
    async pass(day: string, { id }: Organization) {
      clock.now = at(day);
      const organizations = async function* () {
        const one = await accounts.organization(id);
        if (one) yield one;
      };
      return await postPlanFees({ ...deps, accounts: { ...accounts, organizations }, log: () => {} });
    },
  };
}
