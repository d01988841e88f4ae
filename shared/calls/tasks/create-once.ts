/**
 * `POST …/tasks` with an `Idempotency-Key`: one task, hold and video (design §4). A repetition is refused until the task
 * is written. Then it gets the answer, which follows from the task.
 */

import type { HttpReply } from "../../base/http/message.ts";
import { taskOf } from "../../base/platform/id.ts";
import type { CallNames } from "../../base/platform/log.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { type OnceDeps, type Repeatable, runOnce } from "../access/idempotency.ts";
import type { CallTrace } from "../telemetry/trace.ts";
import { type AdmittedTask, admitTask, createdReply, createTask } from "./create.ts";
import type { TaskDeps } from "./deps.ts";

/** Creates a task, or gives the answer of the creation that this call repeats. Throws what `runOnce` throws. */
export async function createTaskOnce(
  {
    request,
    route,
    parameter,
    trace,
    names,
  }: Pick<Repeatable, "request" | "route" | "parameter"> & {
    trace?: CallTrace | undefined;
    names?: CallNames | undefined;
  },
  caller: Principal,
  deps: OnceDeps & TaskDeps,
): Promise<HttpReply> {
  const answerOf = async (first: string) => {
    const task = await deps.tasks.find(caller.key.organization, taskOf(first));
    return task && createdReply(task);
  };
  const call = { request, route, parameter, principal: caller, answerOf };
  const run = {
    admit: () => admitTask(request, { caller, names }, deps),
    run: (admitted: AdmittedTask) =>
      createTask({ ...admitted, ...(trace && { trace: trace.later() }) }, deps),
  };
  return await runOnce(call, run, deps);
}
