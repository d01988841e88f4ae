/** What the audit says of meter items: that all are there, and that whatever they hold comes to an end. */
import type { Organization } from "../../accounts/account.ts";
import { limits } from "../../limits.ts";
import { openedShards } from "../../meters/shards.ts";
import { timeOf } from "../../platform/id.ts";
import { isFinal, type Task, type Tasks } from "../../tasks/task.ts";
import type { Finding } from "./rollups.ts";

interface Meter {
  meter: string;
  shard: number;
  holds: ReadonlyMap<string, unknown>;
  seized: ReadonlyMap<string, unknown>;
  tasks: ReadonlyMap<string, unknown>;
}

/** A task's hold, and the task it is for, if there is one. */
export interface HeldTask {
  id: string;
  shard: number;
  task: Task | undefined;
}

/** The tasks that meters hold for, by the organizations that the meters are of. */
export async function readHeldTasks(
  tasks: Pick<Tasks, "find">,
  organizations: Organization[],
  meters: Meter[],
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

/** Every shard that a wallet has opened is there. */
export function walletsAreWhole(books: { organizations: Organization[]; meters: Meter[] }): Finding {
  const there = new Set(books.meters.map(({ meter, shard }) => `${meter}#${shard}`));
  const named = books.organizations.flatMap(({ wallet }) =>
    wallet ? Array.from({ length: openedShards(wallet) }, (_, shard) => `${wallet.meter}#${shard}`) : [],
  );
  return {
    gaps: named.filter((name) => !there.has(name)).map((name) => `${name} is not there`),
    detail: `${named.length} items of wallets, all there`,
  };
}

/** No hold outlives its call's time and two sweeps. */
export function holdsEnd({ meters, now }: { meters: Meter[]; now: number }): Finding {
  const open = meters.flatMap(({ holds, seized }) => [...holds.keys(), ...seized.keys()]);
  const forgotten = open.filter((request) => isOlder(request, limits.holdExpirySeconds, now));
  return {
    gaps: forgotten.map((request) => `${request} is still held`),
    detail: `${open.length} holds open, none past its time`,
  };
}

/**
 * Whatever is held for a task ends with it. One that got no verdict keeps its hold until an operator decides:
 * it is not forgotten, but to be seen.
 */
export function tasksEnd({ heldTasks, now }: { heldTasks: HeldTask[]; now: number }): Finding {
  const waiting = heldTasks.filter(({ task }) => task?.status === "expired" && !task.settled);
  const waits = waiting.length === 0 ? "" : `; no verdict yet on ${waiting.map(({ id }) => id).join(", ")}`;
  return {
    gaps: heldTasks.flatMap((held) => gapOf(held, now) ?? []),
    detail: `${heldTasks.length} tasks hold${waits}`,
  };
}

function gapOf({ id, shard, task }: HeldTask, now: number): string | undefined {
  // So long a task's creation may have died, and the sweep not yet have seen it.
  if (!isOlder(id, limits.taskOverdueSeconds, now)) return undefined;
  if (!task || task.hold.shard !== shard) return `${id} is held for, and there is no such task`;
  if (task.settled) return `${id} is settled, and still held for`;
  const isForgotten = isOlder(id, limits.taskLifetimeSeconds + limits.taskOverdueSeconds, now);
  return isForgotten && !isFinal(task.status) ? `${id} should have ended` : undefined;
}

function isOlder(id: string, seconds: number, now: number): boolean {
  return timeOf(id) < now - (seconds + limits.sweepsGraceSeconds) * 1000;
}
