/** `DELETE …/tasks/{id}` (contract §3, §4.8). A task is cancelled here only once its provider has cancelled it. */

import { GatewayError } from "../../base/errors.ts";
import { jsonReply } from "../../base/http/message.ts";
import { limits } from "../../base/limits.ts";
import { describeError } from "../../base/platform/log.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { refuseUnmetered } from "../access/take.ts";
import type { TaskDeps } from "./deps.ts";
import { end, persist } from "./end.ts";
import { takenTask } from "./own-keys.ts";
import { apply } from "./poll.ts";
import { ownTask } from "./show.ts";
import type { Task } from "./task.ts";
import { executionOf } from "./workflow.ts";

/**
 * Cancels a queued task. Throws `not_found`, `invalid_state`, `upstream_cancel_failed` where the provider goes on, and
 * `global_rate_limited` where it has cancelled but the store is too busy; the client then tries again.
 */
export async function cancelTask(id: string, caller: Principal, deps: TaskDeps) {
  const found = await ownTask(id, caller, deps);
  const task = await cancel(found, caller, deps).catch((error: unknown) => {
    throw refuseUnmetered(error);
  });
  // The execution would end by itself at its next poll, so a failure to stop it changes nothing.
  await deps.workflow.stop(executionOf(task)).catch((error: unknown) => {
    deps.log("warn", "stop_failed", { request: task.id, error: describeError(error) });
  });
  return jsonReply({ id: task.id, status: "cancelled" });
}

async function cancel(found: Task, caller: Principal, deps: TaskDeps): Promise<Task> {
  const giveUpAt = deps.now() + limits.cancelWaitMs;
  for (let task = found; ; ) {
    if (task.status !== "queued") throw new GatewayError("invalid_state");
    if (task.submission === "submitted") return await withdraw(task, deps);
    if (task.submission === "unsubmitted") {
      const { task: now } = await end(task, { status: "cancelled" }, deps);
      if (now.status === "cancelled") return now;
      task = now;
    } else {
      // It is being submitted. Until its id at the provider is known, it cannot be cancelled there.
      if (deps.now() >= giveUpAt) throw new GatewayError("upstream_cancel_failed");
      await deps.sleep(limits.cancelLookMs);
      task = await ownTask(task.id, caller, deps);
    }
  }
}

/** Cancels at the provider, then here. It looks first: DELETE removes a finished video (protocols.md §4.4). */
async function withdraw(task: Task, deps: TaskDeps): Promise<Task> {
  const taken = takenTask(task);
  if (!taken) throw new TypeError(`task ${task.id} was submitted to nobody`);
  const rendering = await deps.provider.read(taken);
  if (rendering.state === "unknown") throw new GatewayError("upstream_cancel_failed");
  // The worker ends it with its next poll, because it can tell webhooks.
  if (rendering.state === "succeed" || rendering.state === "failed") throw new GatewayError("invalid_state");
  if (rendering.state === "queued") {
    if (!(await deps.provider.cancel(taken))) throw new GatewayError("upstream_cancel_failed");
    return cancelled(await persist(task, (last) => end(last, { status: "cancelled" }, deps)));
  }
  return cancelled(await apply(task, rendering, deps));
}

function cancelled(task: Task): Task {
  if (task.status !== "cancelled") throw new GatewayError("invalid_state");
  return task;
}
