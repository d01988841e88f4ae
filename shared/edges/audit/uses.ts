/**
 * What was charged to each wallet, quota month and budget, by the sums of hours. Where these do not tell, by entries.
 */

import { timeOf } from "../../base/platform/id.ts";
import type { BillingMode, KeyRecord, Organization, Subscription } from "../../books/accounts/account.ts";
import { personOf } from "../../books/accounts/key-state.ts";
import { anchorAt } from "../../books/accounts/subscription.ts";
import { hourOf, hourStart, quotaPeriod } from "../../books/billing/period.ts";
import { parsePoints } from "../../books/billing/points.ts";
import type { Entry, PlacedRollup } from "../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { budgetCounters } from "../../books/meters/budget.ts";
import { budgetName } from "../../books/meters/hold.ts";
import { accountOf } from "../../books/meters/levels.ts";
import { dayPointsCounter } from "../../books/meters/window.ts";
import type { KeptBooks } from "./kept.ts";
import { finalEvents } from "./rollups.ts";

/** Sums by what has them. Points are 10⁻¹⁸. */
export interface Uses {
  /** By the meter of a wallet. */
  charged: Map<string, bigint>;
  /** By `<meter> <quota month>`. */
  calls: Map<string, bigint>;
  /** By `<meter> <counter>`, of budgets that run. */
  spent: Map<string, bigint>;
  /** What calls on a subscription came to today at list price, by its meter. */
  today: Map<string, bigint>;
}

export function noUses(): Uses {
  return { charged: new Map(), calls: new Map(), spent: new Map(), today: new Map() };
}

/** Some calls of one key, all of one quota month and of one day. */
interface Use {
  meter: string;
  mode: BillingMode;
  key: string;
  /** The project that the key had; null where nobody knows. */
  owner: string | null;
  at: number;
  calls: number;
  cost: bigint;
  list: bigint;
}

/** What uses are sorted by. */
export interface UseAccounts {
  /** By the meter. */
  subscriptions: ReadonlyMap<string, Subscription>;
  /** The counters of budgets that run. */
  running: ReadonlySet<string>;
  /** The counter of a plan's running day. */
  today: string;
  /** The meters of organizations whose levels have or had budgets. */
  leveled: ReadonlySet<string>;
  /** The users whom keys descend from, by the key. */
  people: ReadonlyMap<string, string>;
}

/** The accounts of organizations at `now`, with their keys. */
export function accountsOf(
  organizations: readonly Organization[],
  now: number,
  keys: readonly KeyRecord[] = [],
): UseAccounts {
  const leveled = organizations.filter(({ budgets }) => budgets !== undefined);
  const own = organizations.flatMap(({ subscription }) => (subscription ? [subscription] : []));
  return {
    subscriptions: new Map(own.map((each) => [each.meter, each])),
    running: new Set(budgetCounters(now)),
    today: dayPointsCounter(now),
    leveled: new Set(
      leveled.flatMap(({ wallet, subscription }) => [wallet?.meter ?? "", subscription?.meter ?? ""]),
    ),
    people: new Map(
      keys.flatMap((key) => {
        const person = personOf(key);
        return person === undefined ? [] : [[key.id, person]];
      }),
    ),
  };
}

/** The accounts of levels that a call counts on, if its organization's levels have budgets. */
export function levelAccounts(
  { meter, key, owner }: Pick<Use, "meter" | "key" | "owner">,
  { leveled, people }: Pick<UseAccounts, "leveled" | "people">,
): string[] {
  if (!leveled.has(meter)) return [];
  const person = people.get(key);
  return [
    accountOf("organization", ""),
    ...(owner ? [accountOf("project", owner)] : []),
    ...(person === undefined ? [] : [accountOf("member", person)]),
  ];
}

/** The quota month of a call, as its meter names it; undefined on a wallet. */
export function monthOf(
  { meter, mode, at }: Pick<Use, "meter" | "mode" | "at">,
  { subscriptions }: Pick<UseAccounts, "subscriptions">,
): string | undefined {
  const subscription = subscriptions.get(meter);
  if (subscription === undefined || mode !== "subscription") return undefined;
  return `${meter} ${quotaPeriod(anchorAt(subscription, at), at).id}`;
}

/** Adds calls to what they were charged to. */
function addUse(uses: Uses, use: Use, accounts: UseAccounts): void {
  const add = (sums: Map<string, bigint>, name: string, amount: bigint) =>
    sums.set(name, (sums.get(name) ?? 0n) + amount);
  const { meter, mode, key, at, calls, cost, list } = use;
  if (mode === "payg") add(uses.charged, meter, cost);
  if (mode === "subscription" && calls > 0 && dayPointsCounter(at) === accounts.today)
    add(uses.today, meter, list);
  const month = monthOf(use, accounts);
  if (month !== undefined) add(uses.calls, month, BigInt(calls));
  const bounding = levelAccounts(use, accounts);
  for (const counter of budgetCounters(at)) {
    if (!accounts.running.has(counter)) continue;
    const amount = mode === "payg" ? cost : list;
    add(uses.spent, `${meter} ${budgetName(key, counter)}`, amount);
    for (const account of bounding) add(uses.spent, `${meter} ${account}:${counter}`, amount);
  }
}

/** The use that an event is. */
function useOf({ id, meter, mode, key, project, calls, cost_points, list_points }: UsageEvent): Use {
  return {
    meter,
    mode,
    key,
    owner: project,
    at: timeOf(id),
    calls,
    cost: parsePoints(cost_points),
    list: parsePoints(list_points),
  };
}

/** The uses of entries. */
export function usesOf(entries: readonly Entry[], accounts: UseAccounts): Uses {
  const uses = noUses();
  for (const event of finalEvents(entries)) addUse(uses, useOf(event), accounts);
  return uses;
}

/** Adds what an hour of an organization comes to. `modes` are those of its keys. */
export async function addHour(
  uses: Uses,
  { id, wallet, subscription }: Organization,
  rollups: readonly PlacedRollup[],
  {
    modes,
    accounts,
    kept,
  }: {
    modes: ReadonlyMap<string, BillingMode>;
    accounts: UseAccounts;
    kept: Pick<KeptBooks, "entriesOf">;
  },
): Promise<void> {
  const [{ span: hour } = { span: "" }] = rollups;
  const meterOf = (key: string | null): [meter: string, mode: BillingMode] | undefined => {
    const mode = key === null ? undefined : modes.get(key);
    const meter = mode === "payg" ? wallet?.meter : subscription?.meter;
    return mode && meter !== undefined ? [meter, mode] : undefined;
  };
  const restarts = subscription?.restarts?.map(hourOf) ?? [];
  if (restarts.includes(hour) || rollups.some(({ key }) => meterOf(key) === undefined)) {
    const entries: Entry[] = [];
    for await (const { entry } of kept.entriesOf(id, hour)) if (entry) entries.push(entry);
    for (const event of finalEvents(entries)) addUse(uses, useOf(event), accounts);
    return;
  }
  for (const { key, owner, sums } of rollups) {
    const [meter, mode] = meterOf(key) ?? ["", "payg"];
    const { calls, cost_points: cost, list_points: list } = sums;
    addUse(uses, { meter, mode, key: key ?? "", owner, at: hourStart(hour), calls, cost, list }, accounts);
  }
}
