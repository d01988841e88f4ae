/** The rule for free answers. Every other answer is billed as reported and takes one call of quota. */
import type { Usage } from "../billing/usage.ts";
import type { UsageEvent } from "./usage-event.ts";

/** How a provider reported the end of an answer: not at all, with a reason, or with an error in place of the reason. */
export type Finish = "none" | "reason" | "error";

/** What decides whether an answer is free. */
export interface Given {
  /** The provider's report, if it made one. */
  usage: Usage | undefined;
  /** The provider sent some output. */
  produced: boolean;
  finish: Finish;
}

/**
 * Whether an answer is free. Generated text is free only if the provider sent no output, reported no output tokens and
 * gave no finish reason. An error in place of the reason is no reason; the end by a stop sequence is one. Embeddings and
 * images have no finish reason and are free only on an error.
 */
export function isFree(kind: UsageEvent["kind"], { usage, produced, finish }: Given): boolean {
  if (kind !== "chat") return finish === "error";
  const isSilent = !produced && (usage?.output_tokens ?? 0) === 0;
  return isSilent && finish !== "reason";
}
