/** Video tasks. The request lies beside in parts that expire. Task, hold and entry end in one transaction. */

import type { TransactWriteItem } from "@aws-sdk/client-dynamodb";
import { limits } from "../../base/limits.ts";
import type { Aws } from "../../base/platform/aws.ts";
import { timeOf } from "../../base/platform/id.ts";
import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import type { WholePrices } from "../../books/billing/pricing/price.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { givenBack, type PlacedHold, type Settlement } from "../../books/meters/hold.ts";
import { countersKept, type KeptCounters, keepCounters } from "../../books/meters/kept-counters.ts";
import type { Changed, Task, TaskChange, Tasks as TaskPort } from "../../calls/tasks/task.ts";
import { fromAttribute, type Item, toAttribute, toItem } from "./dynamodb/attributes.ts";
import { absent, type Change, type Condition, equals } from "./dynamodb/expressions.ts";
import {
  everything,
  meterKey,
  readRecord,
  type TableNames,
  taskKey,
  taskPartition,
  taskRange,
  taskRequestKey,
  taskRequestPartition,
} from "./dynamodb/item-keys.ts";
import { changeItem, getItem, itemsBetween, lastBetween, putItem, updateItem } from "./dynamodb/items.ts";
import { put, transact, update } from "./dynamodb/transaction.ts";
import { transactPostings } from "./ledger/late-postings.ts";
import { entryWrite, eventKey, posting, usageEntry } from "./ledger/postings.ts";
import { createPriceHistory } from "./ledger/price-history.ts";
import { SpreadOrganizations } from "./ledger/spread.ts";
import { releaseChange, settlementAmounts } from "./meters/amounts.ts";
import { names } from "./meters/meter-item.ts";
import type { VideoNews } from "./news/video-news.ts";

type TaskTables = Pick<TableNames, "tasks" | "counters" | "ledger">;

/**
 * The tasks of a table, and the meters and the ledger their ends are written to. `whole` is for the price history. `news`
 * tells webhooks of ends; without it nobody is told.
 */
export function createTasks(
  aws: Aws,
  tables: TaskTables,
  now: () => number = Date.now,
  whole?: WholePrices,
  news?: VideoNews,
): TaskPort {
  const table = tables.tasks;
  const history = createPriceHistory(aws, tables, whole);
  const spread = new SpreadOrganizations();

  const find: TaskPort["find"] = async (organization, id) =>
    readTask(await getItem(aws, table, taskKey(organization, id)));

  const release: TaskPort["release"] = (hold, id) =>
    changeItem(aws, releaseHold(tables, hold, id, givenBack(timeOf(id))));

  return {
    find,

    async create(task, request) {
      await Promise.all(requestParts(task, request).map((item) => putItem(aws, table, item, [])));
      const item = { ...taskKey(task.organization, task.id), ...toItem(storedTask(task)) };
      const { done, item: known } = await putItem(aws, table, item, [absent("pk")]);
      // Ids are our own: one that is there already is this very task, whose first answer was lost.
      return done || readTask(known) !== undefined;
    },

    async request(task) {
      const items = await itemsBetween(aws, table, taskRequestPartition(task.id), everything);
      const parts = items.map((item) => item.part && (fromAttribute(item.part) as Buffer));
      return Buffer.concat(parts.filter((part) => part !== undefined));
    },

    async list(organization, from, most) {
      const items = await lastBetween(aws, table, taskPartition(organization), taskRange(from), most);
      return items.flatMap((item) => readTask(item) ?? []);
    },

    async change(task, change) {
      const write = taskChange(table, task, change);
      const lines = (change.status === "expired" && (await news?.linesOf({ ...task, ...change }))) || [];
      if (lines.length === 0) {
        const { done, item } = await updateItem(aws, write);
        return { done, task: readTask(item) ?? task };
      }
      const outcomes = await transact(aws, [update(write), ...lines]);
      if (!outcomes) return { done: true, task: { ...task, ...change } };
      return { done: false, task: readTask(outcomes[0]?.item) ?? task };
    },

    async settle(task, change, event, settlement) {
      await history.remember([event]);
      const at = now();
      const { own, hash } = settling(tables, task, change, { event, settlement, at });
      // An operator's verdict on an expired task is no second end.
      const lines = (change.status && (await news?.linesOf({ ...task, ...change }, event))) || [];
      const place = { aws, tables, spread, now: at };
      const outcomes = await transactPostings(place, [...own, ...lines], [posting(event, hash)]);
      if (!outcomes) return { done: true, task: { ...task, ...change, settled: true } };
      const known = readTask(outcomes[0]?.item);
      if (!outcomes[0]?.failed || !known) throw new Error(`task ${task.id} and its hold disagree`);
      return { done: false, task: known } satisfies Changed;
    },

    async bar(hold, organization, id) {
      const barred = { ...taskKey(organization, id), ...toItem({ barred: true }) };
      const released = releaseHold(tables, hold, id, givenBack(timeOf(id)));
      const outcomes = await transact(aws, [put(table, barred, [absent("pk")]), update(released)]);
      if (outcomes === null) return true;
      if (await find(organization, id)) return false;
      // Barred before: what holds now came late, or is on another shard. It has no task to come either.
      await release(hold, id);
      return true;
    },

    release,
  };
}

/** A task as it is stored: what it holds is in decimal strings. */
interface StoredTask extends Omit<Task, "hold"> {
  hold: Pick<PlacedHold, "meter" | "shard" | "mode" | "period" | "key" | "calls"> & {
    points: string;
    day_points?: string;
    /** The share of each budget. */
    budget_points?: string;
  } & KeptCounters;
}

function storedTask(task: Task): StoredTask {
  const { budgets, dayPoints, tokens: _, ...hold } = task.hold;
  const [share] = budgets ?? [];
  return {
    ...task,
    hold: {
      ...hold,
      points: formatPoints(hold.points),
      ...(dayPoints !== undefined && { day_points: formatPoints(dayPoints) }),
      ...(share && { ...keepCounters(task.hold), budget_points: formatPoints(share.points) }),
    },
  };
}

/** Reads a task; undefined where its place was barred. */
function readTask(item: Item | undefined): Task | undefined {
  if (!item?.status) return undefined;
  const task = readRecord<StoredTask>(item);
  const { points, day_points, budget, budgets, budget_points = "0", ...hold } = task.hold;
  const shares = countersKept({ ...(budget !== undefined && { budget }), ...(budgets && { budgets }) }).map(
    (counter) => ({ counter, points: parsePoints(budget_points) }),
  );
  return {
    ...task,
    hold: {
      ...hold,
      points: parsePoints(points),
      // A task reserves no tokens.
      tokens: 0,
      ...(day_points !== undefined && { dayPoints: parsePoints(day_points) }),
      ...(shares.length > 0 && { budgets: shares }),
    },
  };
}

function requestParts({ id }: Task, request: Buffer): Item[] {
  const expires_at = Math.floor(timeOf(id) / 1000) + limits.taskRequestLifetimeSeconds;
  const parts: Item[] = [];
  for (let from = 0; from < request.length; from += limits.taskRequestPartBytes) {
    const part = request.subarray(from, from + limits.taskRequestPartBytes);
    parts.push({ ...taskRequestKey(id, parts.length), ...toItem({ part, expires_at }) });
  }
  return parts;
}

/** A write on a task that is still in the state it was read in. */
function taskChange(table: string, task: Task, change: TaskChange & { settled?: true }): Change {
  const { organization, id, status, submission, mark, repairs, settled } = task;
  const as = { status, submission, mark, settled, ...(change.repairs !== undefined && { repairs }) };
  const when: Condition[] = Object.entries(as).map(([name, value]) => equals(name, toAttribute(value)));
  return { table, key: taskKey(organization, id), set: toItem(change), when };
}

/** What ends a task, but the rollups, with its entry's hash. The task comes first: its outcome tells who was faster. */
function settling(
  tables: TaskTables,
  task: Task,
  change: TaskChange,
  { event, settlement, at }: { event: UsageEvent; settlement: Settlement; at: number },
): { own: TransactWriteItem[]; hash: bigint } {
  const { write, hash } = entryWrite(tables.ledger, eventKey(event), usageEntry(event, at));
  const own = [
    update(taskChange(tables.tasks, task, { ...change, settled: true })),
    update(releaseHold(tables, task.hold, task.id, settlement)),
    write,
  ];
  return { own, hash };
}

/** The end of a task's hold. Its minute is long over, so the windows of requests are left alone. */
function releaseHold(
  tables: Pick<TaskTables, "counters">,
  hold: PlacedHold,
  task: string,
  settlement: Settlement,
): Change {
  const amounts = settlementAmounts(task, hold, settlement, []);
  const key = meterKey(hold.meter, hold.shard);
  return releaseChange(tables.counters, key, { name: names.hold(task), held: hold }, amounts, []);
}
