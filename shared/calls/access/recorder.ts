/** Keeps the answer of a call with an idempotency key, and reads it again: compressed, then encrypted. */

import { limits } from "../../base/limits.ts";
import { decrypt, deriveKey, encrypt } from "../../base/platform/encryption.ts";
import { describeError } from "../../base/platform/log.ts";
import { openUnder, type Peppers } from "../../base/platform/pepper.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import type { AccessDeps } from "./deps.ts";
import type { ReplayRecord } from "./replays.ts";

/** The part of an answer's head that is kept. */
interface ReplayHead {
  status: number;
  content_type: string;
  /** The full id of the model that answered, where it is another one than the call asked for. */
  model?: string;
}

/** A key that a running call has claimed. */
export interface Claim {
  scope: string;
  record: ReplayRecord;
  peppers: Peppers;
}

/** What the end of a call leaves in its key's record. */
type End = Pick<ReplayRecord, "state" | "answer">;

type RecorderDeps = Pick<AccessDeps, "replays" | "log">;

/** Collects the answer of the call that has a key, and records in the end what became of it. Never rejects. */
export interface Recorder {
  /** Takes the next bytes of the answer. */
  add(bytes: Uint8Array): void;
  /**
   * Keeps the answer for repetitions of the call. It runs after the usage is durable and before the last byte leaves,
   * so that a client that has seen the end is given the same end again. A process may be killed at any point:
   *
   * - Before the usage is durable: nobody has seen the end. The sweeper bills what the call was sent. Once its hold
   *   has expired, a repetition runs.
   * - Then, before the answer is kept: the record still says `running`, and a repetition is refused. After the hold's
   *   expiry the ledger's entry says that the call had ended (`isOver` in idempotency.ts). It is the same where the
   *   store fails for good.
   * - After the answer is kept: a repetition is given this answer.
   *
   * `event` is what was published. It says which model answered. A recorder that also fills the cache keeps its usage
   * (calls/gateway/cached-call.ts).
   */
  keep(
    head: Pick<ReplayHead, "status" | "content_type">,
    event: Pick<UsageEvent, "usage" | "model" | "requested_model">,
  ): Promise<void>;
  /** Gives the key back: the call failed, and a repetition runs. */
  release(): Promise<void>;
}

/** A recorder for the call that has claimed a key. */
export function createRecorder(claim: Claim, deps: RecorderDeps): Recorder {
  const { scope, record } = claim;
  let chunks: Uint8Array[] = [];
  let size = 0;

  const warn = (error: unknown) =>
    deps.log("warn", "replay_failed", { request: record.request, error: describeError(error) });
  const conclude = (end: End): Promise<void> =>
    deps.replays.conclude(scope, { ...record, ...end }).catch(warn);

  const store = async (head: ReplayHead): Promise<End> => {
    if (size > limits.replayBytesMax) return { state: "ended" };
    const box = pack(claim, head, chunks);
    if (box.length <= limits.replayInRecordBytesMax) return { state: "stored", answer: box };
    if (box.length > limits.replayBoxBytesMax) return { state: "ended" };
    await deps.replays.keep(record.request, box);
    return { state: "stored" };
  };

  return {
    add(bytes) {
      size += bytes.length;
      if (size <= limits.replayBytesMax) chunks.push(bytes);
      else chunks = [];
    },
    async keep({ status, content_type }, { model, requested_model }) {
      const told = requested_model === undefined ? {} : { model };
      const end = await store({ status, content_type, ...told }).catch(warn);
      await conclude(end ?? { state: "ended" });
    },
    release: () => conclude({ state: "released" }),
  };
}

/** The stored answer of the call that has the key; undefined where there is none, or it cannot be read. */
export async function readReplay(
  claim: Claim,
  { request, answer }: ReplayRecord,
  deps: RecorderDeps & Pick<AccessDeps, "secrets">,
): Promise<(ReplayHead & { bytes: Buffer }) | undefined> {
  const box = answer ?? (await deps.replays.answer(request));
  if (!box) return undefined;
  try {
    const open = (pepper: string) => decrypt(keyOf(pepper), claim.scope, box);
    return unpack(await openUnder(claim.peppers, open, () => deps.secrets.peppers(claim.peppers)));
  } catch (error) {
    // The pepper under which it was kept was dropped, or somebody else has written this record.
    deps.log("error", "replay_unreadable", { request, error: describeError(error) });
    return undefined;
  }
}

/** Loaded with the first answer that is kept: most calls have no key of their own. */
const zlib = () => process.getBuiltinModule("node:zlib");

const quality = 4;

/**
 * The scope is part of the encryption, so that only the same key, caller and route can open the box. Compression is
 * synchronous: for an answer of a few KB that is faster than a thread, and a simulated run then depends on no other
 * clock.
 */
function pack(claim: Claim, head: ReplayHead, chunks: Uint8Array[]): Buffer {
  const { brotliCompressSync, constants } = zlib();
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  const plain = brotliCompressSync(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...chunks]), {
    params,
  });
  return encrypt(keyOf(claim.peppers.current.value), claim.scope, plain);
}

function unpack(packed: Buffer): ReplayHead & { bytes: Buffer } {
  const plain = zlib().brotliDecompressSync(packed);
  const end = plain.indexOf("\n");
  const head = JSON.parse(plain.toString("utf8", 0, end)) as ReplayHead;
  return { ...head, bytes: plain.subarray(end + 1) };
}

function keyOf(pepper: string): Buffer {
  return deriveKey(pepper, "replayed answers");
}
