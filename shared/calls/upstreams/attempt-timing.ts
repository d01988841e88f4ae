/** How long a provider was asked, as the log says it. */
import type { LogFields } from "../../base/platform/log.ts";

/** When an attempt was sent, counted from the arrival of its call or task, and how long it took. Milliseconds. */
export type AttemptTiming = Required<Pick<LogFields, "sent_ms" | "attempt_ms">>;

/** The timing of an attempt that ends, or whose answer begins, now. Takes Unix milliseconds. */
export function attemptTiming(
  { arrivedAt, sentAt }: { arrivedAt: number; sentAt: number },
  { now }: { now: () => number },
): AttemptTiming {
  return { sent_ms: sentAt - arrivedAt, attempt_ms: now() - sentAt };
}
