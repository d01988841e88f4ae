/** `per_second`: a price for each second of video, by the video's resolution. */
import { type PriceMode, sameForEverySize, withoutTierRates } from "./mode.ts";

/** The resolutions that a video can be made at. */
export const resolutions = ["480p", "720p", "1080p"] as const;
export type Resolution = (typeof resolutions)[number];

export interface PerSecond {
  mode: "per_second";
  by_resolution: Record<string, string>;
}

export const perSecond: PriceMode<PerSecond> = {
  measures: "seconds",
  rateCard: ({ by_resolution }, _kindRates, resolution = "") => {
    const price = Object.hasOwn(by_resolution, resolution) ? by_resolution[resolution] : undefined;
    if (price === undefined)
      throw new RangeError(`no price for the resolution ${JSON.stringify(resolution)}`);
    return sameForEverySize({ video_seconds: price });
  },
  tierLists: () => [],
  ...withoutTierRates,
  resolutions: ({ by_resolution }) => Object.keys(by_resolution),
  listed: () => ({ per: "nothing", why: "the list has no price per second of each resolution" }),
};
