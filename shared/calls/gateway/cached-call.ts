/**
 * The cache's part of a call (shared/calls/cache/README.md "The way of a call"). A hit is answered and metered here.
 * Every other answer tells that it was none, and is kept after its last byte where it may be.
 */

import type { HttpReply } from "../../base/http/message.ts";
import { limits } from "../../base/limits.ts";
import { describeError } from "../../base/platform/log.ts";
import { within } from "../../base/platform/pause.ts";
import { formatPoints } from "../../books/billing/points.ts";
import { charge } from "../../books/billing/pricing/charge.ts";
import type { Usage } from "../../books/billing/usage.ts";
import type { CacheHit } from "../../books/ledger/usage-event.ts";
import { costHeader } from "../access/cost-header.ts";
import { rateHeaders } from "../access/rate-headers.ts";
import type { Recorder } from "../access/recorder.ts";
import { bounds } from "../cache/bounds.ts";
import { type AskedCall, type Hit, look } from "../cache/cache.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import { providerHeaders } from "./headers.ts";
import { logEnd, publishHit } from "./meter.ts";
import type { Prepared } from "./prepare.ts";
import { noRouteTaken } from "./route-taken.ts";

/** A call of a plan that has a cache. */
export interface CachedCall {
  /** Answers an admitted call: out of the cache, or by `run`, whose answer is kept where it may be. */
  run(admitted: Admitted, run: (admitted: Admitted) => Promise<HttpReply>, deps: Deps): Promise<HttpReply>;
}

/** Begins to look for the answer to a call, or knows that it has no cache. Rejects only without a pepper. */
export async function begin(prepared: Prepared, deps: Deps): Promise<CachedCall> {
  const looked = await look(prepared, deps);
  return "bypass" in looked ? bypass(`bypass; reason=${looked.bypass}`) : ask(looked);
}

function bypass(told: string): CachedCall {
  return { run: async (admitted, run) => withHeader(await run(admitted), told) };
}

function ask(asked: AskedCall): CachedCall {
  return {
    async run(admitted, run, deps) {
      const same = await within(asked.found, limits.cacheWaitMs, undefined);
      const hit = same ?? (await asked.similar?.());
      const told = hit && hitOf(hit, admitted, deps);
      if (told) return await answerHit(admitted, hit, told, asked.end, deps);
      const filler = createFiller(admitted.recorder);
      const reply = await run({ ...admitted, recorder: filler.recorder });
      const after = async () => {
        await reply.after?.();
        const kept = filler.kept();
        await asked.end(kept && { ...kept, dropped: reply.headers["x-gateway-dropped"] });
      };
      return withHeader({ ...reply, after }, "miss");
    },
  };
}

function withHeader(reply: HttpReply, told: string): HttpReply {
  return { ...reply, headers: { ...reply.headers, "x-gateway-cache": told } };
}

/** Collects the answer of a call as it leaves, for the cache and for the recorder of its idempotency key. */
function createFiller(recorder: Recorder | undefined): {
  recorder: Recorder;
  /** The answer, once it has left whole and was billed. */
  kept(): { bytes: Buffer; usage: Usage } | undefined;
} {
  let chunks: Uint8Array[] = [];
  let size = 0;
  let usage: Usage | undefined;
  return {
    recorder: {
      add(bytes) {
        size += bytes.length;
        if (size <= bounds.replyBytesMax) chunks.push(bytes);
        else chunks = [];
        recorder?.add(bytes);
      },
      async keep(head, event) {
        // What another model has answered is no answer of the one that was asked for.
        if (event.requested_model === undefined) usage = event.usage;
        await recorder?.keep(head, event);
      },
      async release() {
        await recorder?.release();
      },
    },
    kept() {
      if (!usage || size > bounds.replyBytesMax) return undefined;
      return { bytes: Buffer.concat(chunks), usage };
    },
  };
}

/** Answers a call out of the cache. Its event is durable before a byte leaves, as with any other answer. */
async function answerHit(
  admitted: Admitted,
  hit: Hit,
  told: CacheHit,
  end: AskedCall["end"],
  deps: Deps,
): Promise<HttpReply> {
  const { bytes, content_type } = hit.answer;
  const { event, settle } = await publishHit(admitted, told, deps);
  const { recorder } = admitted;
  recorder?.add(bytes);
  await recorder?.keep({ status: 200, content_type }, event);
  logEnd(admitted, event, { status: 200 }, deps);
  return {
    status: 200,
    headers: {
      "content-type": content_type,
      ...(admitted.call.stream && { "cache-control": "no-cache, no-transform" }),
      ...rateHeaders(admitted.protocol.name, admitted.limitStatus, deps.now()),
      ...providerHeaders(noRouteTaken),
      ...(hit.dropped !== undefined && { "x-gateway-dropped": hit.dropped }),
      ...costHeader(event.cost_points),
      "x-gateway-cache": headerOf(hit),
      age: String(hit.age_seconds),
    },
    body: bytes,
    async after() {
      await settle?.();
      await end();
    },
  };
}

function headerOf({ level, age_seconds, entry, verified }: Hit): string {
  const told = `hit; level=${level}; age=${age_seconds}; entry=${entry}`;
  return verified ? `${told}; verified=${verified}` : told;
}

/**
 * What a hit's event tells. Undefined where the earlier usage has no price any more, for instance after a change of the
 * catalog. The call is admitted, so it asks a provider then instead of failing with its hold open.
 */
function hitOf(
  { level, verified, entry, age_seconds, usage, place, context }: Hit,
  { price, request }: Admitted,
  deps: Pick<Deps, "log">,
): CacheHit | undefined {
  try {
    const saved_points = formatPoints(charge(usage, price).points);
    const meant = { ...(verified && { verified }), ...(context !== undefined && { context }) };
    return { level, entry, age_seconds, saved_points, place, ...meant };
  } catch (error) {
    deps.log("warn", "cache_unreadable", { request: request.id, error: describeError(error) });
    return undefined;
  }
}
