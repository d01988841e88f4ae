/** What is measured of a month that is over, where another plan has begun since. */
import { expect, test } from "vitest";
import type { Organization, Subscription } from "#shared/books/accounts/account.ts";
import { quotaPeriod } from "#shared/books/billing/period.ts";
import type { Plan } from "#shared/books/catalog/catalog.ts";
import { measuresOf } from "#shared/people/thresholds/measures.ts";

const start = Date.UTC(2026, 8, 1);
const turn = Date.UTC(2026, 9, 1);
const hour = 3_600_000;
const quotas: Record<string, number> = { large: 1_000, small: 500 };
const plan = (name: string) => ({ quota: { monthly: quotas[name] ?? 0 } }) as Plan;

/** The measures of a subscription whose smaller plan begins with October, after so many calls in September. */
function measured(used: number, now: number) {
  const subscription: Subscription = {
    ...{ meter: "mtr_1", plan: "large", period: "monthly", started_at: start, ends_at: null },
    next: { plan: "small", period: "monthly", from: turn },
  };
  const periods = new Map([[quotaPeriod(start, start).id, used]]);
  const meter = { mode: "subscription" as const, periods, wallet: undefined, spent: new Map() };
  const organization = { id: "org_1", subscription, wallet: null } as Organization;
  return measuresOf({ ...meter, organization, keys: undefined, samples: [], plan, now });
}

test("a month that is over is measured against the plan that it had", () => {
  const [before] = measured(850, turn - hour);
  const [after] = measured(850, turn + hour);
  expect(before).toMatchObject({ kind: "quota_reached", of: "1000" });
  expect(after).toEqual({ ...before, isOver: true });
  expect(after?.thresholds.map(({ isReached }) => isReached)).toEqual([true, false]);
});
