/** What the modes that count tokens have in common in a catalog file. */
import * as z from "zod/mini";
import { type TokenKind, tokenKinds } from "../../usage.ts";
import { decimal } from "../strings-schema.ts";

export const tokenPrices = { input: decimal, output: decimal, cache_read: decimal, cache_write: decimal };

/** The bound of a tier: a count, or null for no end. */
export const upTo = z.nullable(z.int().check(z.gte(0)));

export const tokenKindRates = z.strictObject(
  Object.fromEntries(tokenKinds.map((kind) => [kind, z.exactOptional(decimal)])) as Record<
    TokenKind,
    z.ZodMiniExactOptional<typeof decimal>
  >,
);

/** Tiers whose bounds rise. The last one alone is open, so every size has exactly one tier. */
export function tiersOf<Tier extends z.ZodMiniType<{ up_to: number | null }>>(tier: Tier) {
  return z.array(tier).check(
    z.minLength(1),
    z.refine(
      (tiers) =>
        tiers.every(({ up_to }, index) => {
          const previous = tiers[index - 1]?.up_to ?? 0;
          return index === tiers.length - 1 ? up_to === null : up_to !== null && up_to > previous;
        }),
      "tiers must have a rising `up_to`, and null for the last one only",
    ),
  );
}
