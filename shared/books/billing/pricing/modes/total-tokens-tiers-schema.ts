import * as z from "zod/mini";
import { decimal } from "../strings-schema.ts";
import { tiersOf, upTo } from "./tokens-schema.ts";

const tiers = tiersOf(z.strictObject({ up_to: upTo, price: decimal }));

/** `total_tokens_tiers` in a catalog file. */
export const totalTokensTiersSchema = <Rates extends z.ZodMiniType>(rates: Rates) =>
  z.strictObject({
    mode: z.literal("total_tokens_tiers"),
    input: tiers,
    output: tiers,
    cache_read: decimal,
    cache_write: decimal,
    rates,
  });
