/**
 * Sends a task to the first channel that takes it, and at most once, whatever dies meanwhile. First a mark is written
 * on the task. It is removed only where it is certain that nothing was created.
 */

import { describeError } from "../../base/platform/log.ts";
import type { OwnKey } from "../../books/accounts/own-key.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import type { Board } from "../routing/board.ts";
import { orderOf } from "../routing/order.ts";
import { inUse } from "../routing/taken-out.ts";
import type { AccountReason } from "../upstreams/account.ts";
import { type AttemptTiming, attemptTiming } from "../upstreams/attempt-timing.ts";
import { candidatesOf } from "../upstreams/channels.ts";
import { ownKeysFailed } from "../upstreams/own-key-failure.ts";
import { ownChannels } from "../upstreams/own-keys.ts";
import type { TaskChannel, TaskCreation, WorkerDeps } from "./deps.ts";
import { end, persist, type TaskEnding } from "./end.ts";
import type { Task } from "./task.ts";

/** Submits a task: then it is submitted, failed at a provider's refusal, or unchanged because no channel took it. */
export async function submit(task: Task, deps: WorkerDeps): Promise<Task> {
  if (task.status !== "queued" || task.submission !== "unsubmitted") return task;
  const [request, board] = await Promise.all([deps.tasks.request(task), boardOf(task, deps)]);
  const mark = crypto.randomUUID();
  const { task: marked } = await deps.tasks.change(task, { submission: "submitting", mark });
  // Where the task has our mark the write went through, even if its answer was lost.
  if (marked.mark !== mark) return marked;
  const failures: TaskFailure[] = [];
  for (const channel of inUse(channelsFor(task, deps), board, deps.now())) {
    const sentAt = deps.now();
    const creation = await deps.provider.create(channel, request, task);
    const timing = attemptTiming({ arrivedAt: task.created_at, sentAt }, deps);
    if (creation.kind !== "nothing") return await writeDown(marked, channel, { ...creation, timing }, deps);
    failures.push({ own: channel.own, account: creation.account });
    logNotTaken(task, channel, { creation, timing }, deps);
  }
  const refused = ownKeyRefused(failures);
  if (refused) return await persist(marked, (last) => end(last, refused, deps));
  return (await deps.tasks.change(marked, { submission: "unsubmitted", mark: "" })).task;
}

/**
 * The model's board, for the channels that an operator has taken out. If it cannot be read, the task is sent as without
 * one. Never rejects.
 */
async function boardOf(
  { id, model }: Task,
  { boards, catalog, log, now }: WorkerDeps,
): Promise<Board | undefined> {
  try {
    return await boards.read(catalog.find(model)?.id ?? model, now(), 0);
  } catch (error) {
    log("warn", "board_unreachable", { request: id, model, error: describeError(error) });
    return undefined;
  }
}

/** Why a channel took nothing. */
interface TaskFailure {
  own: OwnKey | undefined;
  account: AccountReason | undefined;
}

/** The end of a task that only the organization's own keys may make, where a provider refuses one; else undefined. */
function ownKeyRefused(failures: readonly TaskFailure[]): TaskEnding | undefined {
  const own = failures.flatMap(({ own, account }) =>
    own && account ? [{ own, account, is_limit: false, wait_ms: undefined }] : [],
  );
  if (own.length === 0 || own.length < failures.length) return undefined;
  const { key = "own_key_refused", message = "" } = ownKeysFailed(own) ?? {};
  return { status: "failed", error: { code: "OwnKeyRefused", message }, key };
}

/** The channels that may take a task, in order: those with the organization's own keys, and ours as far as they may. */
function channelsFor(task: Task, deps: Pick<WorkerDeps, "catalog" | "now">): TaskChannel[] {
  const { organization: id, providers, own } = task;
  const all = candidates(deps.catalog.find(task.model), deps);
  const ours = providers ? all.filter(({ provider }) => providers.includes(provider)) : all;
  return inOrder([...ownChannels(all, { id, provider_keys: own?.keys ?? [] }), ...ours], deps);
}

/** The channels of a model that take tasks. A model that left the catalog has none. */
export function candidates(
  model: Model | undefined,
  { catalog }: Pick<WorkerDeps, "catalog">,
): TaskChannel[] {
  if (!model) return [];
  return candidatesOf(
    model,
    (name) => catalog.provider(name),
    ({ protocols }) => protocols.ark,
  );
}

function inOrder(channels: TaskChannel[], deps: Pick<WorkerDeps, "now">): TaskChannel[] {
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
  { provider, model, own }: TaskChannel,
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
      const upstream = { provider, model, id: creation.id, ...(own && { own_key: true as const }) };
      const change = { submission: "submitted", upstream } as const;
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

/** Logs why a channel took nothing. An organization's own key has a line that rings no alarm, as in chats. */
function logNotTaken(
  task: Task,
  { provider, own }: TaskChannel,
  { creation, timing }: { creation: Extract<TaskCreation, { kind: "nothing" }>; timing: AttemptTiming },
  deps: WorkerDeps,
): void {
  const { reason: error, account, status } = creation;
  const told = status !== undefined && { upstream_status: status };
  const asked = { request: task.id, model: task.model, provider };
  if (own) {
    deps.log("info", "own_key_failed", { ...asked, error, ...timing });
    return;
  }
  deps.log("warn", "task_not_taken", { ...asked, error, ...timing });
  if (account) deps.log("error", "task_account_refused", { provider, reason: account, ...told });
}
