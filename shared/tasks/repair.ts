/**
 * Looks after tasks whose creator or execution died: every hold of a task on a meter has a task that ends, or
 * goes back. It never asks a provider; it starts the execution that does.
 */
import type { BillingMode } from "../accounts/account.ts";
import { formatPoints } from "../billing/points.ts";
import { limits } from "../limits.ts";
import type { BudgetShare, Intent } from "../meters/meter.ts";
import { timeOf } from "../platform/id.ts";
import { describeError } from "../platform/log.ts";
import type { TaskDeps, TaskLifetime } from "./deps.ts";
import { expire } from "./end.ts";
import { isOverdue } from "./poll.ts";
import { isFinal, type Task, type TaskHold } from "./task.ts";
import { executionOf } from "./workflow.ts";

/** What a meter item holds for a task. */
interface TaskShare {
  points: bigint;
  period: string;
  key?: string;
  budget?: BudgetShare;
}

/** What the repair asks of the meters; the store implements it. */
export interface RepairedMeters {
  everyMeter(): AsyncIterable<{
    meter: string;
    shard: number;
    mode: BillingMode;
    tasks: Map<string, TaskShare>;
  }>;
  intent(request: string): Promise<Intent | undefined>;
  closeIntent(request: string): Promise<Intent | undefined>;
}

export interface RepairDeps extends Pick<TaskDeps, "tasks" | "workflow" | "log" | "now">, TaskLifetime {
  meters: RepairedMeters;
}

/** What became of the tasks that were looked after. */
export interface RepairResult {
  /** Has an execution, its own or a new one. */
  driven: number;
  expired: number;
  /** Ended without a verdict; an operator decides. */
  waiting: number;
  /** Holds that went back because their task was never kept. */
  voided: number;
  failed: number;
}

/** What one task came to; undefined where there is nothing to do any more. */
type Outcome = Exclude<keyof RepairResult, "failed"> | undefined;

/** One pass over the tasks that hold something for longer than `older_than_seconds`. */
export async function repairTasks(
  deps: RepairDeps,
  options: { older_than_seconds?: number } = {},
): Promise<RepairResult> {
  const before = deps.now() - (options.older_than_seconds ?? limits.taskOverdueSeconds) * 1000;
  const result: RepairResult = { driven: 0, expired: 0, waiting: 0, voided: 0, failed: 0 };
  for await (const { meter, shard, mode, tasks } of deps.meters.everyMeter()) {
    const due = [...tasks].filter(([id]) => timeOf(id) <= before);
    for (let from = 0; from < due.length; from += limits.repairsAtOnce) {
      const repairs = due.slice(from, from + limits.repairsAtOnce).map(async ([id, held]) => {
        try {
          const outcome = await repairHold(taskHold({ meter, shard, mode }, held), id, deps);
          if (outcome) result[outcome] += 1;
        } catch (error) {
          result.failed += 1;
          deps.log("error", "repair_failed", { request: id, error: describeError(error) });
        }
      });
      await Promise.all(repairs);
    }
  }
  return result;
}

/** A meter's hold as its task has it. */
function taskHold(place: Pick<TaskHold, "meter" | "shard" | "mode">, held: TaskShare): TaskHold {
  const { points, period, key, budget } = held;
  return {
    ...place,
    points: formatPoints(points),
    period,
    ...(key !== undefined && { key }),
    ...(budget && { budget: budget.counter, budget_points: formatPoints(budget.points) }),
  };
}

/**
 * Sees to it that a task which has not ended has an execution. A running one is found by its name, so nothing
 * runs twice; one that has ended is followed by the next.
 */
export async function repairTask(
  organization: string,
  id: string,
  deps: Omit<RepairDeps, "meters">,
): Promise<Outcome> {
  const task = await deps.tasks.find(organization, id);
  return task && (await drive(task, deps));
}

async function drive(found: Task, deps: Omit<RepairDeps, "meters">): Promise<Outcome> {
  for (let task = found; ; ) {
    if (isFinal(task.status)) return task.settled ? undefined : "waiting";
    // The execution has had its time to ask the provider once more.
    if (isOverdue(task, deps, limits.taskOverdueSeconds)) {
      const expired = await expire(task, deps);
      if (expired.done) return "expired";
      task = expired.task;
    } else {
      if (await deps.workflow.start(task, executionOf(task))) return "driven";
      task = (await deps.tasks.change(task, { repairs: task.repairs + 1 })).task;
      deps.log("warn", "task_repaired", { request: task.id, count: task.repairs });
    }
  }
}

/** From the hold alone to its task. Without an intent or without a task, nothing was ever promised for it. */
async function repairHold(hold: TaskHold, id: string, deps: RepairDeps): Promise<Outcome> {
  const intent = (await deps.meters.intent(id)) ?? (await withoutIntent(id, deps));
  if (intent === "forgotten") return "waiting";
  if (!intent) return await giveBack(hold, id, deps);
  const task = await deps.tasks.find(intent.organization, id);
  // An admission whose answer was lost may leave a hold on another shard than the task's own, or come after its end.
  if (task && (task.settled || task.hold.shard !== hold.shard)) return await giveBack(hold, id, deps);
  if (task) return await drive(task, deps);
  return (await deps.tasks.bar(hold, intent.organization, id)) ? "voided" : undefined;
}

async function giveBack(hold: TaskHold, id: string, deps: RepairDeps): Promise<Outcome> {
  return (await deps.tasks.release(hold, id)) ? "voided" : undefined;
}

/** Bars the intent, unless it has been there and its time is over: then the task awaits its operator. */
async function withoutIntent(id: string, deps: RepairDeps): Promise<Intent | undefined | "forgotten"> {
  if (deps.now() - timeOf(id) >= limits.intentLifetimeSeconds * 1000) return "forgotten";
  return await deps.meters.closeIntent(id);
}
