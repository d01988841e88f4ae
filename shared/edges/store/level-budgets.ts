/**
 * Budgets of an organization's levels that are changed (shared/books/meters/README.md "A budget that is changed"). A change
 * ends the revision before by a mark on each item of the organization's meters. Until the first shard has no more parts out
 * than a lowered budget covers, the calls that it bounds are held there alone.
 */
import { isDeepStrictEqual } from "node:util";
import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Aws } from "../../base/platform/aws.ts";
import type { LevelBudget, Organization } from "../../books/accounts/account.ts";
import type { BudgetsChange } from "../../books/accounts/rows.ts";
import { parsePoints } from "../../books/billing/points.ts";
import { accountCounter, budgetCounter, changedUntil } from "../../books/meters/budget.ts";
import { accountOf, isOfCustomer } from "../../books/meters/levels.ts";
import type { Meter } from "../../books/meters/meter.ts";
import { openedShards } from "../../books/meters/shards.ts";
import { toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, type Change, equals, exists } from "./dynamodb/expressions.ts";
import { meterKey, organizationKey, type TableNames } from "./dynamodb/item-keys.ts";
import { unlessContended, update } from "./dynamodb/transaction.ts";
import { names } from "./meters/meter-item.ts";
import { type StillOver, takePartsBack } from "./meters/parts-back.ts";
import { findOrganization, rowsAre } from "./organizations.ts";
import {
  changeWithMeters,
  onMeters,
  onRecord,
  revisionsToEnd,
  subscriptionMeter,
  walletMeter,
} from "./with-meters.ts";

/** How often the end of a change is tried, which calls on the first shard are in the way of. */
const releasesMax = 5;

type BudgetTables = Pick<TableNames, "keys" | "counters">;

/**
 * Replaces the budgets of an organization's levels at `at` (Unix milliseconds), with the writes of `also`. Says whether they
 * were still those given as `before`. A change that dies may be repeated.
 */
export async function changeBudgets(
  aws: Aws,
  tables: BudgetTables,
  id: string,
  { before, after, at }: BudgetsChange<Organization["budgets"]>,
  also: readonly TransactWriteItem[] = [],
): Promise<boolean> {
  const find = (owner: string) => findOrganization(aws, tables.keys, owner);
  const changed = await changeWithMeters(aws, find, id, async (owner) => {
    if (!isDeepStrictEqual(owner.budgets, before)) return undefined;
    const next = withBudgets(owner, after.map(onFirst(owner, at)));
    const { set, when } = recordChange(tables.keys, owner, next);
    const record = onRecord(tables.keys, owner, {});
    return {
      records: [{ ...record, set: { ...record.set, ...set }, when: [...(record.when ?? []), ...when] }],
      others: marksOf(tables.counters, owner, at),
      also: [...also],
      changed: next,
      recordsFirst: true,
    };
  });
  if (!changed) return false;
  // If it fails or dies, the calls stay on the first shard. That is right too, and slower.
  await spreadAgain(aws, tables, changed, at).catch(() => {});
  return true;
}

/** The organization with other budgets, which are the next revision of them. */
function withBudgets(owner: Organization, budgets: LevelBudget[]): Organization {
  return { ...owner, budgets, budgets_revision: (owner.budgets_revision ?? 0) + 1 };
}

/** The change from one revision to another, on the condition that the first is there. */
function recordChange(table: string, { id, ...before }: Organization, after: Organization) {
  const { budgets, budgets_revision } = after;
  const revision = before.budgets_revision;
  const isFirst = revision === undefined;
  return {
    ...{ table, key: organizationKey(id), set: toItem({ budgets, budgets_revision }) },
    when: [
      rowsAre("budgets", before.budgets),
      isFirst ? absent("budgets_revision") : equals("budgets_revision", toAttribute(revision)),
    ],
  } satisfies Change;
}

/** What says of a changed row that its calls are held on the first shard: other shards may have parts of the budget. */
function onFirst({ wallet, budgets }: Organization, at: number): (row: LevelBudget) => LevelBudget {
  // Of an organization that never had a budget nothing is counted yet.
  const isShared = budgets !== undefined && wallet !== null && openedShards(wallet) > 1;
  return ({ first_until: _, ...row }) => {
    const was = budgets?.find(({ level, id }) => level === row.level && id === row.id);
    const hasRoom = was?.period === row.period && parsePoints(was.points) <= parsePoints(row.points);
    if (!isShared || (hasRoom && was.first_until === undefined)) return row;
    return { ...row, first_until: changedUntil(row.period, at) };
  };
}

/** The marks that end the last revision. Calls that no budget bounds ask for none, so a first budget needs none. */
function marksOf(table: string, owner: Organization, at: number): Change[] {
  if (owner.budgets === undefined || owner.budgets.length === 0) return [];
  const ended = revisionsToEnd(owner.budgets_revision ?? 0, owner.wallet).map(names.endedBudgets);
  const set = Object.fromEntries(ended.map((name) => [name, toAttribute(at)]));
  return onMeters(table, [...subscriptionMeter(owner), ...walletMeter(owner)], { set });
}

/** Takes parts back, and lets all shards take the calls of those budgets again that the first shard's counters are within. */
async function spreadAgain(aws: Aws, tables: BudgetTables, owner: Organization, at: number): Promise<void> {
  const { wallet, budgets = [], budgets_revision } = owner;
  const held = budgets.filter(({ first_until }) => first_until !== undefined);
  if (!wallet || held.length === 0) return;
  const asksOf = (items: readonly Meter[]) =>
    held.flatMap((row) =>
      countersOf(row, items, at).map((counter) => ({ counter, most: parsePoints(row.points) })),
    );
  const { meter } = wallet;
  const mark = names.endedBudgets(budgets_revision);
  const over = await takePartsBack(aws, tables, { meter, asksOf, marks: [mark] });
  const released = budgets.map((row) => (staysFirst(row, over, at) ? row : withoutPlace(row)));
  if (isDeepStrictEqual(released, budgets)) return;
  // Whoever knows the revision that ends holds these calls on the first shard, and so finds the mark there.
  const first = {
    ...{ table: tables.counters, key: meterKey(meter, 0) },
    ...{ set: { [mark]: toAttribute(at) }, when: [exists("kind")] },
  };
  const writes = [recordChange(tables.keys, owner, withBudgets(owner, released)), first].map(update);
  for (let attempt = 1; attempt <= releasesMax; attempt++)
    if ((await unlessContended(aws, writes)) !== "contended") return;
}

/**
 * Whether the calls of a budget must stay on the first shard. Where more is spent than the budget, calls that end give
 * something back to other shards. One customer who has spent more does not hold those of all others.
 */
function staysFirst(row: LevelBudget, over: readonly StillOver[], at: number): boolean {
  if (row.first_until === undefined) return false;
  if (row.level === "customer")
    return over.some(({ counter, hasParts }) => hasParts && isOfCustomer(counter));
  const counter = accountCounter(accountOf(row.level, row.id), row.period, at);
  return over.some((each) => each.counter === counter);
}

function withoutPlace({ first_until: _, ...row }: LevelBudget): LevelBudget {
  return row;
}

/** The counters of the period that runs at `at` which a budget bounds: one, or that of each end customer on these items. */
function countersOf({ level, id, period }: LevelBudget, items: readonly Meter[], at: number): string[] {
  if (level !== "customer") return [accountCounter(accountOf(level, id), period, at)];
  const running = `:${budgetCounter(period, at)}`;
  const counted = items.flatMap(({ budgets }) => [...budgets.keys()]);
  return [...new Set(counted)].filter((name) => isOfCustomer(name) && name.endsWith(running));
}
