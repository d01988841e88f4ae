import * as z from "zod/mini";
import { tiersOf, tokenKindRates, tokenPrices, upTo } from "./tokens-schema.ts";

const tier = z.strictObject({ up_to: upTo, ...tokenPrices, rates: z.exactOptional(tokenKindRates) });

/** `input_tokens_tiers` in a catalog file. */
export const inputTokensTiersSchema = <Rates extends z.ZodMiniType>(rates: Rates) =>
  z.strictObject({ mode: z.literal("input_tokens_tiers"), tiers: tiersOf(tier), rates });
