/** Tasks as clients see them: one task (contract §2.6), or a page of the vendor's list (protocols.md §4.4). */

import { GatewayError } from "../../base/errors.ts";
import { jsonReply } from "../../base/http/message.ts";
import { invalidField } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";
import { isId } from "../../base/platform/id.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { dayMs } from "../../books/billing/period.ts";
import type { TaskDeps } from "./deps.ts";
import { type Task, type TaskStatus, taskStatuses } from "./task.ts";

type ShowDeps = Pick<TaskDeps, "tasks" | "catalog" | "now">;

/** A task of the caller's organization, and of its project if the key has one. Throws `not_found` for any other. */
export async function ownTask(
  id: string,
  { key }: Principal,
  { tasks }: Pick<ShowDeps, "tasks">,
): Promise<Task> {
  const task = isId(id, "task") ? await tasks.find(key.organization, id) : undefined;
  if (!task || !isOwn(task, key.project)) {
    throw new GatewayError("not_found", { message: "The task does not exist." });
  }
  return task;
}

/** `GET …/tasks/{id}`. */
export async function showTask(id: string, caller: Principal, deps: ShowDeps) {
  return jsonReply(taskObject(await ownTask(id, caller, deps)));
}

/** `GET …/tasks`: a page of the last days, newest first, filtered by status, model and ids. Throws `invalid_request`. */
export async function listTasks(query: URLSearchParams, { key }: Principal, deps: ShowDeps) {
  const page = pageNumber(query, "page_num", 1);
  const size = pageNumber(query, "page_size", 10);
  const wanted = filterOf(query, deps);
  const from = deps.now() - limits.taskListDays * dayMs;
  const tasks = await deps.tasks.list(key.organization, from, limits.taskListMax);
  const found = tasks.filter((task) => isOwn(task, key.project) && wanted(task));
  const items = found.slice((page - 1) * size, page * size).map(taskObject);
  return jsonReply({ items, total: found.length });
}

/** Members that may not be there are left out. */
type Known<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], null> };

/** A task in the contract's form, without what is not known. The vendor's own clients read `content`. */
function taskObject(task: Task) {
  const { id, model, status, resolution, ratio, duration, frames, draft, video_url, error } = task;
  const made = video_url === null ? undefined : { video_url };
  const fields = {
    id,
    model,
    status,
    resolution,
    ratio,
    duration,
    frames,
    draft,
    created_at: new Date(task.created_at).toISOString(),
    updated_at: new Date(task.updated_at).toISOString(),
    result: made,
    content: made,
    error,
  };
  const known = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(known) as Known<typeof fields>;
}

function isOwn(task: Task, project: string): boolean {
  return project === "" || task.project === project;
}

function filterOf(query: URLSearchParams, { catalog }: ShowDeps): (task: Task) => boolean {
  const status = statusFilter(query.get("filter.status"));
  const name = query.get("filter.model");
  const model = name && (catalog.find(name)?.id ?? name);
  const ids = new Set(query.getAll("filter.task_ids"));
  return (task) =>
    (status === undefined || task.status === status) &&
    (!model || task.model === model) &&
    (ids.size === 0 || ids.has(task.id));
}

/** Our statuses, and the vendor's own word for success. */
function statusFilter(given: string | null): TaskStatus | undefined {
  if (!given) return undefined;
  const status = given === "succeeded" ? "succeed" : taskStatuses.find((each) => each === given);
  if (!status) throw invalidField("filter.status", `one of ${taskStatuses.join(", ")}`);
  return status;
}

function pageNumber(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > limits.taskListPageMax) {
    throw invalidField(name, `an integer between 1 and ${limits.taskListPageMax}`);
  }
  return number;
}
