/** Converse's words for the ways of serving a call (protocols.md §8.1), and ours for what its answers say. */
import { entryOf } from "../../../base/json/fields.ts";
import type { ServedWays } from "../../chat/ways.ts";

/** By way, and by our word. */
export const words = {
  service_tier: { standard: "default", priority: "priority", flex: "flex", reserved: "reserved" },
  speed: { standard: "standard", fast: "optimized" },
} as const satisfies Record<keyof ServedWays, Record<string, string>>;

const ours = {
  service_tier: inverted(words.service_tier),
  speed: inverted(words.speed),
};

function inverted(table: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([own, word]) => [word, own]));
}

/** How a call was served, in our words; undefined where the answer does not say it. A word that we do not know stays. */
export function waysServed({ service_tier, speed }: ServedWays): ServedWays | undefined {
  if (service_tier === undefined && speed === undefined) return undefined;
  return {
    ...(service_tier !== undefined && {
      service_tier: entryOf(ours.service_tier, service_tier) ?? service_tier,
    }),
    ...(speed !== undefined && { speed: entryOf(ours.speed, speed) ?? speed }),
  };
}
