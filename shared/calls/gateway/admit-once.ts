/** The admission of a call, and what is looked up beside it: the answer in the cache, and that of an earlier repetition. */
import type { ErrorKey } from "../../base/errors.ts";
import type { HttpReply } from "../../base/http/message.ts";
import type { Recorder } from "../access/recorder.ts";
import { type Admitted, admit } from "./admit.ts";
import type { CachedCall } from "./cached-call.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { lookUp } from "./load-cached-call.ts";
import { failed, publish } from "./meter.ts";
import type { Prepared } from "./prepare.ts";
import { noRouteTaken } from "./route-taken.ts";

/**
 * Admits a call and has `run` answer it, unless the cache does. With an `Idempotency-Key` it runs once, and a repetition
 * gets its answer. `decoded` is the call as its request says it. Throws what `admit` and `runOnce` throw.
 */
export async function admitOnce(
  prepared: Prepared,
  decoded: Decoded,
  run: (admitted: Admitted) => Promise<HttpReply>,
  deps: Deps,
): Promise<HttpReply> {
  let cached: Promise<CachedCall> | undefined;
  const admitCall = (scope?: string) => {
    const admission = admit(prepared, scope, deps);
    // The admission's requests are on their way, so this costs the call no time.
    cached ??= lookUp(prepared, deps);
    return admission;
  };
  const runCall = async (held: Admitted, recorder?: Recorder) => {
    const admitted = { ...held, recorder };
    return cached ? await (await cached).run(admitted, run, deps) : await run(admitted);
  };
  const unsent = (held: Admitted, error?: ErrorKey) => publish(held, failed(noRouteTaken, error), deps);
  if (decoded.request.headers["idempotency-key"] === undefined) return await runCall(await admitCall());
  // Few calls have the header, so few processes load the code for it.
  const { runOnce } = await import("../access/idempotency.ts");
  return await runOnce(decoded, { admit: admitCall, run: runCall, publishUnsent: unsent }, deps);
}
