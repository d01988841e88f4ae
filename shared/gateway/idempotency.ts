/**
 * `Idempotency-Key`: the same key, route and request within a day is one call, billed once, and its answer is
 * given again (design §4; billing.md fault 48). The key is claimed beside admission, so that it costs a call no
 * round trip: whoever loses it gives its hold back, and whatever its meter said is then told no more. A request
 * without the header passes through untouched.
 */
import { createHmac } from "node:crypto";
import type { ReplayRecord } from "../access/replays.ts";
import type { Principal } from "../accounts/account.ts";
import { GatewayError } from "../errors.ts";
import type { FormBody } from "../http/form.ts";
import type { HttpReply, HttpRequest } from "../http/message.ts";
import type { Route } from "../http/routes.ts";
import type { JsonBody } from "../json/body.ts";
import { limits } from "../limits.ts";
import type { Hold } from "../meters/meter.ts";
import { deriveKey } from "../platform/encryption.ts";
import { timeOf } from "../platform/id.ts";
import { refuseUnmetered } from "./admit.ts";
import { authenticate, KeyCache } from "./authenticate.ts";
import type { Deps } from "./deps.ts";
import { costHeader } from "./headers.ts";
import { type Claim, createRecorder, type Recorder, readReplay } from "./recorder.ts";

/** A call that may carry the header. */
export interface Repeatable {
  request: HttpRequest;
  route: Route;
  /** The path's parameter, "" where it has none. */
  parameter: string;
  principal: Principal;
  /** What its bytes were read as, where that matters: a form goes by its parts. */
  body?: JsonBody | FormBody;
  /**
   * The answer of the call with this request id, where it can be told from what that call made; undefined while
   * there is no such thing. Then no answer is kept: `run` leaves its recorder alone.
   */
  answerOf?(request: string): Promise<HttpReply | undefined>;
}

/** Thrown by a run of which nobody can say whether it has made something: its key is not given back. */
export class OutcomeUnknown extends Error {}

/** The call that has a key, with its answer where that is at hand. */
interface Holder extends ReplayRecord {
  reply?: HttpReply;
}

/** What a call does once it may. */
interface Run<Admitted> {
  /**
   * Takes the call's hold, and throws why it has none. Its intent names `scope`, if there is one: should the call
   * die, it was sent only if it has that key (`wasSent` in operations/jobs/sweep.ts).
   */
  admit(scope?: string): Promise<Admitted>;
  run(admitted: Admitted, recorder?: Recorder): Promise<HttpReply>;
  /** Says that an admitted call will not run, where its hold may stay because no write that ends it was taken. */
  disown?(admitted: Admitted): Promise<unknown>;
}

/**
 * Runs a call, or gives the answer of the one that it repeats. Throws `invalid_request` for a header that is
 * no key or was used with another request, `idempotency_conflict` while the first call runs or where its
 * answer was not kept, and whatever `admit` and `run` throw.
 */
export async function runOnce<Admitted extends { hold: Hold }>(
  call: Repeatable,
  deps: Deps,
  { admit, run, disown }: Run<Admitted>,
): Promise<HttpReply> {
  const key = call.request.headers["idempotency-key"];
  if (key === undefined) return await run(await admit());
  const claim = await claimOf(checkKey(key), call, deps);
  const [admission, taken] = await Promise.allSettled([admit(claim.scope), take(claim, call, deps)]);
  if (taken.status === "fulfilled" && !taken.value) return await runClaimed(claim, admission, run, deps);
  if (admission.status === "fulfilled") {
    const { hold } = admission.value;
    await deps.meters.abandon(hold);
    if (deps.meters.isInDoubt(hold)) await disown?.(admission.value);
  }
  if (taken.status === "rejected") throw taken.reason;
  return await replay(claim, taken.value as Holder, deps);
}

/** Runs the call that has its key; where it was refused, or fails, the key goes back. */
async function runClaimed<Admitted>(
  claim: Claim,
  admission: PromiseSettledResult<Admitted>,
  run: Run<Admitted>["run"],
  deps: Deps,
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

/** Keyed hashes, so that the store shows neither keys nor what bodies are alike. */
async function claimOf(key: string, call: Repeatable, deps: Deps): Promise<Claim> {
  const { request, route, parameter, principal } = call;
  const pepper = await deps.secrets.pepper();
  const secret = deriveKey(pepper, "idempotency keys");
  const scope = createHmac("sha256", secret).update(JSON.stringify([principal.key.id, route.path, key]));
  const fingerprint = createHmac("sha256", secret).update(JSON.stringify([parameter, String(request.query)]));
  addBody(fingerprint, call);
  return {
    scope: scope.digest("hex"),
    record: { request: request.id, fingerprint: fingerprint.digest("hex"), state: "running" },
    pepper,
  };
}

/** Of a form the parts, because SDKs draw a new boundary for every try. */
function addBody(hash: ReturnType<typeof createHmac>, { request, body }: Repeatable): void {
  if (!body || !("parts" in body)) {
    hash.update(`\n${request.headers["content-type"] ?? ""}\n`).update(request.body);
    return;
  }
  for (const { key, file, content } of body.parts) {
    hash.update(`\n${JSON.stringify([key, file ?? null, content.length])}\n`).update(content);
  }
}

/** Takes the key, or gives the record of the call that has it and answers the same request. */
async function take(claim: Claim, call: Repeatable, deps: Deps): Promise<Holder | undefined> {
  const { request, route, principal } = call;
  const holder = await claimed(claim, deps);
  if (!holder) return undefined;
  // Whatever the meter says counts no more, so the key's record is asked: a revoked key is given nothing.
  await authenticate(request, route, deps, new KeyCache());
  if (holder.fingerprint !== claim.record.fingerprint) {
    const message = "The Idempotency-Key was used with another request.";
    throw new GatewayError("invalid_request", { message, param: "Idempotency-Key" });
  }
  const reply = await call.answerOf?.(holder.request);
  if (reply) return { ...holder, reply };
  const dead = timeOf(holder.request) + limits.holdExpirySeconds * 1000 <= deps.now();
  if (holder.state !== "running" || !dead) return holder;
  if (await isOver(principal.organization.id, holder.request, deps)) return { ...holder, state: "ended" };
  return await claimed(claim, deps, holder.request);
}

/**
 * Whether a call whose process died had come to its end: then its client may have seen that, and paid. The sweep never
 * says so of a call that it closes.
 */
async function isOver(organization: string, request: string, deps: Deps): Promise<boolean> {
  const event = (await deps.ledger.entriesOf(organization, request)).at(-1)?.event;
  return event?.outcome === "completed";
}

async function claimed(claim: Claim, deps: Deps, instead?: string): Promise<ReplayRecord | undefined> {
  try {
    return await deps.replays.claim(claim.scope, claim.record, deps.now(), instead);
  } catch (error) {
    // The claim may have been made all the same, for a call that will not run.
    await createRecorder(claim, deps).release();
    throw refuseUnmetered(error);
  }
}

async function replay(claim: Claim, holder: Holder, deps: Deps): Promise<HttpReply> {
  const { request, state } = holder;
  const reply = holder.reply ?? (state === "stored" ? await readReply(claim, holder, deps) : undefined);
  if (!reply) {
    if (state === "running") throw new GatewayError("idempotency_conflict");
    const message = `The call with this Idempotency-Key has ended and its answer was not kept. See /api/v1/requests/${request}.`;
    throw new GatewayError("idempotency_conflict", { message });
  }
  deps.log("info", "replay", { request: claim.record.request, replayed: request });
  // Nobody on the way may change what is to be given again byte for byte.
  const headers = {
    ...reply.headers,
    "cache-control": "no-store, no-transform",
    "x-gateway-replayed": request,
  };
  return { ...reply, headers };
}

async function readReply(claim: Claim, holder: Holder, deps: Deps): Promise<HttpReply | undefined> {
  const answer = await readReplay(claim, holder, deps);
  if (!answer) return undefined;
  const { status, content_type, bytes } = answer;
  return { status, headers: { "content-type": content_type, ...costHeader("0") }, body: bytes };
}
