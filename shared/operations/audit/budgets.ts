/** What the audit says of keys' budgets: the counters that run are what the entries and the calls in flight come to. */
import type { Organization } from "../../accounts/account.ts";
import { formatPoints } from "../../billing/points.ts";
import type { Entry } from "../../ledger/ledger.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";
import { budgetCost, budgetCounters } from "../../meters/budget.ts";
import { type BudgetShare, budgetName } from "../../meters/meter.ts";
import { timeOf } from "../../platform/id.ts";
import { heldOn, reconcile, totals, type UnderWay } from "./in-flight.ts";
import { type Finding, finalEvents } from "./rollups.ts";

interface Held {
  points: bigint;
  period: string;
  budget?: BudgetShare;
}

interface Meter {
  meter: string;
  shard: number;
  holds: ReadonlyMap<string, Held>;
  seized: ReadonlyMap<string, Held>;
  tasks: ReadonlyMap<string, Held>;
  budgets: ReadonlyMap<string, bigint>;
}

interface Books {
  organizations: Organization[];
  meters: Meter[];
  entries: Entry[];
  underWay: UnderWay;
  now: number;
}

/**
 * What each key has spent of its running budget is what its calls of that time were charged. Days and months that are
 * over may be gone from their item, and are left out. So is a key without a counter: the audit reads no keys.
 */
export function budgetsMatchLedger({ organizations, meters, entries, underWay, now }: Books): Finding {
  const running = new Set(budgetCounters(now));
  const budgets = meters.flatMap(({ meter, budgets: counters, ...item }) => {
    const shares = heldOn<Held>(item).flatMap(({ budget }) => budget ?? []);
    return [...counters].flatMap(([counter, taken]) => {
      if (!running.has(counter.slice(counter.indexOf(":") + 1))) return [];
      const own = shares.filter((share) => share.counter === counter);
      const held = own.reduce((sum, { points }) => sum + points, 0n);
      return [{ name: `${meter} ${counter}`, meter, spent: taken - held }];
    });
  });
  const names = new Set(budgets.map(({ name }) => name));
  const budgetOf = ({ meter, key, id }: UsageEvent) =>
    budgetCounters(timeOf(id))
      .map((counter) => `${meter} ${budgetName(key, counter)}`)
      .find((name) => names.has(name));
  const costOf = (event: UsageEvent) => budgetCost(event.mode, event);
  const booked = finalEvents(entries).flatMap((event) => {
    const name = budgetOf(event);
    return name === undefined ? [] : [[name, costOf(event)] as const];
  });
  return reconcile(
    {
      accounts: budgets,
      counted: totals(budgets.map(({ name, spent }) => [name, spent])),
      booked: totals(booked),
      accountOf: budgetOf,
      amountOf: costOf,
      told: (points) => `${formatPoints(points)} points`,
      detail: `${budgets.length} running budgets: spent = charged to their keys`,
    },
    organizations,
    underWay,
  );
}
