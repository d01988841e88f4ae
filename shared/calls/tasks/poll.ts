/** The worker's two steps: submit a task, and poll it. Both can be repeated at any time (aws.md §7). */

import type { ProviderTask } from "../protocols/ark-video/answers.ts";
import type { TaskLifetime, WorkerDeps } from "./deps.ts";
import { end, expire } from "./end.ts";
import { takenTask } from "./own-keys.ts";
import { submit } from "./submit.ts";
import { isFinal, type Task } from "./task.ts";
import { waitAfter } from "./waits.ts";

/** What the state machine asks for. */
export interface TaskStep {
  action: "submit" | "poll";
  task: string;
  organization: string;
  /** Polls since the task was submitted. */
  polls: number;
}

/** What it is told: whether the task has ended, and else when to poll again. */
export interface Next {
  done: boolean;
  wait_seconds: number;
  polls: number;
}

/** Does one step. Rejects where the store fails, and the state machine then repeats it. */
export async function work(
  { action, task: id, organization, polls }: TaskStep,
  deps: WorkerDeps & TaskLifetime,
): Promise<Next> {
  const task = await deps.tasks.find(organization, id);
  if (!task) return next(true, polls);
  if (action === "submit") return next(isFinal((await submit(task, deps)).status), 0);
  const now = isFinal(task.status) ? task : await advance(task, deps);
  const sentJustNow = task.submission !== "submitted" && now.submission === "submitted";
  return next(isFinal(now.status), sentJustNow ? 0 : polls + 1);
}

function next(done: boolean, polls: number): Next {
  return { done, wait_seconds: waitAfter(polls), polls };
}

/** Advances an open task as far as possible now. The provider is asked first, even when the task's time is over. */
async function advance(task: Task, deps: WorkerDeps & TaskLifetime): Promise<Task> {
  const now = task.submission === "submitted" ? await look(task, deps) : task;
  if (isFinal(now.status)) return now;
  if (isOverdue(now, 0, deps)) return (await expire(now, deps)).task;
  return now.submission === "unsubmitted" ? await submit(now, deps) : now;
}

/** Whether a task's time, and `grace` more seconds, have run out. */
export function isOverdue(
  { created_at }: Task,
  grace: number,
  { now, lifetimeSeconds }: Pick<WorkerDeps, "now"> & TaskLifetime,
): boolean {
  return now() - created_at >= (lifetimeSeconds + grace) * 1000;
}

/** Asks the provider, and writes what is new. */
async function look(task: Task, deps: WorkerDeps): Promise<Task> {
  const taken = takenTask(task);
  return taken ? await apply(task, await deps.provider.read(taken), deps) : task;
}

/** Writes what a provider reports. Gives the task as it is then, also where somebody else wrote first. */
export async function apply(task: Task, rendering: ProviderTask, deps: WorkerDeps): Promise<Task> {
  switch (rendering.state) {
    case "succeed":
      return (await end(task, { status: "succeed", video: rendering.video }, deps)).task;
    case "failed": {
      const { code, message } = rendering;
      const ending = { status: "failed", error: { code, message }, key: "upstream_error" } as const;
      return (await end(task, ending, deps)).task;
    }
    case "cancelled":
      return (await end(task, { status: "cancelled" }, deps)).task;
    case "running":
      if (task.status !== "queued") return task;
      return (await deps.tasks.change(task, { status: "running", updated_at: deps.now() })).task;
    case "queued":
    case "unknown":
      return task;
  }
}
