/** The time that a call has. */
import type { HttpRequest } from "../../base/http/message.ts";
import { limits } from "../../base/limits.ts";
import type { Deps } from "./deps.ts";

/** Runs out while there is still time to settle the call. */
export interface Deadline {
  signal: AbortSignal;
  clear: () => void;
}

/**
 * Starts a request's deadline, at which its provider is aborted (design §3; aws.md §6, loss window 1). A process that
 * has to end aborts it earlier.
 */
export function startDeadline(
  { deadline_at, stopping }: Pick<HttpRequest, "deadline_at" | "stopping">,
  deps: Pick<Deps, "now">,
): Deadline {
  const abort = new AbortController();
  const breakOff = () => abort.abort();
  const left = deadline_at - limits.settlementReserveMs - deps.now();
  const timer = setTimeout(breakOff, stopping?.aborted ? 0 : Math.max(0, left));
  stopping?.addEventListener("abort", breakOff);
  return {
    signal: abort.signal,
    clear() {
      clearTimeout(timer);
      stopping?.removeEventListener("abort", breakOff);
    },
  };
}
