/** Products that are broken where the pepper is rotated. */
import { peppersOf } from "#shared/base/platform/pepper.ts";
import type { Mutation } from "./mutation.ts";
import { changing } from "./rewriting.ts";

/** By name, as those of `mutants.ts`. */
export const mutantsOfPeppers: Record<string, () => Mutation> = {
  "forgets where a key has moved to": () => ({
    transport: (inner) =>
      changing(inner, "TransactWriteItems", ({ Item: item }) => {
        if (item) delete item.moved;
      }),
  }),

  "names repetitions by the current pepper": () => ({
    peppers: ({ current, previous }) => ({
      ...peppersOf(current, previous),
      replayNames: peppersOf(current).replayNames,
    }),
  }),
};
