/**
 * `POST …/tasks` (contract §4.8): checked, held for the longest it can be, kept, and handed to the state
 * machine, in this order, each acknowledged before the next.
 */

import { take } from "../access/take.ts";
import type { Principal } from "../accounts/account.ts";
import { formatPoints } from "../billing/points.ts";
import { holdPoints } from "../billing/pricing/charge.ts";
import type { PinnedPrice } from "../billing/pricing/price.ts";
import { withRatesOf } from "../billing/pricing/rates.ts";
import type { Model } from "../catalog/catalog.ts";
import { findModel } from "../catalog/models.ts";
import { checkPlanModel, grantedTo } from "../catalog/plans.ts";
import { GatewayError } from "../errors.ts";
import { holdFor, holdOrRefuse, meterOf, pointsHeld, refuseUnmetered } from "../gateway/admit.ts";
import { checkBody, checkPermission } from "../gateway/decode.ts";
import { OutcomeUnknown } from "../gateway/idempotency.ts";
import { refuseUnpriced } from "../gateway/switches.ts";
import { type HttpReply, type HttpRequest, jsonReply } from "../http/message.ts";
import { type JsonBody, readJsonObject, refuseDuplicates } from "../json/body.ts";
import { requiredString } from "../json/fields.ts";
import { budgetShare, type Hold, intentFor, limitedName } from "../meters/meter.ts";
import { taskOf } from "../platform/id.ts";
import { describeError } from "../platform/log.ts";
import { keys, readRequest, type VideoRequest, withDefaults } from "../protocols/ark-video/request.ts";
import type { TaskDeps } from "./deps.ts";
import { channelsOf } from "./submit.ts";
import type { Task, TaskHold } from "./task.ts";

/** A request that was understood, and what it will be charged at. */
interface Order {
  id: string;
  model: Model;
  video: VideoRequest;
  price: PinnedPrice;
  /** Unix milliseconds. */
  at: number;
}

/** A request that holds what its video may cost. */
export interface AdmittedTask {
  order: Order;
  hold: Hold;
  caller: Principal;
  body: JsonBody;
}

/** Checks a request and takes its hold. Throws the catalog's errors in the order of design §4; what is refused consumes nothing. */
export async function admitTask(
  deps: TaskDeps,
  request: HttpRequest,
  caller: Principal,
): Promise<AdmittedTask> {
  checkBody(request);
  const body = readJsonObject(request.body);
  refuseDuplicates(body.members, keys);
  const model = findModel(requiredString(body.value, "model"), deps.catalog, () =>
    grantedTo(caller, deps.catalog, request.received_at).filter(({ video }) => video !== null),
  );
  if (!model.capabilities.includes("video")) {
    const message = `The model \`${model.id}\` does not support video.`;
    throw new GatewayError("invalid_request", { message, param: "model" });
  }
  checkPermission(model, caller);
  checkPlanModel(model, caller, deps.catalog, request.received_at);
  const video = readRequest(body.value, model);
  refuseUnpriced(video.switches, model);
  await checkReach(model, deps);
  const at = request.received_at;
  const order: Order = { id: taskOf(request.id), model, video, price: priceFor(model, video, deps), at };
  return { order, hold: await takeHold(order, caller, deps), caller, body };
}

/** Keeps an admitted task and starts it. Throws `OutcomeUnknown` where there may be a task all the same. */
export async function createTask(
  deps: TaskDeps,
  { order, hold, caller, body }: AdmittedTask,
): Promise<HttpReply> {
  const task = newTask(order, hold, caller);
  await keep(task, withDefaults(body, order.video), hold, deps);
  await start(task, deps);
  return createdReply(task);
}

/** What the creation of a task is answered with: always the same, whatever has become of the task since. */
export function createdReply({ id, model, created_at }: Task): HttpReply {
  return jsonReply({ id, model, status: "queued", created_at: new Date(created_at).toISOString() });
}

/** The price with the rates of what the request switches on: a task keeps it for as long as it is open. */
function priceFor(model: Model, { switches }: VideoRequest, { catalog }: TaskDeps): PinnedPrice {
  const calls = switches.filter(({ kind }) => kind === "tool").map(({ name }) => [name, 1] as const);
  const tier = switches.find(({ kind }) => kind === "service_tier")?.name;
  return withRatesOf(catalog.price(model), {
    calls: Object.fromEntries(calls),
    ...(tier !== undefined && { service_tier: tier }),
  });
}

/** A task that no provider can be sent would wait out its time: it is refused as a call is (contract §7.3, 50002). */
async function checkReach(model: Model, deps: TaskDeps): Promise<void> {
  const providers = new Set(channelsOf(model, deps).map(({ provider }) => provider));
  const reached = await Promise.all([...providers].map((provider) => deps.provider.reaches(provider)));
  if (!reached.includes(true)) throw new GatewayError("no_channel");
}

/** Holds the longest video at its price, or one call, and writes the intent: a task reserves no tokens. */
async function takeHold(order: Order, caller: Principal, deps: TaskDeps): Promise<Hold> {
  const { id, model, video, price, at } = order;
  const { seconds, resolution } = video;
  const metered = meterOf(caller, deps, at);
  const { switches } = video;
  const longest = { input_tokens: 0, output_tokens: 0, seconds, resolution, switches };
  const points = pointsHeld(caller.key, () => holdPoints(longest, price));
  const wanted = holdFor(caller, metered, { request: id, at, ...points, tokens: 0 });
  const call = { kind: "video", model: model.id, price, input_tokens: 0, user: video.user } as const;
  const intent = intentFor(wanted, caller.key, call);
  // The vendor of this route has no rate-limit headers of its own.
  const { hold } = await holdOrRefuse(wanted, "openai-chat", deps, () => take(wanted, intent, metered, deps));
  return hold;
}

function newTask({ id, model, video, price, at }: Order, hold: Hold, { key }: Principal): Task {
  const { resolution, ratio, duration, frames, draft, user } = video;
  return {
    id,
    organization: key.organization,
    project: key.project,
    key: key.id,
    user,
    model: model.id,
    status: "queued",
    resolution,
    ratio,
    duration,
    frames,
    draft,
    created_at: at,
    updated_at: at,
    submission: "unsubmitted",
    mark: "",
    upstream: null,
    price,
    hold: taskHoldOf(hold),
    settled: false,
    video_url: null,
    error: null,
    repairs: 0,
  };
}

/** What the task remembers of its hold, so that its end gives back exactly that. */
function taskHoldOf(hold: Hold): TaskHold {
  const share = budgetShare(hold);
  return {
    meter: hold.meter,
    shard: hold.shard,
    mode: hold.mode,
    points: formatPoints(hold.points),
    period: hold.terms?.period.id ?? "",
    ...(hold.limits && { key: limitedName(hold.key) }),
    ...(share && { budget: share.counter, budget_points: formatPoints(share.points) }),
  };
}

/** Writes the task; where that fails, nothing was promised and the hold goes back. */
async function keep(task: Task, request: Buffer, hold: Hold, deps: TaskDeps): Promise<void> {
  let kept = false;
  try {
    kept = await deps.tasks.create(task, request);
  } catch (error) {
    deps.log("error", "task_not_kept", { request: task.id, error: describeError(error) });
    // It may be there all the same, its answer lost: barring finds out, and a task that is there goes on.
    if (await isBarred(task, deps)) throw refuseUnmetered(error);
    return;
  }
  if (kept) return;
  await deps.meters.abandon(hold);
  throw new GatewayError("global_rate_limited", { headers: { "retry-after": "1" } });
}

async function isBarred({ hold, organization, id }: Task, { tasks }: TaskDeps): Promise<boolean> {
  try {
    return await tasks.bar(hold, organization, id);
  } catch (error) {
    throw new OutcomeUnknown(describeError(error));
  }
}

/**
 * Hands the task to its execution. A failure is not told: the task is kept and held for, so that an error
 * would make the client pay for a video it does not know of. The sweep starts what has not begun.
 */
async function start(task: Task, deps: TaskDeps): Promise<void> {
  try {
    await deps.workflow.start(task, task.id);
  } catch (error) {
    deps.log("error", "workflow_not_started", { request: task.id, error: describeError(error) });
  }
  deps.log("info", "task_created", {
    request: task.id,
    organization: task.organization,
    key: task.key,
    model: task.model,
  });
}
