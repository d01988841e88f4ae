/** The audit of keys' budgets: each running counter is the sum of its entries and of the calls in flight. */
import type { Organization } from "../../accounts/account.ts";
import { formatPoints } from "../../billing/points.ts";
import type { Entry } from "../../ledger/ledger.ts";
import type { UsageEvent } from "../../ledger/usage-event.ts";
import { budgetCost, budgetCounters } from "../../meters/budget.ts";
import { budgetName } from "../../meters/hold.ts";
import { allHeld, type Meter } from "../../meters/meter.ts";
import { timeOf } from "../../platform/id.ts";
import { type InFlight, reconcile, totals } from "./in-flight.ts";
import { type Finding, finalEvents } from "./rollups.ts";

interface Books {
  organizations: Organization[];
  meters: Pick<Meter, "meter" | "holds" | "seized" | "tasks" | "budgets">[];
  entries: Entry[];
  inFlight: InFlight;
  now: number;
}

/**
 * Every key has spent of its running budget what its calls of that time were charged. Past days and months are left
 * out, because the meter may have dropped their counters. Keys without a counter are left out too: the
 * audit reads no keys.
 */
export function budgetsMatchLedger({ organizations, meters, entries, inFlight, now }: Books): Finding {
  const running = new Set(budgetCounters(now));
  const budgets = meters.flatMap(({ meter, budgets: counters, ...item }) => {
    const shares = allHeld(item).flatMap(({ budget }) => budget ?? []);
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
    inFlight,
  );
}
