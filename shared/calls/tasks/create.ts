/** `POST …/tasks` (contract §4.8): check, hold for the longest video, write, start. Each step awaits the one before. */

import { GatewayError } from "../../base/errors.ts";
import { checkBody, type HttpReply, type HttpRequest, jsonReply } from "../../base/http/message.ts";
import { type JsonBody, readJsonObject, refuseDuplicates } from "../../base/json/body.ts";
import { requiredString } from "../../base/json/fields.ts";
import { taskOf } from "../../base/platform/id.ts";
import { type CallNames, describeError } from "../../base/platform/log.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { checkSwitches } from "../../books/accounts/policy-in-force.ts";
import { holdPoints } from "../../books/billing/pricing/hold-points.ts";
import { withRatesOf } from "../../books/billing/pricing/pin-price.ts";
import type { PinnedPrice } from "../../books/billing/pricing/price.ts";
import { modelMeant } from "../../books/catalog/allowed-models.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import {
  brokenCostBound,
  checkPlanSwitches,
  checkPlanVideo,
  costRefusal,
} from "../../books/catalog/plan-includes.ts";
import { bookedBy, placedHold, type Ticket } from "../../books/meters/hold.ts";
import { intentFor } from "../../books/meters/intent.ts";
import { boundsOf } from "../../books/meters/levels.ts";
import { callableModel } from "../access/callable-model.ts";
import { holdFor, pointsHeld } from "../access/hold.ts";
import { OutcomeUnknown } from "../access/idempotency.ts";
import { meterOf } from "../access/meter.ts";
import { tagsOf } from "../access/tags.ts";
import { holdOrRefuse, refuseUnmetered, take } from "../access/take.ts";
import { refuseUnpriced } from "../access/unpriced.ts";
import { keys, readRequest, type VideoRequest, withDefaults } from "../protocols/ark-video/request.ts";
import { withOwnKeys } from "../upstreams/own-keys.ts";
import { mostWith, type OwnTerms, ownTermsOf } from "../upstreams/own-terms.ts";
import type { TaskDeps } from "./deps.ts";
import { taskKeys } from "./own-keys.ts";
import { candidates } from "./submit.ts";
import type { Task } from "./task.ts";

/** A request that has been checked, and the price that it will be charged at. */
interface TaskOrder {
  id: string;
  model: Model;
  video: VideoRequest;
  tags: string | undefined;
  price: PinnedPrice;
  /** The terms on which the organization's own key may make it. Undefined: none may. */
  own: OwnTerms | undefined;
  /** Unix milliseconds. */
  at: number;
}

/** A request with a hold for the most that its video may cost. */
export interface AdmittedTask {
  order: TaskOrder;
  ticket: Ticket;
  caller: Principal;
  body: JsonBody;
  /** The place of the task in the trace of this call, where it is traced. */
  trace?: Task["trace"];
}

/** Checks a request and takes its hold. `names` is what the line of a refusal names. Throws errors in the order of design §4. A refused request consumes nothing. */
export async function admitTask(
  request: HttpRequest,
  { caller, names }: { caller: Principal; names?: CallNames | undefined },
  deps: TaskDeps,
): Promise<AdmittedTask> {
  checkBody(request);
  refuseFallbacks(request);
  const body = readJsonObject(request.body);
  refuseDuplicates(body.members, keys);
  const at = request.received_at;
  const given = requiredString(body.value, "model");
  const name = modelMeant([given], caller, deps.catalog) ?? given;
  const model = callableModel(name, "video", { principal: caller, at, names }, deps);
  const video = readRequest(body.value, model);
  const tags = tagsOf(request, caller);
  refuseUnpriced(video.switches, model);
  checkPlanSwitches(video.switches, { principal: caller, at }, deps.catalog);
  checkSwitches(video.switches, caller);
  checkPlanVideo(video, { principal: caller, at }, deps.catalog);
  const own = ownTermsOf(model, caller.organization, deps.catalog);
  await checkReach(model, caller, deps);
  const price = priceFor(model, video, at, deps);
  const order: TaskOrder = { id: taskOf(request.id), model, video, tags, price, own, at };
  return { order, ticket: await takeHold(order, caller, deps), caller, body };
}

/** A video has no fallback (calls/gateway/fallback.md). A wish that is not heard must not pass in silence. */
function refuseFallbacks({ headers }: Pick<HttpRequest, "headers">): void {
  if (headers["x-gateway-fallback"] === undefined) return;
  const message = "x-gateway-fallback takes effect on chats alone: leave it out here.";
  throw new GatewayError("invalid_request", { message, param: "x-gateway-fallback" });
}

/** Writes an admitted task and starts it. Throws `OutcomeUnknown` where nobody can tell if it was written. */
export async function createTask(
  { order, ticket, caller, body, trace }: AdmittedTask,
  deps: TaskDeps,
): Promise<HttpReply> {
  const { model, own } = order;
  const providers = own?.alone ? [] : providersLeft(model, deps);
  const task = {
    ...newTask(order, ticket, caller),
    ...(providers && { providers }),
    ...(own && { own: taskKeys(model, own, caller.organization) }),
    ...(trace && { trace }),
  };
  await keep(task, withDefaults(body, order.video), ticket, deps);
  await start(task, deps);
  return createdReply(task);
}

/** The providers that policies leave for a task; undefined where they take none of its model away. */
function providersLeft(
  { id, channels }: Model,
  { catalog }: Pick<TaskDeps, "catalog">,
): string[] | undefined {
  if (channels.length === catalog.find(id)?.channels.length) return undefined;
  return [...new Set(channels.map(({ provider }) => provider))];
}

/** The answer to the creation of a task. It stays the same, whatever becomes of the task. */
export function createdReply({ id, model, created_at }: Task): HttpReply {
  return jsonReply({ id, model, status: "queued", created_at: new Date(created_at).toISOString() });
}

/** The price, with the rates of what the request switches on. A task keeps this price while it is open. */
function priceFor(model: Model, { switches }: VideoRequest, at: number, { catalog }: TaskDeps): PinnedPrice {
  const calls = switches.filter(({ kind }) => kind === "tool").map(({ name }) => [name, 1] as const);
  const tier = switches.find(({ kind }) => kind === "service_tier")?.name;
  return withRatesOf(catalog.price(model, at), {
    calls: Object.fromEntries(calls),
    ...(tier !== undefined && { service_tier: tier }),
  });
}

/** Throws `no_channel` where no provider can be sent the task, which would only wait (contract §7.3, 50002). */
async function checkReach(model: Model, { organization }: Principal, deps: TaskDeps): Promise<void> {
  const channels = withOwnKeys(candidates(model, deps), model, organization, deps.catalog);
  const reached = await Promise.all(channels.map((channel) => deps.provider.reaches(channel)));
  if (!reached.includes(true)) throw new GatewayError("no_channel");
}

/** Holds the price of the longest video, or one call of the quota, and writes the intent. A task reserves no tokens. */
async function takeHold(order: TaskOrder, caller: Principal, deps: TaskDeps): Promise<Ticket> {
  const { id, model, video, tags, price, own, at } = order;
  const { seconds, resolution } = video;
  const meter = meterOf(caller, at, deps);
  const { switches } = video;
  const longest = { input_tokens: 0, output_tokens: 0, seconds, resolution, switches };
  const most = () => mostWith(own, holdPoints(longest, price));
  const buyer = { principal: caller, at };
  const bound = brokenCostBound(most, buyer, deps.catalog);
  if (bound !== undefined) throw costRefusal({ points: most(), bound }, buyer, deps.catalog);
  const bounds = boundsOf(caller.organization, { key: caller.key, user: video.user });
  const points = pointsHeld(caller.key, meter.planLimits, most, bounds);
  const wanted = holdFor(caller, meter, { request: id, at, ...points, tokens: 0 });
  const call = { kind: "video", model: model.id, price, input_tokens: 0, user: video.user } as const;
  const told = { ...(own?.leads && { own_fee: own.fee }), ...(tags !== undefined && { tags }) };
  const intent = intentFor(wanted, caller.key, { ...call, ...told });
  const asking = {
    // The vendor of this route has no rate-limit headers of its own.
    dialect: "openai-chat",
    take: () => take(wanted, intent, { choice: meter }, deps),
  } as const;
  return (await holdOrRefuse(wanted, asking, deps)).ticket;
}

function newTask(
  { id, model, video, tags, price, at }: TaskOrder,
  { hold }: Ticket,
  { key }: Principal,
): Task {
  const { resolution, ratio, duration, frames, draft, user } = video;
  return {
    id,
    organization: key.organization,
    project: key.project,
    key: key.id,
    user,
    ...(tags !== undefined && { tags }),
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
    hold: placedHold(hold),
    ...bookedBy(hold),
    settled: false,
    video_url: null,
    error: null,
    repairs: 0,
  };
}

/** Writes the task. Where that fails the client was promised nothing, and the hold is given back. */
async function keep(task: Task, request: Buffer, ticket: Ticket, deps: TaskDeps): Promise<void> {
  let kept = false;
  try {
    kept = await deps.tasks.create(task, request);
  } catch (error) {
    deps.log("error", "task_not_kept", { request: task.id, error: describeError(error) });
    // The task may have been written although its answer was lost. Barring it finds out: a task that is there goes on.
    if (await isBarred(task, deps)) throw refuseUnmetered(error);
    return;
  }
  if (kept) return;
  await deps.meters.abandon(ticket);
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
 * Starts the task's execution. A failure stays hidden from the client, because its task is written and held for. After
 * an error it would pay for a video that it knows nothing of. The sweep starts an execution that is missing.
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
