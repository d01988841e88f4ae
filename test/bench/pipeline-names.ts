/** The composition with real parts only; without AWS; without AWS and provider. */
export const pipelineNames = ["composed", "without AWS", "without AWS and provider"] as const;
export type PipelineName = (typeof pipelineNames)[number];
