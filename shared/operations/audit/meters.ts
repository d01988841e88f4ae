/** The audit of meter items: all of them exist, and every hold ends in its time. */
import type { Organization } from "../../accounts/account.ts";
import { limits } from "../../limits.ts";
import type { Meter } from "../../meters/meter.ts";
import { openedShards } from "../../meters/shards.ts";
import { timeOf } from "../../platform/id.ts";
import { isFinal, type Task, type Tasks } from "../../tasks/task.ts";
import type { Finding } from "./rollups.ts";

/** The hold of a task, and the task if there is one. */
export interface HeldTask {
  id: string;
  shard: number;
  task: Task | undefined;
}

/** Finds the task of every task's hold, through the organization of the meter. */
export async function readHeldTasks(
  tasks: Pick<Tasks, "find">,
  organizations: Organization[],
  meters: Pick<Meter, "meter" | "shard" | "tasks">[],
): Promise<HeldTask[]> {
  const owners = new Map(
    organizations.flatMap(({ id, wallet, subscription }) =>
      [wallet, subscription].flatMap((metered) => (metered ? [[metered.meter, id] as const] : [])),
    ),
  );
  const held: HeldTask[] = [];
  for (const { meter, shard, tasks: ids } of meters) {
    for (const id of ids.keys())
      held.push({ id, shard, task: await tasks.find(owners.get(meter) ?? "", id) });
  }
  return held;
}

/** Every shard that a wallet has opened has its item. */
export function walletsAreWhole(books: {
  organizations: Organization[];
  meters: Pick<Meter, "meter" | "shard">[];
}): Finding {
  const there = new Set(books.meters.map(({ meter, shard }) => `${meter}#${shard}`));
  const named = books.organizations.flatMap(({ wallet }) =>
    wallet ? Array.from({ length: openedShards(wallet) }, (_, shard) => `${wallet.meter}#${shard}`) : [],
  );
  return {
    gaps: named.filter((name) => !there.has(name)).map((name) => `${name} is not there`),
    detail: `${named.length} items of wallets, all there`,
  };
}

/** No hold is older than the longest call and two sweeps. */
export function holdsEnd({
  meters,
  now,
}: {
  meters: Pick<Meter, "holds" | "seized">[];
  now: number;
}): Finding {
  const open = meters.flatMap(({ holds, seized }) => [...holds.keys(), ...seized.keys()]);
  const forgotten = open.filter((request) => isOlder(request, limits.holdExpirySeconds, now));
  return {
    gaps: forgotten.map((request) => `${request} is still held`),
    detail: `${open.length} holds open, none past its time`,
  };
}

/**
 * The hold of a task ends with the task. A task without a verdict keeps its hold until an operator decides; the detail
 * names it.
 */
export function tasksEnd({ unsettledTasks, now }: { unsettledTasks: HeldTask[]; now: number }): Finding {
  const waiting = unsettledTasks.filter(({ task }) => task?.status === "expired" && !task.settled);
  const waits = waiting.length === 0 ? "" : `; no verdict yet on ${waiting.map(({ id }) => id).join(", ")}`;
  return {
    gaps: unsettledTasks.flatMap((held) => gapOf(held, now) ?? []),
    detail: `${unsettledTasks.length} tasks hold${waits}`,
  };
}

function gapOf({ id, shard, task }: HeldTask, now: number): string | undefined {
  // The creation of a younger task may have died, and no sweep has seen it yet.
  if (!isOlder(id, limits.taskOverdueSeconds, now)) return undefined;
  if (!task || task.hold.shard !== shard) return `${id} is held for, and there is no such task`;
  if (task.settled) return `${id} is settled, and still held for`;
  const isForgotten = isOlder(id, limits.taskLifetimeSeconds + limits.taskOverdueSeconds, now);
  return isForgotten && !isFinal(task.status) ? `${id} should have ended` : undefined;
}

function isOlder(id: string, seconds: number, now: number): boolean {
  return timeOf(id) < now - (seconds + limits.sweepsGraceSeconds) * 1000;
}
