/** The audit of meter items: all of them exist, and every hold ends in its time. */

import { limits } from "../../base/limits.ts";
import { timeOf } from "../../base/platform/id.ts";
import type { Organization, Wallet } from "../../books/accounts/account.ts";
import type { Meter } from "../../books/meters/meter.ts";
import { openedShards } from "../../books/meters/shards.ts";
import { isFinal, type Task, type Tasks } from "../../calls/tasks/task.ts";
import { differences, finding, unreadIn } from "./kept.ts";
import type { Finding } from "./rollups.ts";

/** The hold of a task, and the task if there is one. */
export interface HeldTask {
  id: string;
  shard: number;
  task: Task | undefined;
  /** What is wrong with it, where it cannot be read. */
  faults?: string[];
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
    for (const id of ids.keys()) {
      let task: Task | undefined;
      const faults = await unreadIn(id, async () => {
        task = await tasks.find(owners.get(meter) ?? "", id);
      });
      held.push({ id, shard, task, ...(faults.length > 0 && { faults }) });
    }
  }
  return held;
}

/** Every meter that an organization names has all of its items, and says what the account says. */
export function metersAreWhole(books: {
  organizations: readonly Organization[];
  meters: readonly Pick<
    Meter,
    "meter" | "shard" | "mode" | "opened" | "owner" | "shardsAtRetirement" | "granted"
  >[];
  /** What revocations and freezes say otherwise. */
  marks: readonly string[];
}): Finding {
  const there = new Map(books.meters.map((item) => [`${item.meter}#${item.shard}`, item]));
  const named = books.organizations.flatMap(({ id, wallet, subscription }) => [
    ...(wallet ? shardsOf(id, wallet) : []),
    ...(subscription
      ? [
          {
            ...{ item: `${subscription.meter}#0`, owner: `${id}, by its subscription.meter:` },
            must: { mode: "subscription" },
          },
        ]
      : []),
  ]);
  const gaps = named.flatMap(({ item, owner, must }) => {
    const own = there.get(item);
    const wrong = own ? differences(own, must) : ["is not there with its kind"];
    return wrong.map((each) => `${owner} ${item} ${each}`);
  });
  const uncounted = books.organizations.flatMap(({ id, wallet }) =>
    wallet && !isCounted(wallet) ? [`${id} has the wallet.shards ${String(wallet.shards)}`] : [],
  );
  return finding(
    [...gaps, ...uncounted, ...strayPoints(books), ...books.marks],
    `${named.length} items of meters, all there`,
  );
}

/** Points on items that their wallet does not know: no call can use them, and they are in no balance. */
function strayPoints({
  organizations,
  meters,
}: {
  organizations: readonly Organization[];
  meters: readonly Pick<Meter, "meter" | "shard" | "granted">[];
}): string[] {
  const opened = new Map(
    organizations.flatMap(({ wallet }) => (wallet ? [[wallet.meter, openedShards(wallet)] as const] : [])),
  );
  return meters
    .filter(({ meter, shard, granted }) => granted !== 0n && shard >= (opened.get(meter) ?? Infinity))
    .map(({ meter, shard }) => `${meter}#${shard} has points, and its wallet has ${opened.get(meter)} items`);
}

/** Calls are spread over as many items as a wallet has, or over fewer. */
function isCounted(wallet: Wallet): boolean {
  const [shards, opened] = [wallet.shards, openedShards(wallet)];
  return Number.isSafeInteger(shards) && Number.isSafeInteger(opened) && shards >= 1 && shards <= opened;
}

/** What the items of a wallet must say. The first of several knows how many there are, and whose they are. */
function shardsOf(id: string, wallet: Wallet) {
  const opened = openedShards(wallet);
  return Array.from({ length: opened }, (_, shard) => ({
    item: `${wallet.meter}#${shard}`,
    owner: `${id}, by its wallet.meter and ${opened} of wallet.shards:`,
    must: {
      mode: "payg",
      ...(shard === 0 && { opened, shardsAtRetirement: null }),
      ...(shard === 0 && opened > 1 && { owner: id }),
    },
  }));
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

/** A hold ends with its task. Without a verdict it stays until an operator decides; the detail names it. */
export function tasksEnd({ unsettledTasks, now }: { unsettledTasks: HeldTask[]; now: number }): Finding {
  const waiting = unsettledTasks.filter(({ task }) => task?.status === "expired" && !task.settled);
  const waits = waiting.length === 0 ? "" : `; no verdict yet on ${waiting.map(({ id }) => id).join(", ")}`;
  return {
    gaps: unsettledTasks.flatMap((held) => held.faults ?? gapOf(held, now) ?? []),
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
