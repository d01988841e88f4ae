/**
 * The store of tasks and one wallet in memory, for races. Every call is one indivisible step, as on the real
 * store. Whatever must never happen throws at once.
 */

import { GatewayError } from "#shared/base/errors.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { ticketOf } from "#shared/books/meters/hold.ts";
import type { CallMeters } from "#shared/books/meters/meter.ts";
import type { RepairDeps } from "#shared/calls/tasks/repair.ts";
import { isFinal, type Task, type TaskChange, type Tasks } from "#shared/calls/tasks/task.ts";
import { copyOf } from "./copy.ts";

export interface TaskBooks {
  tasks: Tasks;
  meters: CallMeters & RepairDeps["meters"];
  /** By task id. */
  kept: Map<string, Task>;
  holds: Map<string, bigint>;
  entries: Map<string, UsageEvent>;
  granted: bigint;
  avail: bigint;
  used: bigint;
}

export function createTaskBooks(granted: bigint): TaskBooks {
  const requests = new Map<string, Buffer>();
  const barred = new Set<string>();
  const books = {
    kept: new Map(),
    holds: new Map(),
    entries: new Map(),
    granted,
    avail: granted,
    used: 0n,
  } as unknown as TaskBooks;

  const release = (id: string, points: bigint): boolean => {
    const held = books.holds.get(id);
    if (held === undefined) return false;
    books.holds.delete(id);
    books.avail += held - points;
    books.used += points;
    return true;
  };

  /** The task as it is now if it is still as it was read; writes the change. */
  const write = (task: Task, change: TaskChange & { settled?: true }): boolean => {
    const now = books.kept.get(task.id);
    if (!now) throw new Error("no such task");
    const same = (["status", "submission", "mark", "settled"] as const).every(
      (name) => now[name] === task[name],
    );
    if (!same || (change.repairs !== undefined && now.repairs !== task.repairs)) return false;
    if (isFinal(now.status) && change.status !== undefined) throw new Error(`a second end: ${change.status}`);
    books.kept.set(task.id, { ...now, ...change });
    return true;
  };
  const current = (id: string): Task => copyOf(books.kept.get(id) as Task);

  books.tasks = {
    async create(task, request) {
      if (barred.has(task.id)) return false;
      requests.set(task.id, request);
      books.kept.set(task.id, copyOf(task));
      return true;
    },
    find: async (_, id) => (books.kept.has(id) ? current(id) : undefined),
    request: async ({ id }) => requests.get(id) ?? Buffer.alloc(0),
    list: async () => [...books.kept.values()],
    async change(task, change) {
      return { done: write(task, change), task: current(task.id) };
    },
    async settle(task, change, event, settlement) {
      if (!write(task, { ...change, settled: true })) return { done: false, task: current(task.id) };
      if (!release(task.id, settlement.points)) throw new Error("settled without a hold");
      if (books.entries.has(event.id)) throw new Error("a second entry");
      books.entries.set(event.id, event);
      return { done: true, task: current(task.id) };
    },
    async bar(_, __, id) {
      if (books.kept.has(id)) return false;
      barred.add(id);
      release(id, 0n);
      return true;
    },
    release: async (_, id) => release(id, 0n),
  };
  books.meters = metersOf(books, release);
  return books;
}

/** The meters of the books. `release` settles what a task holds. */
function metersOf(books: TaskBooks, release: (id: string, points: bigint) => boolean): TaskBooks["meters"] {
  const intents = new Map<string, Parameters<CallMeters["intend"]>[0] | null>();
  return {
    async admit(hold) {
      books.holds.set(hold.request, hold.points);
      books.avail -= hold.points;
      return { admitted: true, limitStatus: {}, ticket: ticketOf(hold) };
    },
    async intend(intent) {
      if (intents.get(intent.request) === null) throw new GatewayError("global_rate_limited");
      intents.set(intent.request, intent);
    },
    gather: async ({ shard }) => ({ shard }),
    extend: async (ticket) => ({ extended: true, ticket }),
    settle: async ({ hold }, { points }) => release(hold.request, points),
    abandon: async ({ hold }) => release(hold.request, 0n),
    balance: async () => books.granted - books.used,
    budgets: async () => new Map(),
    async *everyMeter() {
      const tasks = new Map([...books.holds].map(([id, points]) => [id, { points, tokens: 0, period: "" }]));
      yield { meter: "mtr_1", shard: 0, mode: "payg", tasks };
    },
    intent: async (id) => intents.get(id) ?? undefined,
    async closeIntent(id) {
      const intent = intents.get(id);
      if (!intent) intents.set(id, null);
      return intent ?? undefined;
    },
  };
}

/** Checks that no point was made or lost, and that every hold has a task that can still end it. */
export function bookGaps({ granted, avail, used, holds, kept, entries }: TaskBooks): string[] {
  const held = [...holds.values()].reduce((sum, points) => sum + points, 0n);
  const charged = [...entries.values()].reduce((sum, { cost_points }) => sum + parsePoints(cost_points), 0n);
  const tasks = [...kept.values()];
  return [
    ...(granted === avail + held + used ? [] : ["the wallet does not balance"]),
    ...(charged === used ? [] : ["the ledger charged another sum than the wallet"]),
    ...tasks
      .filter(({ id, settled }) => settled === holds.has(id))
      .map(({ id }) => `${id} and its hold disagree`),
    ...tasks
      .filter(({ id, settled }) => settled !== entries.has(id))
      .map(({ id }) => `${id} and its entry disagree`),
    ...tasks
      .filter(({ status, settled }) => settled !== isFinal(status) && status !== "expired")
      .map(({ id, status }) => `${id} is ${status} and settled or not`),
  ];
}
