/** The composition with real parts only; without AWS; without AWS and provider. */
export const pipelineNames = ["composed", "without AWS", "without AWS and provider"] as const;
export type EliminatedName = (typeof pipelineNames)[number];
/** The last one keeps no answer for the cache (cache-miss.ts). */
export type PipelineName = EliminatedName | "also without recording";
