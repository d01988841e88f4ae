/** Decides whether an answer is free. Any other answer is billed as reported and takes one call of the quota. */
import type { Usage } from "../billing/usage.ts";
import type { UsageEvent } from "./usage-event.ts";

/** The end of an answer as its provider reports it: no end, an end with a reason, or an error in place of a reason. */
export type Finish = "none" | "reason" | "error";

/** The facts of an answer that decide whether it is free. */
export interface AnswerFacts {
  /** The provider's report, if it made one. */
  usage: Usage | undefined;
  /** Whether the provider put anything out. */
  produced: boolean;
  finish: Finish;
}

/**
 * Whether an answer of this kind is free. A chat's answer is free only if the provider put nothing out, reported no
 * output tokens, and gave no finish reason. An error is not a reason; a stop sequence is one. Embeddings and images
 * have no finish reason, and are free only on an error.
 */
export function isFree(kind: UsageEvent["kind"], { usage, produced, finish }: AnswerFacts): boolean {
  if (kind !== "chat") return finish === "error";
  const isSilent = !produced && (usage?.output_tokens ?? 0) === 0;
  return isSilent && finish !== "reason";
}
