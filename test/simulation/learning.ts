/** A learner's invocation, with the models that the simulation plays. */
import { createModels, type ModelDeps } from "#shared/calls/cache/semantic/models.ts";
import { type LearnDeps, learnBatch } from "#shared/edges/jobs/learn.ts";

/** A message of the queue of lessons. */
export interface Lesson {
  id: string;
  body: string;
  /** How often it was delivered, this time included. */
  tries: number;
}

/** Learns lessons, and gives the ids of those that must come again. */
export async function learn(
  lessons: readonly Lesson[],
  deps: ModelDeps & Pick<LearnDeps, "contexts" | "cache" | "secrets">,
): Promise<string[]> {
  return await learnBatch([...lessons], { ...deps, ...createModels(deps) });
}
