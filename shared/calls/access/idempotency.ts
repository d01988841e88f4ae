/**
 * `Idempotency-Key`: within a day, the same request with the same key on the same route is one call. It is billed once,
 * and its answer is given again (design §4; billing.md fault 48). The key is claimed in parallel with admission, so it
 * costs a call no round trip. A call that does not get the key gives its hold back, and its client is not told what the
 * meter said. A request without the header passes through untouched.
 */

import { type ErrorKey, GatewayError, keyOf } from "../../base/errors.ts";
import type { FormBody } from "../../base/http/form.ts";
import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import type { Route } from "../../base/http/routes.ts";
import type { JsonBody } from "../../base/json/body.ts";
import { limits } from "../../base/limits.ts";
import { hmacUnder, keyObject } from "../../base/platform/encryption.ts";
import { timeOf } from "../../base/platform/id.ts";
import type { Principal } from "../../books/accounts/account.ts";
import type { Ticket } from "../../books/meters/hold.ts";
import { authenticate, PrincipalCache } from "./authenticate.ts";
import { costHeader } from "./cost-header.ts";
import type { AccessDeps } from "./deps.ts";
import { type Claim, createRecorder, type Recorder, readReplay } from "./recorder.ts";
import type { ReplayRecord } from "./replays.ts";
import { refuseUnmetered } from "./take.ts";

/** What the keys of calls need. */
export type OnceDeps = Pick<
  AccessDeps,
  "accounts" | "meters" | "ledger" | "replays" | "secrets" | "log" | "now"
>;

/** A call that may carry the header. */
export interface Repeatable {
  request: HttpRequest;
  route: Route;
  /** The path's parameter; "" where the path has none. */
  parameter: string;
  principal: Principal;
  /** The parsed body, where that matters: two forms are the same request if their parts are the same. */
  body?: JsonBody | FormBody;
  /**
   * The answer of the call with this request id, where what that call made tells it; undefined while it has made
   * nothing. A call that has this keeps no answer: `run` does not use its recorder.
   */
  answerOf?(request: string): Promise<HttpReply | undefined>;
}

/** Thrown by a run that cannot tell whether it has made something. Its key is not given back. */
export class OutcomeUnknown extends Error {}

/** The call that has a key, with its answer if that is at hand. */
interface Holder extends ReplayRecord {
  reply?: HttpReply;
}

/** What a call does once it may. */
interface Run<Admitted> {
  /**
   * Takes the call's hold, or throws why it gets none. `scope` names the call's idempotency key, if it has one. The
   * intent keeps it, because a call that died before it had its key was never sent (`wasSent` in
   * edges/jobs/sweep.ts).
   */
  admit(scope?: string): Promise<Admitted>;
  run(admitted: Admitted, recorder?: Recorder): Promise<HttpReply>;
  /**
   * Publishes that an admitted call will not be sent. Runs when its hold may stand all the same. `error` is what its
   * client is told; undefined where another call has its key.
   */
  publishUnsent?(admitted: Admitted, error?: ErrorKey): Promise<unknown>;
}

/**
 * Runs a call, or gives the answer of the call that it repeats. Throws `invalid_request` for a header that is no key,
 * or whose key was used with another request. Throws `idempotency_conflict` while the first call runs, and where its
 * answer was not kept. Throws whatever `admit` and `run` throw.
 */
export async function runOnce<Admitted extends { ticket: Ticket }>(
  call: Repeatable,
  { admit, run, publishUnsent }: Run<Admitted>,
  deps: OnceDeps,
): Promise<HttpReply> {
  const key = call.request.headers["idempotency-key"];
  if (key === undefined) return await run(await admit());
  const claim = await claimOf(checkKey(key), call, deps);
  const [admission, taken] = await Promise.allSettled([admit(claim.scope), take(claim, call, deps)]);
  if (taken.status === "fulfilled" && !taken.value) return await runClaimed(claim, admission, run, deps);
  if (admission.status === "fulfilled") {
    const isGone = await deps.meters.abandon(admission.value.ticket);
    const error = taken.status === "rejected" ? keyOf(taken.reason) : undefined;
    if (!isGone) await publishUnsent?.(admission.value, error);
  }
  if (taken.status === "rejected") throw taken.reason;
  return await replay(claim, taken.value as Holder, deps);
}

/** Runs the call that has its key. If it was refused or fails, the key is given back. */
async function runClaimed<Admitted>(
  claim: Claim,
  admission: PromiseSettledResult<Admitted>,
  run: Run<Admitted>["run"],
  deps: OnceDeps,
): Promise<HttpReply> {
  const recorder = createRecorder(claim, deps);
  try {
    if (admission.status === "rejected") throw admission.reason;
    return await run(admission.value, recorder);
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) await recorder.release();
    throw error;
  }
}

function checkKey(key: string): string {
  if (key.length <= limits.idempotencyKeyBytesMax && /^[\x21-\x7e]+$/.test(key)) return key;
  const message = `The Idempotency-Key must be 1 to ${limits.idempotencyKeyBytesMax} visible ASCII characters.`;
  throw new GatewayError("invalid_request", { message, param: "Idempotency-Key" });
}

/** Keyed hashes: the store must not show the keys, nor which bodies are the same. */
async function claimOf(key: string, call: Repeatable, deps: Pick<OnceDeps, "secrets">): Promise<Claim> {
  const { request, route, parameter, principal } = call;
  const peppers = await deps.secrets.peppers();
  const names = keyObject(peppers.replayNames);
  const scope = hmacUnder(names).update(JSON.stringify([principal.key.id, route.path, key]));
  // Another model may answer a call that names other fallbacks, so it is another request.
  const fallbacks = request.headers["x-gateway-fallback"];
  const asked = [parameter, String(request.query), ...(fallbacks === undefined ? [] : [fallbacks])];
  const fingerprint = hmacUnder(names).update(JSON.stringify(asked));
  addBody(fingerprint, call);
  return {
    scope: scope.digest("hex"),
    record: { request: request.id, fingerprint: fingerprint.digest("hex"), state: "running" },
    peppers,
  };
}

/** A form counts by its parts, because SDKs draw a new boundary for every try. */
function addBody(hash: ReturnType<typeof hmacUnder>, { request, body }: Repeatable): void {
  if (!body || !("parts" in body)) {
    hash.update(`\n${request.headers["content-type"] ?? ""}\n`).update(request.body);
    return;
  }
  for (const { key, file, content } of body.parts) {
    hash.update(`\n${JSON.stringify([key, file ?? null, content.length])}\n`).update(content);
  }
}

/** Takes the key, or gives the record of the call that has it and was the same request. */
async function take(claim: Claim, call: Repeatable, deps: OnceDeps): Promise<Holder | undefined> {
  const { request, route, principal } = call;
  const holder = await claimed(claim, undefined, deps);
  if (!holder) return undefined;
  // The meter's verdict does not count for a repetition, so the key's record is read: a revoked key is given nothing.
  await authenticate(request, route, { keys: new PrincipalCache() }, deps);
  if (holder.fingerprint !== claim.record.fingerprint) {
    const message = "The Idempotency-Key was used with another request.";
    throw new GatewayError("invalid_request", { message, param: "Idempotency-Key" });
  }
  const reply = await call.answerOf?.(holder.request);
  if (reply) return { ...holder, reply };
  const dead = timeOf(holder.request) + limits.holdExpirySeconds * 1000 <= deps.now();
  if (holder.state !== "running" || !dead) return holder;
  if (await isOver(principal.organization.id, holder.request, deps)) return { ...holder, state: "ended" };
  return await claimed(claim, holder.request, deps);
}

/**
 * Whether a call whose process died had come to its end. Then its client may have seen that end, and was charged for
 * it. The sweep never marks a call that it closes as completed.
 */
async function isOver(
  organization: string,
  request: string,
  deps: Pick<OnceDeps, "ledger">,
): Promise<boolean> {
  const event = (await deps.ledger.entriesOf(organization, request)).at(-1)?.event;
  return event?.outcome === "completed";
}

/**
 * Claims the key, also from the dead call `instead`. Gives the record of the call that has it; undefined if this one
 * has.
 */
async function claimed(
  claim: Claim,
  instead: string | undefined,
  deps: OnceDeps,
): Promise<ReplayRecord | undefined> {
  try {
    return await deps.replays.claim(claim.scope, claim.record, deps.now(), instead);
  } catch (error) {
    // The claim may have gone through, for a call that will not run.
    await createRecorder(claim, deps).release();
    throw refuseUnmetered(error);
  }
}

async function replay(claim: Claim, holder: Holder, deps: OnceDeps): Promise<HttpReply> {
  const { request, state } = holder;
  const reply = holder.reply ?? (state === "stored" ? await readReply(claim, holder, deps) : undefined);
  if (!reply) {
    if (state === "running") throw new GatewayError("idempotency_conflict");
    const message = `The call with this Idempotency-Key has ended and its answer was not kept. See /api/v1/requests/${request}.`;
    throw new GatewayError("idempotency_conflict", { message });
  }
  deps.log("info", "replay", { request: claim.record.request, replayed: request });
  // No proxy may change bytes that must be the same each time.
  const headers = {
    ...reply.headers,
    "cache-control": "no-store, no-transform",
    "x-gateway-replayed": request,
  };
  return { ...reply, headers };
}

async function readReply(claim: Claim, holder: Holder, deps: OnceDeps): Promise<HttpReply | undefined> {
  const answer = await readReplay(claim, holder, deps);
  if (!answer) return undefined;
  const { status, content_type, model, bytes } = answer;
  const told = model === undefined ? {} : { "x-gateway-model": model };
  return { status, headers: { "content-type": content_type, ...told, ...costHeader("0") }, body: bytes };
}
