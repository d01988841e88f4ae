/**
 * Sends a task to the first channel that takes it, and at most once, whatever dies meanwhile. First a mark is written
 * on the task. It is removed only where it is certain that nothing was created.
 */

import type { LogFields } from "../../base/platform/log.ts";
import type { Channel, Model } from "../../books/catalog/catalog.ts";
import { orderOf } from "../routing/order.ts";
import { type AttemptTiming, attemptTiming } from "../upstreams/attempt-timing.ts";
import { candidatesOf } from "../upstreams/channels.ts";
import type { TaskCreation, WorkerDeps } from "./deps.ts";
import { end, persist } from "./end.ts";
import type { Task } from "./task.ts";

/** Submits a task: then it is submitted, failed at a provider's refusal, or unchanged because no channel took it. */
export async function submit(task: Task, deps: WorkerDeps): Promise<Task> {
  if (task.status !== "queued" || task.submission !== "unsubmitted") return task;
  const request = await deps.tasks.request(task);
  const mark = crypto.randomUUID();
  const { task: marked } = await deps.tasks.change(task, { submission: "submitting", mark });
  // Where the task has our mark the write went through, even if its answer was lost.
  if (marked.mark !== mark) return marked;
  for (const channel of channelsOf(deps.catalog.find(task.model), deps)) {
    if (task.providers && !task.providers.includes(channel.provider)) continue;
    const sentAt = deps.now();
    const creation = await deps.provider.create(channel, request, task.trace);
    const timing = attemptTiming({ arrivedAt: task.created_at, sentAt }, deps);
    if (creation.kind === "nothing") {
      warn(task, channel, { error: creation.reason, ...timing }, deps);
      continue;
    }
    return await writeDown(marked, channel, { ...creation, timing }, deps);
  }
  return (await deps.tasks.change(marked, { submission: "unsubmitted", mark: "" })).task;
}

/** The channels of a model that take tasks, in order. A model that left the catalog has none. */
export function channelsOf(model: Model | undefined, deps: Pick<WorkerDeps, "catalog" | "now">): Channel[] {
  if (!model) return [];
  const channels = candidatesOf(
    model,
    (name) => deps.catalog.provider(name),
    ({ protocols }) => protocols.ark,
  );
  // A video is one call, and takes minutes. The board of chats says nothing of it.
  const order = orderOf({
    channels,
    board: undefined,
    now: deps.now(),
    conversation: undefined,
    routing: "basic",
  });
  return order.placed.map(({ channel }) => channel);
}

/** Writes what a channel answered, on the task as it is by then. */
async function writeDown(
  marked: Task,
  { provider, model }: Channel,
  creation: Exclude<TaskCreation, { kind: "nothing" }> & { timing: AttemptTiming },
  deps: WorkerDeps,
): Promise<Task> {
  switch (creation.kind) {
    case "created": {
      // If the write below fails, this log line is the only trace of a video that will be made.
      deps.log("info", "task_submitted", {
        request: marked.id,
        provider,
        upstream: creation.id,
        ...creation.timing,
      });
      const change = { submission: "submitted", upstream: { provider, model, id: creation.id } } as const;
      // The id is written even if the task has expired meanwhile: an operator can ask the provider about it.
      const ours = ({ submission, mark }: Task) => submission === "submitting" && mark === marked.mark;
      return await persist(marked, (task) => deps.tasks.change(task, change), ours);
    }
    case "refused": {
      const ending = { status: "failed", error: creation.error, key: "invalid_request" } as const;
      return await persist(marked, (task) => end(task, ending, deps));
    }
    case "uncertain":
      deps.log("error", "task_uncertain", {
        request: marked.id,
        provider,
        error: creation.reason,
        ...creation.timing,
      });
      return marked;
  }
}

function warn(
  task: Task,
  { provider }: Channel,
  attempt: AttemptTiming & Pick<LogFields, "error">,
  deps: WorkerDeps,
): void {
  deps.log("warn", "task_not_taken", { request: task.id, model: task.model, provider, ...attempt });
}
