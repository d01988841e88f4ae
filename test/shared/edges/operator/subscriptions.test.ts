/** Plans that change, end and are renewed: from when on, what stays counted, and what a caller sees. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { Organization, PlanChoice, Subscription } from "#shared/books/accounts/account.ts";
import { isRunning, planAt, withPlan } from "#shared/books/accounts/subscription.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { meterOf } from "#shared/calls/access/meter.ts";
import { showOrganization } from "#shared/edges/operator/organizations.ts";
import { changePlan, setEnd } from "#shared/edges/operator/subscriptions.ts";
import { createPlanEnds } from "#shared/edges/store/orders/plan-ends.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { noon, planHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const day = 86_400_000;
const catalog = createCatalog(parseCatalog(catalogFile));
const quotaOf = ({ plan, period }: PlanChoice) => catalog.plan(plan)?.quota[period] ?? 0;
const started = Date.parse("2026-01-31T10:00:00Z");
const now = Date.parse("2026-02-10T00:00:00Z");
const nextMonth = Date.parse("2026-02-28T00:00:00Z");

const lite: Subscription = {
  meter: "mtr_1",
  plan: "lite",
  period: "monthly",
  started_at: started,
  ends_at: null,
};
const choice = (plan: string, period: PlanChoice["period"] = "monthly"): PlanChoice => ({ plan, period });

describe("a change", () => {
  test.each([
    [choice("pro"), "at once"],
    [choice("lite", "yearly"), "at once"],
    [choice("free"), "next month"],
  ])("from lite to %j acts %s", (wanted, when) => {
    const changed = withPlan(lite, wanted, quotaOf, now);
    expect(planAt(changed, now)).toEqual(when === "at once" ? wanted : choice("lite"));
    expect(planAt(changed, nextMonth - 1)).toEqual(when === "at once" ? wanted : choice("lite"));
    expect(planAt(changed, nextMonth)).toEqual(wanted);
    expect(changed).toMatchObject({ meter: lite.meter, started_at: started, ends_at: null });
  });

  test("of the period alone is no upgrade where it gives no more calls", () => {
    const free = { ...lite, plan: "free" };
    const changed = withPlan(free, choice("free", "yearly"), quotaOf, now);
    expect(changed.next).toEqual({ plan: "free", period: "yearly", from: nextMonth });
  });

  test("that is due is replaced by the next, and taken back by the plan that runs", () => {
    const down = withPlan(lite, choice("free"), quotaOf, now);
    expect(withPlan(down, choice("lite"), quotaOf, now + day)).toEqual(lite);
    const up = withPlan(down, choice("pro"), quotaOf, now + day);
    expect(up).toEqual({ ...lite, plan: "pro" });
  });

  test("starts from the plan that has begun, also where the record still says the one before", () => {
    const down = withPlan(lite, choice("free"), quotaOf, now);
    const later = nextMonth + day;
    expect(withPlan(down, choice("lite"), quotaOf, later)).toEqual(lite);
    expect(withPlan(down, choice("free"), quotaOf, later)).toEqual({ ...lite, plan: "free" });
  });
});

test("a subscription runs until the instant of its end", () => {
  expect(isRunning({ ...lite, ends_at: now }, now - 1)).toBe(true);
  expect(isRunning({ ...lite, ends_at: now }, now)).toBe(false);
  expect(isRunning(lite, now)).toBe(true);
});

describe("stored", () => {
  const { accounts, meters, ledger, db } = useStores();
  const planEnds = createPlanEnds(db.aws, db.tables);
  let clock = now;
  const deps = () => ({ accounts, ledger, planEnds, plan: catalog.plan, now: () => clock });

  async function subscriber(change: Partial<Subscription> = {}): Promise<Organization> {
    clock = now;
    const meter = newId("meter", noon);
    await meters.open(meter, 0, "subscription");
    const organization: Organization = {
      id: newId("organization", noon),
      name: "Acme",
      status: "active",
      subscription: { ...lite, meter, ...change },
      wallet: null,
      permissions: [],
      created_at: noon,
    };
    await accounts.createOrganization(organization);
    return organization;
  }

  /** What a call of the organization meets at an instant: admission's own limits, on the real meter. */
  async function callAt(organization: Organization, at: number) {
    const key = { mode: "subscription" } as never;
    const { meter, planLimits } = meterOf({ key, organization }, at, { catalog });
    if (!planLimits) throw new Error("no plan limits");
    return await meters.admit(planHold(meter, planLimits, 0, at));
  }
  const quotaAt = async (organization: Organization, at: number) =>
    (await callAt(organization, at)).limitStatus.quota;

  test("an upgrade keeps the calls used, a downgrade waits for the month and starts it at none", async () => {
    const organization = await subscriber();
    for (let i = 0; i < 3; i++) await callAt(organization, now + i);
    const up = await changePlan(organization, { plan: "pro" }, deps());
    expect(await quotaAt(up, now + 10)).toMatchObject({ limit: 10_000, remaining: 10_000 - 4 });
    const down = await changePlan(up, { plan: "free" }, deps());
    expect(await quotaAt(down, now + 20)).toMatchObject({ limit: 10_000, remaining: 10_000 - 5 });
    expect(await quotaAt(down, nextMonth - 1)).toMatchObject({ limit: 10_000, resetAt: nextMonth });
    expect(await quotaAt(down, nextMonth)).toMatchObject({ limit: 100, remaining: 99 });
    expect(await accounts.organization(organization.id)).toEqual(down);
  });

  test("a quota that is used up is open again at once by an upgrade", async () => {
    const organization = await subscriber({ plan: "free" });
    for (let i = 0; i < 100; i++) await callAt(organization, now + i * 60_000);
    const later = now + 101 * 60_000;
    expect(await callAt(organization, later)).toMatchObject({ error: "quota_exhausted" });
    const up = await changePlan(organization, { plan: "lite", period: "quarterly" }, deps());
    expect(await quotaAt(up, later)).toMatchObject({ limit: 1100, remaining: 999 });
  });

  test.each(["free", "lite", "pro"])("%s has the quota of its period, each month", async (plan) => {
    for (const period of ["monthly", "quarterly", "yearly"] as const) {
      const organization = await subscriber({ plan, period });
      for (const at of [now, nextMonth, nextMonth + 31 * day]) {
        const limit = catalogFile.plans[plan as "free"].quota[period];
        expect(await quotaAt(organization, at)).toMatchObject({ limit, remaining: limit - 1 });
      }
    }
  });

  test("an end refuses from its instant on, and a renewal opens the same month again", async () => {
    const organization = await subscriber();
    await callAt(organization, now);
    const ended = await setEnd(organization, now + day, deps());
    expect(await quotaAt(ended, now + day - 1)).toMatchObject({ remaining: 998 });
    await expect(callAt(ended, now + day)).rejects.toMatchObject({ key: "subscription_lapsed" });
    const renewed = await setEnd(ended, null, deps());
    expect(await quotaAt(renewed, now + day)).toMatchObject({ remaining: 997 });
  });

  test("of two commands that read the same, one wins and the other says so", async () => {
    const organization = await subscriber();
    const both = await Promise.allSettled([
      changePlan(organization, { plan: "pro" }, deps()),
      setEnd(organization, now, deps()),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const lost = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    expect(lost.reason).toMatchObject({
      key: "invalid_request",
      message: expect.stringContaining("meanwhile"),
    });
  });

  test("what there is not is refused, and nothing is made", async () => {
    const organization = await subscriber();
    for (const plan of ["none", "toString"])
      await expect(changePlan(organization, { plan }, deps())).rejects.toMatchObject({
        key: "invalid_request",
      });
    const bare = { ...organization, subscription: null };
    await expect(setEnd(bare, null, deps())).rejects.toMatchObject({ key: "invalid_request" });
    expect(await accounts.setSubscription("org_none", lite, lite)).toBeUndefined();
    expect(await accounts.organization("org_none")).toBeUndefined();
  });

  test("the operator is shown the plan that runs, and the one that is due while it is due", async () => {
    const down = await changePlan(await subscriber(), { plan: "free" }, deps());
    const shown = async () => {
      const all = { ...deps(), accounts, ledger: {} as never, meters, plans: () => [] };
      return ((await showOrganization(down, all)) as { subscription: object }).subscription;
    };
    expect(await shown()).toMatchObject({
      plan: "lite",
      next: { plan: "free", period: "monthly", from: "2026-02-28T00:00:00.000Z" },
    });
    clock = nextMonth;
    expect(await shown()).toMatchObject({ plan: "free", next: null });
  });
});
