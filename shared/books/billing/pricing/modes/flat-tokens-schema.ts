import * as z from "zod/mini";
import { tokenPrices } from "./tokens-schema.ts";

/** `flat_tokens` in a catalog file. */
export const flatTokensSchema = <Rates extends z.ZodMiniType>(rates: Rates) =>
  z.strictObject({ mode: z.literal("flat_tokens"), ...tokenPrices, rates });
