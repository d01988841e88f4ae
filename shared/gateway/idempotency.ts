/**
 * `Idempotency-Key`: the same key, route and request within a day is one call, billed once, and its answer is
 * given again (design §4; billing.md fault 48). The key is claimed before admission, not beside it: calls
 * that lose would otherwise hold the quota or balance that the one which won needs. A request without the
 * header passes through untouched.
 */
import { createHmac } from "node:crypto";
import type { ReplayRecord } from "../billing/replays.ts";
import { GatewayError } from "../errors.ts";
import type { HttpReply } from "../http/message.ts";
import { limits } from "../limits.ts";
import { deriveKey } from "../platform/encryption.ts";
import { timeOf } from "../platform/id.ts";
import { refuseUnmetered } from "./admit.ts";
import { costHeader } from "./answer.ts";
import { authenticate, KeyCache } from "./authenticate.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { type Claim, createRecorder, type Recorder, readReplay } from "./replay.ts";

/**
 * Runs a call, or gives the answer of the one that it repeats. Throws `invalid_request` for a header that is
 * no key or was used with another request, `idempotency_conflict` while the first call runs or where its
 * answer was not kept, and whatever `run` throws.
 */
export async function runOnce(
  decoded: Decoded,
  parameter: string,
  deps: Deps,
  run: (recorder?: Recorder) => Promise<HttpReply>,
): Promise<HttpReply> {
  const key = decoded.request.headers["idempotency-key"];
  if (key === undefined) return await run();
  const claim = await claimOf(checkKey(key), decoded, parameter, deps);
  const holder = await take(claim, decoded, deps);
  if (holder) return await replay(claim, holder, deps);
  const recorder = createRecorder(claim, deps);
  try {
    return await run(recorder);
  } catch (error) {
    await recorder.release();
    throw error;
  }
}

function checkKey(key: string): string {
  if (key.length <= limits.idempotencyKeyBytesMax && /^[\x21-\x7e]+$/.test(key)) return key;
  const message = `The Idempotency-Key must be 1 to ${limits.idempotencyKeyBytesMax} visible ASCII characters.`;
  throw new GatewayError("invalid_request", { message, param: "Idempotency-Key" });
}

/** Keyed hashes, so that the store shows neither keys nor what bodies are alike. */
async function claimOf(key: string, decoded: Decoded, parameter: string, deps: Deps): Promise<Claim> {
  const { request, route, principal } = decoded;
  const pepper = await deps.secrets.pepper();
  const secret = deriveKey(pepper, "idempotency keys");
  const scope = createHmac("sha256", secret).update(JSON.stringify([principal.key.id, route.path, key]));
  const fingerprint = createHmac("sha256", secret).update(JSON.stringify([parameter, String(request.query)]));
  addBody(fingerprint, decoded);
  return {
    scope: scope.digest("hex"),
    record: { request: request.id, fingerprint: fingerprint.digest("hex"), state: "running" },
    pepper,
  };
}

/** A form goes by its parts, because SDKs draw a new boundary for every try. */
function addBody(hash: ReturnType<typeof createHmac>, { request, body }: Decoded): void {
  if (!("parts" in body)) {
    hash.update(`\n${request.headers["content-type"] ?? ""}\n`).update(request.body);
    return;
  }
  for (const { key, file, content } of body.parts) {
    hash.update(`\n${JSON.stringify([key, file ?? null, content.length])}\n`).update(content);
  }
}

/** Takes the key, or gives the record of the call that has it and answers the same request. */
async function take(claim: Claim, decoded: Decoded, deps: Deps): Promise<ReplayRecord | undefined> {
  const { request, route, principal } = decoded;
  const holder = await claimed(claim, deps);
  if (!holder) return undefined;
  // No meter is asked here, so the key's record is: a revoked key is given nothing.
  await authenticate(request, route, deps, new KeyCache());
  if (holder.fingerprint !== claim.record.fingerprint) {
    const message = "The Idempotency-Key was used with another request.";
    throw new GatewayError("invalid_request", { message, param: "Idempotency-Key" });
  }
  const dead = timeOf(holder.request) + limits.holdExpirySeconds * 1000 <= deps.now();
  if (holder.state !== "running" || !dead) return holder;
  if (await isOver(principal.organization.id, holder.request, deps)) return { ...holder, state: "ended" };
  return await claimed(claim, deps, holder.request);
}

/** Whether a call whose process died had come to its end: then its client may have seen that, and paid. */
async function isOver(organization: string, request: string, deps: Deps): Promise<boolean> {
  const event = (await deps.ledger.entriesOf(organization, request)).at(-1)?.event;
  return event?.source === "gateway" && event.outcome === "completed";
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

async function replay(claim: Claim, { request, state }: ReplayRecord, deps: Deps): Promise<HttpReply> {
  if (state === "running") throw new GatewayError("idempotency_conflict");
  const answer = state === "stored" ? await readReplay(claim, request, deps) : undefined;
  if (!answer) {
    const message = `The call with this Idempotency-Key has ended and its answer was not kept. See /api/v1/requests/${request}.`;
    throw new GatewayError("idempotency_conflict", { message });
  }
  deps.log("info", "replay", { request: claim.record.request, replayed: request });
  return {
    status: answer.status,
    headers: {
      "content-type": answer.content_type,
      "x-gateway-replayed": request,
      ...costHeader("0"),
    },
    body: answer.bytes,
  };
}
