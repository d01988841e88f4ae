/** The audit of video tasks: each one that was charged is there, and says what its entry says. */

import { timeOf } from "../../base/platform/id.ts";
import type { Ledger } from "../../books/ledger/ledger.ts";
import { eventVersion } from "../../books/ledger/spread-hours.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import { feeOfTask } from "../../calls/tasks/own-keys.ts";
import { isFinal, type Task, type Tasks, taskStatuses } from "../../calls/tasks/task.ts";
import { nameOfEntry } from "./entries.ts";
import { differences, finding, found, foundIn, type KeptBooks, type KeptEntry } from "./kept.ts";
import type { Finding } from "./rollups.ts";

/** What differs between a video's entry and its task. */
export async function taskDiffers(
  kept: KeptEntry,
  event: UsageEvent,
  { tasks }: { tasks: Pick<Tasks, "find"> },
): Promise<string[]> {
  return await foundIn(nameOfEntry(kept), async () => {
    const task = await tasks.find(kept.organization, event.id);
    if (!task) return ["is charged, and its task is not there"];
    return differs(task, event).map((wrong) => `has a task that ${wrong}`);
  });
}

function differs(task: Task, event: UsageEvent): string[] {
  const { organization, project, key, user, tags, model, price, hold, call_points } = task;
  const { outcome, flags, resolution, usage, list_points } = event;
  const { meter, shard, mode } = hold;
  const own = {
    organization,
    project,
    key,
    user,
    tags,
    model,
    "price.version": price.version,
    meter,
    shard,
    mode,
    version: eventVersion(task),
    // An entry keeps it only where the call counts as several (edges/store/ledger/kept-route.ts).
    ...(event.call_points !== undefined && { call_points }),
    own_fee: feeOfTask(task),
  };
  const must = { ...event, "price.version": event.price.version };
  const names = Object.keys(own) as (keyof typeof own)[];
  const statuses = statusesOf(outcome, flags);
  const isMade = task.status === "succeed";
  return [
    ...differences(own, Object.fromEntries(names.map((field) => [field, must[field]]))),
    ...differences(task, { settled: true, created_at: timeOf(event.id) }),
    ...(statuses.includes(task.status) ? [] : [`is ${task.status}, and its entry ${outcome}`]),
    ...(isMade && task.duration !== null ? differences(task, { duration: usage.video_seconds }) : []),
    ...(isMade && !flags.includes("unpriced_resolution") ? differences(task, { resolution }) : []),
    ...(isMade && task.submission !== "submitted" ? [`has the submission ${task.submission}`] : []),
    // An operator may say that a task was made of which nobody knows where it was sent.
    ...(outcome === "completed" && !flags.includes("resolved") && !task.upstream && list_points !== "0"
      ? ["has no upstream"]
      : []),
    ...(task.upstream && task.upstream.provider !== event.provider
      ? [`has the upstream ${task.upstream.provider}`]
      : []),
  ];
}

/** The states that an entry leaves its task in. */
function statusesOf(outcome: UsageEvent["outcome"], flags: readonly string[]): readonly Task["status"][] {
  if (flags.includes("resolved")) return ["expired"];
  if (outcome === "completed") return ["succeed"];
  return taskStatuses.filter((status) => flags.includes(status));
}

/** Each task that is settled has its entry, and each that is not has its hold. `since`, Unix ms, leaves out older ones. */
export async function tasksMatchLedger(
  {
    kept,
    ledger,
    held,
    since,
  }: {
    kept: Pick<KeptBooks, "items">;
    ledger: Pick<Ledger, "entriesOf">;
    /** The ids of the tasks that hold something. */
    held: ReadonlySet<string>;
    since: number;
  },
  gaps: readonly string[],
): Promise<Finding> {
  const all = [...gaps];
  let count = 0;
  for await (const { pk, sk, fields } of kept.items("tasks")) {
    if (!pk.startsWith("V#")) continue;
    count += 1;
    const organization = pk.slice("V#".length);
    if (!fields) {
      all.push(`${sk} cannot be read`);
      continue;
    }
    if (fields.barred === true && Object.keys(fields).length === 1) continue;
    const task = fields as unknown as Task;
    all.push(...found(sk, () => misplaced(task, organization, sk)));
    if (timeOf(sk) < since) continue;
    if (task.settled !== true) {
      if (!held.has(sk)) all.push(`${sk} is not settled, and holds nothing`);
    } else {
      const hasEntry = async () => (await ledger.entriesOf(organization, sk)).length > 0;
      const missing = ["is settled, and its entry is not there"];
      all.push(...(await foundIn(sk, async () => ((await hasEntry()) ? [] : missing))));
    }
  }
  return finding(all, `${count} tasks: each settled one has its entry`);
}

function isError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as Partial<NonNullable<Task["error"]>>;
  return typeof code === "string" && typeof message === "string";
}

function misplaced(task: Task, organization: string, sk: string): string[] {
  const { status, settled, submission } = task;
  const isOpen = !isFinal(status);
  return [
    ...differences(task, { id: sk, organization, created_at: timeOf(sk) }),
    ...(taskStatuses.includes(status) ? [] : [`has the status ${String(status)}`]),
    ...((status === "failed" ? isError(task.error) : (task.error ?? null) === null)
      ? []
      : [`is ${status}, with the error ${JSON.stringify(task.error)}`]),
    ...(settled && isOpen ? [`is settled, and ${status}`] : []),
    ...(!settled && status !== "expired" && !isOpen ? [`is ${status}, and not settled`] : []),
    ...(["unsubmitted", "submitting", "submitted"].includes(submission)
      ? []
      : [`has the submission ${submission}`]),
    ...((submission === "submitted") === ((task.upstream ?? null) !== null)
      ? []
      : [`is ${submission}, with its upstream ${JSON.stringify(task.upstream)}`]),
  ];
}
