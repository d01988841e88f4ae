/**
 * The table of price modes, by the names that they have in a catalog. No file outside this folder names a mode.
 *
 * To add a mode, write its file. Then add it to the types and the table below, and its schema to `schemas.ts`. The
 * compiler fails until all of these are there.
 */
import { type FlatTokens, flatTokens } from "./flat-tokens.ts";
import { type InputTokensTiers, inputTokensTiers } from "./input-tokens-tiers.ts";
import type { PriceMode } from "./mode.ts";
import { type PerImage, perImage } from "./per-image.ts";
import { type PerSecond, perSecond } from "./per-second.ts";
import { type TotalTokensTiers, totalTokensTiers } from "./total-tokens-tiers.ts";

/**
 * Modes that count tokens. Their prices may have rates of token kinds, and service tiers may have prices of their own.
 */
export interface TokenModes {
  flat_tokens: FlatTokens;
  input_tokens_tiers: InputTokensTiers;
  total_tokens_tiers: TotalTokensTiers;
}

/** Modes that count pictures and seconds. A service tier can only multiply their prices. */
export interface MediaModes {
  per_image: PerImage;
  per_second: PerSecond;
}

interface Modes extends TokenModes, MediaModes {}

/** A price as its mode defines it, without `rates`. */
type ModePrice = Modes[keyof Modes];

/** One mode for each name. */
export type ModeTable = { readonly [Name in keyof Modes]: PriceMode<Modes[Name]> };

const modes: ModeTable = {
  flat_tokens: flatTokens,
  input_tokens_tiers: inputTokensTiers,
  total_tokens_tiers: totalTokensTiers,
  per_image: perImage,
  per_second: perSecond,
};

/** The mode of a price. */
export function modeOf<Price extends ModePrice>(price: Price): PriceMode<Price> {
  // The compiler cannot know that `modes[price.mode]` is the mode of this very type of price.
  return modes[price.mode] as unknown as PriceMode<Price>;
}
