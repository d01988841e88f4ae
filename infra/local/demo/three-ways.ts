/** A model with three providers, for whoever wants to see how calls are routed. No deployed catalog has it. */
import type { ModelEntry } from "#shared/books/catalog/catalog.ts";
import file from "./three-ways.json" with { type: "json" };

/** The model as a catalog has it. */
export const threeWaysModel = file as ModelEntry;

/** The model's id, and the names of its providers, whose weather can be set. */
export const threeWays = {
  id: threeWaysModel.id,
  providers: threeWaysModel.channels.map(({ provider }) => provider),
};
