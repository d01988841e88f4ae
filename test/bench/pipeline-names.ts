/** The composition with real parts only; without AWS; without AWS and provider. */
export const pipelineNames = ["composed", "without AWS", "without AWS and provider"] as const;
export type EliminatedName = (typeof pipelineNames)[number];
/**
 * What the cost of the cache is made of (cache-miss.ts). An answer that is cut short is not kept. Beside an intent: the
 * call writes its intent to AWS, and nothing else. A read alone is no call at all, but one request to AWS by the
 * gateway's client.
 */
export type PipelineName =
  | EliminatedName
  | "without AWS and provider, answers cut short"
  | "also without the cache's requests, answers cut short"
  | "beside an intent, answers cut short"
  | "a read alone";
