/** When an answer costs nothing. Everything else is billed as reported, and takes its call of quota. */
import type { Usage } from "../billing/usage.ts";
import type { UsageEvent } from "./usage-event.ts";

/** How a provider says that an answer has ended: not at all, for a reason, or by an error in a reason's place. */
export type Finish = "none" | "reason" | "error";

/** What is known of an answer when it is decided whether it costs anything. */
export interface Given {
  /** The provider's report, if it made one. */
  usage: Usage | undefined;
  /** The provider put something out. */
  produced: boolean;
  finish: Finish;
}

/**
 * Whether an answer of this kind is free. Generated text is free only if the provider put nothing out, reported no
 * output tokens, and gave no finish reason; an error in its place is none. An end by a stop sequence answers too.
 * Embeddings and images have no finish reason, and are free only on an error.
 */
export function isFree(kind: UsageEvent["kind"], { usage, produced, finish }: Given): boolean {
  if (kind !== "chat") return finish === "error";
  const isSilent = !produced && (usage?.output_tokens ?? 0) === 0;
  return isSilent && finish !== "reason";
}
