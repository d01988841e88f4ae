/** Which calls are traced. The decision is made once, when the call comes, and holds for all of its spans. */
import type { TraceContext } from "./context.ts";

export interface Sampling {
  /** The share of traces that are recorded, from 0 to 1. */
  ratio: number;
  /** Whether a client that sends a trace decides for it by the flag `sampled`. */
  followsCaller: boolean;
}

/** The hexadecimal digits of a trace id that decide: random ones, by Trace Context Level 2. A number takes 52 bits. */
const decidingDigits = 13;

/** Whether a trace is recorded: by ratio, where its random part reaches a threshold, so all systems decide alike. */
export function isSampled(
  traceId: string,
  caller: Pick<TraceContext, "sampled"> | undefined,
  { ratio, followsCaller }: Sampling,
): boolean {
  if (caller && followsCaller) return caller.sampled;
  const part = Number.parseInt(traceId.slice(-decidingDigits), 16);
  return part >= Math.round((1 - ratio) * 16 ** decidingDigits);
}
