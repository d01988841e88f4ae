/** `per_image`: one price for each generated image. */
import { type PriceMode, sameForEverySize, withoutTierRates } from "./mode.ts";

export interface PerImage {
  mode: "per_image";
  unit_price: string;
}

export const perImage: PriceMode<PerImage> = {
  measures: "images",
  rateCard: ({ unit_price }) => sameForEverySize({ generated_images: unit_price }),
  tierLists: () => [],
  ...withoutTierRates,
  resolutions: () => null,
  listed: ({ unit_price }) => ({ per: "image", price: unit_price }),
};

/** The price of an image that costs so much. */
export function priceOfImage(unit_price: string): PerImage {
  return { mode: "per_image", unit_price };
}
