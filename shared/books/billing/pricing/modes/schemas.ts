/**
 * How a catalog file writes a price: the table of `index.ts` again, with the schema of every mode. Schemas have files
 * of their own because the gateway's bundle has the modes and must not take in zod.
 */
import * as z from "zod/mini";
import { decimal, label } from "../strings-schema.ts";
import type { MediaModes, TokenModes } from "./index.ts";
import { resolutions } from "./per-second.ts";
import { tiersOf, tokenKindRates, tokenPrices, upTo } from "./tokens-schema.ts";

type SchemasOf<Modes> = { [Name in keyof Modes]: z.ZodMiniType<Modes[Name]> };

const sizeTiers = tiersOf(
  z.strictObject({ up_to: upTo, ...tokenPrices, rates: z.exactOptional(tokenKindRates) }),
);
const priceTiers = tiersOf(z.strictObject({ up_to: upTo, price: decimal }));

const tokenSchemas = <Rates extends z.ZodMiniType>(rates: Rates) =>
  ({
    flat_tokens: z.strictObject({ mode: z.literal("flat_tokens"), ...tokenPrices, rates }),
    input_tokens_tiers: z.strictObject({
      mode: z.literal("input_tokens_tiers"),
      tiers: sizeTiers,
      rates,
    }),
    total_tokens_tiers: z.strictObject({
      mode: z.literal("total_tokens_tiers"),
      ...{ input: priceTiers, output: priceTiers, cache_read: decimal, cache_write: decimal },
      rates,
    }),
  }) satisfies SchemasOf<TokenModes>;

const mediaSchemas = <Rates extends z.ZodMiniType>(rates: Rates) =>
  ({
    per_image: z.strictObject({ mode: z.literal("per_image"), unit_price: decimal, rates }),
    per_second: z.strictObject({
      mode: z.literal("per_second"),
      by_resolution: z.partialRecord(z.enum(resolutions), decimal),
      rates,
    }),
  }) satisfies SchemasOf<MediaModes>;

/** One of these prices: its `mode` says which. */
function oneOf<Schema extends z.core.$ZodTypeDiscriminable>(schemas: Record<string, Schema>) {
  return z.discriminatedUnion("mode", Object.values(schemas) as [Schema, ...Schema[]]);
}

const byName = z.exactOptional(z.record(label, decimal));
const ownPrices = oneOf(tokenSchemas(z.exactOptional(tokenKindRates)));
const tierPrice = z.union([decimal, ownPrices], {
  error: "must be a decimal string with at most six decimals, or prices of its own",
});
const rates = z.extend(tokenKindRates, {
  service_tier: z.exactOptional(z.record(label, tierPrice)),
  speed: byName,
  inference_geo: byName,
  tools: byName,
  tools_once: byName,
  unasked: byName,
  batch: z.exactOptional(ownPrices),
});
const mediaRates = z.strictObject({ service_tier: byName, tools: byName, tools_once: byName });

/** A price in a catalog file. */
export const priceSchema = oneOf({
  ...tokenSchemas(z.exactOptional(rates)),
  ...mediaSchemas(z.exactOptional(mediaRates)),
});
