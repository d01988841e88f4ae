/** The ends of a task: what each costs, and the one write that makes it so, together with its hold and entry. */

import { formatPoints, parsePoints } from "../billing/points.ts";
import { charge } from "../billing/pricing/charge.ts";
import { modeOf } from "../billing/pricing/modes/index.ts";
import { withoutStandard, withRatesOf } from "../billing/pricing/rates.ts";
import { type Evidence, noUsage, type UsageDetails, withDetails } from "../billing/usage.ts";
import { settlementOfEvent, type UsageEvent } from "../ledger/usage-event.ts";
import { limits } from "../limits.ts";
import type { Video } from "../protocols/ark-video/answers.ts";
import type { WorkerDeps } from "./deps.ts";
import { type Changed, isFinal, type Task, type TaskChange } from "./task.ts";

export type EndDeps = Pick<WorkerDeps, "tasks" | "log" | "now">;

/** A verdict on a task. */
export type Ending =
  | { status: "succeed"; video: Video }
  | { status: "failed"; error: { code: string; message: string } }
  | { status: "cancelled" }
  | { status: "expired" };

/** What an ending is charged for. */
interface Bill {
  seconds: number;
  resolution: string;
  /** How it was made; what it was asked as where the provider does not say. */
  details: UsageDetails;
  /** What the provider said, where that cannot be true and `details` is the most that was held for. */
  reported?: UsageDetails;
  evidence: Evidence;
  outcome: UsageEvent["outcome"];
  flags: string[];
}

/**
 * Ends a task and settles its hold, if nobody has written on it since it was read: a success for the seconds
 * that were made, at the price of its creation; every other end gives everything back.
 */
export async function end(task: Task, ending: Ending, deps: EndDeps): Promise<Changed> {
  const now = deps.now();
  const made = ending.status === "succeed" ? ending.video : undefined;
  const change: TaskChange = {
    status: ending.status,
    updated_at: now,
    ...(made ? shown(task, made) : {}),
    ...(ending.status === "failed" ? { error: ending.error } : {}),
  };
  return await settle(task, change, made ? billOf(task, made) : free(task, [ending.status]), deps);
}

/**
 * Ends a task that got no verdict in its time. What was never sent costs nothing; for anything else the hold
 * stays until an operator says what became of it (`resolve`).
 */
export async function expire(task: Task, deps: EndDeps): Promise<Changed> {
  if (task.submission === "unsubmitted") return await end(task, { status: "expired" }, deps);
  const changed = await deps.tasks.change(task, { status: "expired", updated_at: deps.now() });
  if (changed.done) deps.log("error", "task_expired", { request: task.id, organization: task.organization });
  return changed;
}

/**
 * Settles an expired task as an operator has found out: charged for `seconds`, or as it was asked for where
 * they are undefined; `null` gives everything back. The client's status stays. Throws when nothing is to be decided.
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

/** Repeats a write on what the task has become, as long as `still` finds it worth writing. */
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

/** Seconds a task asked for. */
function secondsAsked({ duration, frames }: Pick<Task, "duration" | "frames">): number {
  return duration ?? Math.ceil((frames ?? 0) / limits.videoFramesPerSecond);
}

/** What the client sees of a finished video, where the provider tells more than was asked. */
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

/** Details with no more calls of a tool than were held for, where far more are told than anybody believes; else undefined. */
function withoutNonsense(details: UsageDetails): UsageDetails | undefined {
  const { plausibleFactor: factor, serverToolCalls: held } = limits;
  const calls = Object.entries(details.calls ?? {});
  if (calls.every(([, count]) => count <= factor * held)) return undefined;
  return {
    ...details,
    calls: Object.fromEntries(calls.map(([name, count]) => [name, Math.min(count, held)])),
  };
}

function free({ resolution }: Task, flags: string[]): Bill {
  return { seconds: 0, resolution, details: {}, evidence: "none", outcome: "failed", flags };
}

async function settle(task: Task, change: TaskChange, bill: Bill, deps: EndDeps): Promise<Changed> {
  const event = eventOf(task, bill, deps.now());
  const changed = await deps.tasks.settle(task, change, event, settlementOfEvent(event));
  if (changed.done) {
    deps.log("info", "task_settled", {
      request: task.id,
      organization: task.organization,
      model: task.model,
      cost_points: event.cost_points,
      evidence: event.evidence,
      flags: event.flags.join(" "),
    });
  }
  return changed;
}

/** The tier a task was asked to be made at: its price has the rate of that one alone. */
function tierAsked({ price: { price } }: Task): UsageDetails {
  const [tier] = Object.keys(price.rates?.service_tier ?? {});
  return tier === undefined ? {} : { service_tier: tier };
}

function eventOf(task: Task, bill: Bill, at: number): UsageEvent {
  const { seconds, resolution, details, reported } = bill;
  const usageWith = (told: UsageDetails) =>
    withDetails({ ...noUsage, video_seconds: seconds }, withoutStandard(told));
  const usage = usageWith(details);
  const { points, unpriced } = charge(usage, task.price, { resolution });
  const { mode, meter, shard } = task.hold;
  const cost = mode === "payg" ? formatPoints(points) : "0";
  const overrun = mode === "payg" && points > parsePoints(task.hold.points);
  return {
    version: 1,
    id: task.id,
    kind: "video",
    organization: task.organization,
    project: task.project,
    key: task.key,
    model: task.model,
    mode,
    meter,
    shard,
    admitted_at: task.created_at,
    ended_at: at,
    usage,
    ...(reported && { reported: usageWith(reported) }),
    resolution,
    price: withRatesOf(task.price, usage.details),
    cost_points: cost,
    list_points: formatPoints(points),
    calls: bill.outcome === "completed" ? 1 : 0,
    evidence: bill.evidence,
    source: "gateway",
    outcome: bill.outcome,
    flags: [
      ...bill.flags,
      ...(unpriced.length > 0 ? ["unpriced_switch"] : []),
      ...(overrun ? ["overrun"] : []),
    ],
    user: task.user,
    provider: task.upstream?.provider ?? null,
    attempts: task.upstream ? 1 : 0,
  };
}
