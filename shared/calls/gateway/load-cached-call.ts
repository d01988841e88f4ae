/**
 * Begins to use the cache for a call whose plan has one (shared/calls/cache/README.md "The way of a call"). The code
 * that does it is loaded with the first such call.
 */

import { describeError } from "../../base/platform/log.ts";
import { cachesFor } from "../../books/catalog/plans.ts";
import type { CachedCall } from "./cached-call.ts";
import type { Deps } from "./deps.ts";
import type { Prepared } from "./prepare.ts";

/**
 * Begins to look for the answer to a call. Undefined where the key's plan has no cache, and nothing is done for it. Never
 * rejects: a cache that fails is a miss.
 */
export function lookUp(prepared: Prepared, deps: Deps): Promise<CachedCall> | undefined {
  if (!cachesFor(prepared.principal, deps.catalog, prepared.request.received_at)) return undefined;
  return begin(prepared, deps).catch((error: unknown) => {
    deps.log("warn", "cache_failed", { request: prepared.request.id, error: describeError(error) });
    return { run: (admitted, run) => run(admitted) };
  });
}

async function begin(prepared: Prepared, deps: Deps): Promise<CachedCall> {
  const { begin: beginCall } = await import("./cached-call.ts");
  return await beginCall(prepared, deps);
}
