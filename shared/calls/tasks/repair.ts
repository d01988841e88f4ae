/** Repairs tasks whose creator or execution died, by their holds: each gets a task that will end, or is given back. */
import { limits } from "../../base/limits.ts";
import { timeOf } from "../../base/platform/id.ts";
import { describeError } from "../../base/platform/log.ts";
import type { PlacedHold } from "../../books/meters/hold.ts";
import type { Intent } from "../../books/meters/intent.ts";
import type { MeterList, Meters } from "../../books/meters/meter.ts";
import type { TaskDeps, TaskLifetime } from "./deps.ts";
import { expire } from "./end.ts";
import { isOverdue } from "./poll.ts";
import { isFinal, type Task } from "./task.ts";
import { executionOf } from "./workflow.ts";

export interface RepairDeps extends Pick<TaskDeps, "tasks" | "workflow" | "log" | "now">, TaskLifetime {
  meters: Pick<Meters, "intent" | "closeIntent"> & MeterList<"meter" | "shard" | "mode" | "tasks">;
}

/** How many tasks came to what. */
export interface RepairResult {
  /** Those that have an execution, their own or a new one. */
  driven: number;
  expired: number;
  /** Those that expired, and await an operator's decision. */
  waiting: number;
  /** Holds that were given back because their task was never written. */
  voided: number;
  failed: number;
}

/** What one task came to; undefined where nothing is left to do. */
type RepairOutcome = Exclude<keyof RepairResult, "failed"> | undefined;

/** Repairs, in one pass, the tasks whose holds are older than `older_than_seconds`. */
export async function repairTasks(
  options: { older_than_seconds?: number },
  deps: RepairDeps,
): Promise<RepairResult> {
  const before = deps.now() - (options.older_than_seconds ?? limits.taskOverdueSeconds) * 1000;
  const result: RepairResult = { driven: 0, expired: 0, waiting: 0, voided: 0, failed: 0 };
  for await (const { meter, shard, mode, tasks } of deps.meters.everyMeter()) {
    const due = [...tasks].filter(([id]) => timeOf(id) <= before);
    for (let from = 0; from < due.length; from += limits.repairsAtOnce) {
      const repairs = due.slice(from, from + limits.repairsAtOnce).map(async ([id, held]) => {
        try {
          const outcome = await repairHold({ meter, shard, mode, ...held }, id, deps);
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

/** Starts an execution for a task that has not ended, unless it has one: found by its name, so nothing runs twice. */
export async function repairTask(
  organization: string,
  id: string,
  deps: Omit<RepairDeps, "meters">,
): Promise<RepairOutcome> {
  const task = await deps.tasks.find(organization, id);
  return task && (await drive(task, deps));
}

async function drive(found: Task, deps: Omit<RepairDeps, "meters">): Promise<RepairOutcome> {
  for (let task = found; ; ) {
    if (isFinal(task.status)) return task.settled ? undefined : "waiting";
    // The grace has given the execution time to ask the provider once more.
    if (isOverdue(task, limits.taskOverdueSeconds, deps)) {
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

/** Repairs the task of a hold. Where there is no intent or no task, the client was promised nothing. */
async function repairHold(hold: PlacedHold, id: string, deps: RepairDeps): Promise<RepairOutcome> {
  const intent = (await deps.meters.intent(id)) ?? (await withoutIntent(id, deps));
  if (intent === "forgotten") return "waiting";
  if (!intent) return await giveBack(hold, id, deps);
  const task = await deps.tasks.find(intent.organization, id);
  // An admission whose answer was lost may leave a second hold, on another shard or after the task's end.
  if (task && (task.settled || task.hold.shard !== hold.shard)) return await giveBack(hold, id, deps);
  if (task) return await drive(task, deps);
  return (await deps.tasks.bar(hold, intent.organization, id)) ? "voided" : undefined;
}

async function giveBack(hold: PlacedHold, id: string, deps: RepairDeps): Promise<RepairOutcome> {
  return (await deps.tasks.release(hold, id)) ? "voided" : undefined;
}

/** Closes the intent. Intents older than their lifetime may have been deleted, so such a task awaits an operator. */
async function withoutIntent(id: string, deps: RepairDeps): Promise<Intent | undefined | "forgotten"> {
  if (deps.now() - timeOf(id) >= limits.intentLifetimeSeconds * 1000) return "forgotten";
  return await deps.meters.closeIntent(id);
}
