/** The audit of budgets: each running counter of a key is the sum of its entries and of the calls in flight. */

import { timeOf } from "../../base/platform/id.ts";
import type { KeyRecord, Organization } from "../../books/accounts/account.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import {
  budgetCost,
  budgetCounter,
  budgetCounters,
  budgetOf,
  isWholePeriod,
  ownName,
} from "../../books/meters/budget.ts";
import { budgetName } from "../../books/meters/hold.ts";
import { budgetUses, type Meter } from "../../books/meters/meter.ts";
import { type InFlight, reconcile, totals } from "./in-flight.ts";
import { levelsMatchLedger } from "./level-budgets.ts";
import type { Finding } from "./rollups.ts";
import type { UseAccounts, Uses } from "./uses.ts";

interface Books {
  organizations: Organization[];
  meters: Pick<Meter, "meter" | "holds" | "seized" | "tasks" | "budgets">[];
  records: readonly KeyRecord[];
  uses: Pick<Uses, "spent">;
  accounts: UseAccounts;
  inFlight: InFlight;
  now: number;
}

/** Running budgets agree with the ledger. The meter may drop counters of days and months that are over. */
export function budgetsMatchLedger(books: Books): Finding {
  const { organizations, meters, records, uses, inFlight, now } = books;
  const running = new Set(budgetCounters(now));
  const items = Map.groupBy(meters, ({ meter }) => meter);
  const counters = [...items].flatMap(([meter, own]) =>
    [...budgetUses(own)].flatMap(([counter, { spent }]) =>
      counter.startsWith("k") && running.has(ownName(counter))
        ? [{ name: `${meter} ${counter}`, meter, spent }]
        : [],
    ),
  );
  const partly = partlyCounted(records, now);
  const isWhole = ({ name }: { name: string }) => !partly.has(name.slice(name.indexOf(" ") + 1));
  const names = new Set(counters.filter(isWhole).map(({ name }) => name));
  const missing = wantedOf(records, organizations, now).filter(
    (each) => isWhole(each) && !names.has(each.name),
  );
  const budgets = [...counters.filter(isWhole), ...missing];
  for (const { name } of missing) names.add(name);
  const budgetOfEvent = ({ meter, key, id }: UsageEvent) =>
    budgetCounters(timeOf(id))
      .map((counter) => `${meter} ${budgetName(key, counter)}`)
      .find((name) => names.has(name));
  const ofKeys = reconcile(
    {
      accounts: budgets,
      counted: totals(budgets.map(({ name, spent }) => [name, spent])),
      booked: uses.spent,
      accountOf: budgetOfEvent,
      amountOf: (event) => budgetCost(event.mode, event),
      told: (points) => `${formatPoints(points)} points`,
      detail: `${budgets.length} running budgets: spent = charged to their keys`,
    },
    organizations,
    inFlight,
  );
  const ofLevels = levelsMatchLedger(books);
  return {
    gaps: [...ofKeys.gaps, ...ofLevels.gaps],
    open: [...(ofKeys.open ?? []), ...(ofLevels.open ?? [])],
    detail: `${ofKeys.detail}; ${ofLevels.detail}`,
  };
}

/**
 * Running counters that lack a part of what their key spent in the period, because the key had no such budget then. They
 * are of keys that were changed.
 */
function partlyCounted(keys: readonly KeyRecord[], now: number): Set<string> {
  return new Set(
    keys.flatMap(({ id, limits, revision, budget_from: from }) => {
      if (revision === undefined) return [];
      const budget = budgetOf(limits);
      const whole = budget && isWholePeriod(budget.period, from, now) && budgetCounter(budget.period, now);
      return budgetCounters(now)
        .filter((counter) => counter !== whole)
        .map((counter) => budgetName(id, counter));
    }),
  );
}

/** The counters of keys with a budget, which have spent nothing unless they are on a meter. */
function wantedOf(keys: readonly KeyRecord[], organizations: readonly Organization[], now: number) {
  const owners = new Map(organizations.map((organization) => [organization.id, organization]));
  return keys.flatMap(({ id, organization, mode, limits }) => {
    const owner = owners.get(organization);
    const meter = mode === "payg" ? owner?.wallet?.meter : owner?.subscription?.meter;
    const budget = budgetOf(limits);
    if (!budget || meter === undefined) return [];
    return [{ name: `${meter} ${budgetName(id, budgetCounter(budget.period, now))}`, meter, spent: 0n }];
  });
}
