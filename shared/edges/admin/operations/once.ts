/**
 * A write of an operator under its `Idempotency-Key` (edges/admin/README.md "Writes"). The same request with the same key is
 * done once within a day. A repetition gets the answer of the first.
 */
import { GatewayError } from "../../../base/errors.ts";
import { type HttpReply, jsonReply } from "../../../base/http/message.ts";
import { limits } from "../../../base/limits.ts";
import { decrypt, deriveKey, encrypt, hmacUnder, keyObject } from "../../../base/platform/encryption.ts";
import { timeOf } from "../../../base/platform/id.ts";
import { describeError, type Log } from "../../../base/platform/log.ts";
import { openUnder, type Peppers } from "../../../base/platform/pepper.ts";
import type { ReplayRecord, Replays } from "../../../calls/access/replays.ts";
import { adminLimits } from "../../../people/admin/bounds.ts";
import type { AdminCall } from "../call.ts";

export interface OnceAdminDeps {
  replays: Pick<Replays, "claim" | "conclude">;
  /** The pepper's versions; with some that are known, newer ones if there are any. */
  peppers: (known?: Peppers) => Promise<Peppers>;
  log: Log;
  now: () => number;
}

/** What a write answers. */
export interface WriteAnswer {
  status: 200 | 202;
  body: object;
}

/**
 * Does a write, or gives the answer of the first one with this key. What was refused or has failed gives its key back, because
 * each write is harmless where it is repeated. Throws `invalid_request` without a key and for one that was used with another
 * request, and `idempotency_conflict` while the first one runs.
 */
export async function doOnce(
  call: AdminCall,
  write: () => Promise<WriteAnswer>,
  deps: OnceAdminDeps,
): Promise<HttpReply> {
  const claim = await claimOf(call, deps);
  const { scope, record, peppers } = claim;
  const holder = await taken(scope, record, deps);
  if (holder) return await repeated(holder, claim, deps);
  let answer: WriteAnswer;
  try {
    answer = await write();
  } catch (error) {
    await conclude(scope, { ...record, state: "released" }, deps);
    throw error;
  }
  const box = encrypt(keyOf(peppers.current.value), claim.context, Buffer.from(JSON.stringify(answer)));
  await conclude(scope, { ...record, state: "stored", answer: box }, deps);
  return jsonReply(answer.body, answer.status);
}

/** A key that a write has, or wants. */
interface AdminClaim {
  scope: string;
  record: ReplayRecord;
  peppers: Peppers;
  /** Token, path and key: only they open the stored answer again. */
  context: string;
}

/** Keyed hashes, as of calls: the store must not show the keys, nor which requests are the same. */
async function claimOf({ request, token }: AdminCall, deps: OnceAdminDeps): Promise<AdminClaim> {
  const key = request.headers["idempotency-key"] ?? "";
  if (key.length > limits.idempotencyKeyBytesMax || !/^[\x21-\x7e]+$/.test(key)) {
    const message = `A write takes an Idempotency-Key of 1 to ${limits.idempotencyKeyBytesMax} visible ASCII characters.`;
    throw new GatewayError("invalid_request", { message, param: "Idempotency-Key" });
  }
  const peppers = await deps.peppers();
  const names = keyObject(peppers.replayNames);
  const hashOf = (parts: string[]) => hmacUnder(names).update(JSON.stringify(parts)).digest("hex");
  const record: ReplayRecord = {
    request: request.id,
    fingerprint: hashOf([request.path, request.body.toString()]),
    state: "running",
  };
  const context = JSON.stringify(["operators", token.id, request.path, key]);
  return { scope: hashOf(["operators", token.id, key]), record, peppers, context };
}

/** The record of the write that has the key. A write that runs for too long has died, and its key is taken over. */
async function taken(
  scope: string,
  record: ReplayRecord,
  { replays, now }: OnceAdminDeps,
): Promise<ReplayRecord | undefined> {
  const holder = await replays.claim(scope, record, now());
  const isDead = holder?.state === "running" && timeOf(holder.request) + adminLimits.runningMs < now();
  if (!isDead || holder.fingerprint !== record.fingerprint) return holder;
  return await replays.claim(scope, record, now(), holder.request);
}

async function repeated(
  { state, fingerprint, answer, request }: ReplayRecord,
  { record, peppers, context }: AdminClaim,
  deps: OnceAdminDeps,
): Promise<HttpReply> {
  if (fingerprint !== record.fingerprint) {
    const message = "This Idempotency-Key was used with another request. Take a new one for each write.";
    throw new GatewayError("invalid_request", { message, param: "Idempotency-Key" });
  }
  if (state !== "stored" || !answer) {
    const message = "A write with this Idempotency-Key is running. Send it again in a minute.";
    throw new GatewayError("idempotency_conflict", { message });
  }
  const open = (pepper: string) => decrypt(keyOf(pepper), context, answer);
  const opened = await openUnder(peppers, open, () => deps.peppers(peppers)).catch((error: unknown) => {
    // The pepper under which it was kept was dropped, or somebody else has written this record.
    deps.log("error", "replay_unreadable", { request, error: describeError(error) });
    const message = "A write with this Idempotency-Key is done, and its answer cannot be read any more.";
    throw new GatewayError("idempotency_conflict", { message });
  });
  const { body, status } = JSON.parse(opened.toString()) as WriteAnswer;
  return jsonReply(body, status);
}

/** The key of the answers of operators. Those of calls have another one. */
function keyOf(pepper: string): Buffer {
  return deriveKey(pepper, "replayed answers of operators");
}

/** A record that cannot be written is a line in the log: the write is done, or refused, all the same. */
async function conclude(scope: string, record: ReplayRecord, { replays, log }: OnceAdminDeps): Promise<void> {
  try {
    await replays.conclude(scope, record);
  } catch (error) {
    log("warn", "admin_key_not_concluded", { request: record.request, error: describeError(error) });
  }
}
