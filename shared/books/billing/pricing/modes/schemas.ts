/**
 * How a catalog file writes a price: the table of `index.ts` again, with the schema of every mode. Schemas have files
 * of their own because the gateway's bundle has the modes and must not take in zod.
 */
import * as z from "zod/mini";
import { decimal, label } from "../strings-schema.ts";
import { flatTokensSchema } from "./flat-tokens-schema.ts";
import type { MediaModes, TokenModes } from "./index.ts";
import { inputTokensTiersSchema } from "./input-tokens-tiers-schema.ts";
import { perImageSchema } from "./per-image-schema.ts";
import { perSecondSchema } from "./per-second-schema.ts";
import { tokenKindRates } from "./tokens-schema.ts";
import { totalTokensTiersSchema } from "./total-tokens-tiers-schema.ts";

type SchemasOf<Modes> = { [Name in keyof Modes]: z.ZodMiniType<Modes[Name]> };

const tokenSchemas = <Rates extends z.ZodMiniType>(rates: Rates) =>
  ({
    flat_tokens: flatTokensSchema(rates),
    input_tokens_tiers: inputTokensTiersSchema(rates),
    total_tokens_tiers: totalTokensTiersSchema(rates),
  }) satisfies SchemasOf<TokenModes>;

const mediaSchemas = <Rates extends z.ZodMiniType>(rates: Rates) =>
  ({
    per_image: perImageSchema(rates),
    per_second: perSecondSchema(rates),
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
