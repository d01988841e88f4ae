import type { ServedWays } from "../../chat/ways.ts";

/** Converse's words for the ways of serving a call (protocols.md §8.1), by ours. */
export const words = {
  service_tier: { standard: "default", priority: "priority", flex: "flex", reserved: "reserved" },
  speed: { standard: "standard", fast: "optimized" },
} as const satisfies Record<keyof ServedWays, Record<string, string>>;
