/** What each end of a task costs, and the one write that ends it, settles its hold and posts its entry. */

import type { ErrorKey } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { modeOf } from "../../books/billing/pricing/modes/index.ts";
import { withoutStandard } from "../../books/billing/pricing/rates.ts";
import { noUsage, type UsageDetails, type UsageEvidence, withDetails } from "../../books/billing/usage.ts";
import { endCall } from "../../books/ledger/end-call.ts";
import { settlementOfEvent, type UsageEvent } from "../../books/ledger/usage-event.ts";
import { bookedAs, type CallIdentity } from "../../books/meters/hold.ts";
import type { Video } from "../protocols/ark-video/answers.ts";
import type { WorkerDeps } from "./deps.ts";
import { feeOfTask, withoutKeys } from "./own-keys.ts";
import { type Changed, isFinal, type Task, type TaskChange } from "./task.ts";

export type EndDeps = Pick<WorkerDeps, "tasks" | "log" | "now" | "telling">;

/** How a task ends. `key`: whether the request or its provider is to blame. */
export type TaskEnding =
  | { status: "succeed"; video: Video }
  | { status: "failed"; error: { code: string; message: string }; key: ErrorKey }
  | { status: "cancelled" }
  | { status: "expired" };

interface Bill {
  seconds: number;
  resolution: string;
  /** How the video was made, or was asked to be made where the provider does not say. */
  details: UsageDetails;
  /** What the provider reported, where that cannot be true. `details` is then the most that was held for. */
  reported?: UsageDetails;
  evidence: UsageEvidence;
  outcome: UsageEvent["outcome"];
  error?: ErrorKey | undefined;
  flags: string[];
}

/** Ends an unchanged task. A success is charged for its seconds at the price of creation; else the hold goes back. */
export async function end(task: Task, ending: TaskEnding, deps: EndDeps): Promise<Changed> {
  const now = deps.now();
  const made = ending.status === "succeed" ? ending.video : undefined;
  const change: TaskChange = {
    status: ending.status,
    updated_at: now,
    ...(made ? shown(task, made) : {}),
    ...(ending.status === "failed" ? { error: ending.error } : {}),
  };
  const bill = made ? billOf(task, made) : free(task, [ending.status], errorOf(ending));
  return await settle(task, change, bill, deps);
}

/** Ends a task that its provider has not ended in time. One never sent is free; others' holds wait for `resolve`. */
export async function expire(task: Task, deps: EndDeps): Promise<Changed> {
  if (task.submission === "unsubmitted") return await end(task, { status: "expired" }, deps);
  const changed = await deps.tasks.change(task, { status: "expired", updated_at: deps.now() });
  if (changed.done) deps.log("error", "task_expired", { request: task.id, organization: task.organization });
  return changed;
}

/**
 * Settles an expired task, for an operator: charges `seconds`, or those that it asked for if undefined; `null` gives
 * the hold back. Its status stays. Throws for a task that is not expired, or is settled.
 */
export async function resolve(task: Task, seconds: number | undefined | null, deps: EndDeps): Promise<Task> {
  if (task.status !== "expired" || task.settled) throw new Error(`task ${task.id} awaits no verdict`);
  const made = { url: undefined, frames: undefined, resolution: undefined, ratio: undefined };
  const bill = seconds === null ? free(task, []) : billOf(task, { ...made, seconds });
  const flags = [...bill.flags, "resolved"];
  const change = { updated_at: deps.now() };
  const { done, task: now } = await settle(task, change, { ...bill, flags }, deps);
  if (!done) throw new Error(`task ${task.id} was resolved by someone else`);
  return now;
}

/** Repeats a write on the task as it is by then, until it succeeds or `still` says that it is no longer wanted. */
export async function persist(
  task: Task,
  write: (task: Task) => Promise<Changed>,
  still: (task: Task) => boolean = ({ status }) => !isFinal(status),
): Promise<Task> {
  for (let last = task; ; ) {
    const { done, task: now } = await write(last);
    if (done || !still(now)) return now;
    last = now;
  }
}

function secondsAsked({ duration, frames }: Pick<Task, "duration" | "frames">): number {
  return duration ?? Math.ceil((frames ?? 0) / limits.videoFramesPerSecond);
}

/** What the client is shown of a finished video: what the provider reports, else what was asked for. */
function shown(task: Task, made: Video): TaskChange {
  return {
    video_url: made.url ?? null,
    resolution: made.resolution ?? task.resolution,
    ratio: made.ratio ?? task.ratio,
    duration: made.seconds ?? task.duration,
    frames: made.frames ?? task.frames,
  };
}

function billOf(task: Task, made: Video): Bill {
  const { price } = task.price;
  const told = made.resolution ?? task.resolution;
  const priced = modeOf(price).resolutions(price)?.includes(told) ?? false;
  const details = { ...tierAsked(task), ...made.details };
  const cut = withoutNonsense(details);
  return {
    seconds: made.seconds ?? secondsAsked(task),
    resolution: priced ? told : task.resolution,
    ...(cut ? { details: cut, reported: details } : { details }),
    evidence: made.seconds === undefined ? "estimated" : "reported",
    outcome: "completed",
    flags: [
      ...(made.seconds === undefined ? ["no_usage"] : []),
      ...(priced ? [] : ["unpriced_resolution"]),
      ...(cut ? ["implausible"] : []),
    ],
  };
}

/** Details with as many calls of a tool as were held for, where implausibly many are reported; else undefined. */
function withoutNonsense(details: UsageDetails): UsageDetails | undefined {
  const { plausibleFactor: factor, serverToolCalls: held } = limits;
  const calls = Object.entries(details.calls ?? {});
  if (calls.every(([, count]) => count <= factor * held)) return undefined;
  return {
    ...details,
    calls: Object.fromEntries(calls.map(([name, count]) => [name, Math.min(count, held)])),
  };
}

function free({ resolution }: Task, flags: string[], error?: ErrorKey): Bill {
  return { seconds: 0, resolution, details: {}, evidence: "none", outcome: "failed", error, flags };
}

/** Why a task was not made. A client that cancelled it knows, and a task that expired here was taken by nobody. */
function errorOf(ending: TaskEnding): ErrorKey | undefined {
  if (ending.status === "failed") return ending.key;
  return ending.status === "expired" ? "no_channel" : undefined;
}

async function settle(task: Task, change: TaskChange, bill: Bill, deps: EndDeps): Promise<Changed> {
  const event = eventOf(task, bill, deps.now());
  const ended = { ...change, ...(task.own && { own: withoutKeys(task.own) }) };
  const changed = await deps.tasks.settle(task, ended, event, settlementOfEvent(event));
  if (changed.done) {
    deps.log("info", "task_settled", {
      request: task.id,
      organization: task.organization,
      model: task.model,
      cost_points: event.cost_points,
      points: Number(event.list_points),
      evidence: event.evidence,
      flags: event.flags.join(" "),
    });
    if (deps.telling) await (await deps.telling)?.ended({ ...task, ...change }, event);
  }
  return changed;
}

/** The service tier that a task asked for. Its price has only the rate of that tier. */
function tierAsked({ price: { price } }: Task): UsageDetails {
  const [tier] = Object.keys(price.rates?.service_tier ?? {});
  return tier === undefined ? {} : { service_tier: tier };
}

function eventOf(task: Task, bill: Bill, at: number): UsageEvent {
  const { seconds, resolution, details, reported, evidence, outcome, error, flags } = bill;
  const { points } = task.hold;
  const usageWith = (told: UsageDetails) =>
    withDetails({ ...noUsage, video_seconds: seconds }, withoutStandard(told));
  return endCall(identityOf(task), {
    at,
    source: "gateway",
    usage: usageWith(details),
    ...(reported && { reported: usageWith(reported) }),
    resolution,
    evidence,
    outcome,
    ...(error && { error }),
    free: outcome !== "completed",
    flags,
    expected: { points },
    provider: task.upstream?.provider ?? null,
    attempts: task.upstream ? 1 : 0,
  });
}

function identityOf(task: Task): CallIdentity {
  const { id, organization, project, key, user, tags, model, price, hold } = task;
  const { mode, meter, shard } = hold;
  const call = {
    id,
    kind: "video",
    organization,
    project,
    key,
    model,
    mode,
    meter,
    shard,
    price,
    user,
  } as const;
  const own_fee = feeOfTask(task);
  return { ...call, ...(own_fee && { own_fee }), ...(tags !== undefined && { tags }), ...bookedAs(task) };
}
