/**
 * `POST …/tasks` with an `Idempotency-Key`: one task, one hold and one video, however often it is sent (design §4).
 * The task itself tells the answer, so that nothing is kept beside the key: from the write that makes the task
 * a repetition is given its answer, also where the process died, and before it, the key is taken.
 */
import type { Principal } from "../accounts/account.ts";
import type { Deps } from "../gateway/deps.ts";
import { runOnce } from "../gateway/idempotency.ts";
import type { LocalCall } from "../gateway/local-answers.ts";
import type { HttpReply } from "../http/message.ts";
import { taskOf } from "../platform/id.ts";
import { admitTask, createdReply, createTask } from "./create.ts";
import type { TaskDeps } from "./deps.ts";

/** Creates a task, or gives the answer of the creation that this one repeats. Throws what `runOnce` does. */
export async function createTaskOnce(
  deps: Deps & TaskDeps,
  { request, route, parameter }: LocalCall,
  caller: Principal,
): Promise<HttpReply> {
  const answerOf = async (first: string) => {
    const task = await deps.tasks.find(caller.key.organization, taskOf(first));
    return task && createdReply(task);
  };
  const call = { request, route, parameter, principal: caller, answerOf };
  return await runOnce(call, deps, {
    admit: () => admitTask(deps, request, caller),
    run: (admitted) => createTask(deps, admitted),
  });
}
