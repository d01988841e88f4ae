/** The time that a call has. */
import type { HttpRequest } from "../http/message.ts";
import { limits } from "../limits.ts";
import type { Deps } from "./deps.ts";

/** Runs out while there is still time to settle the call. */
export interface Deadline {
  signal: AbortSignal;
  clear: () => void;
}

/** Starts a request's deadline, at which its provider is aborted (design §3; aws.md §6, loss window 1). */
export function startDeadline(
  { deadline_at }: Pick<HttpRequest, "deadline_at">,
  deps: Pick<Deps, "now">,
): Deadline {
  const abort = new AbortController();
  const left = deadline_at - limits.settlementReserveMs - deps.now();
  const timer = setTimeout(() => abort.abort(), Math.max(0, left));
  return { signal: abort.signal, clear: () => clearTimeout(timer) };
}
