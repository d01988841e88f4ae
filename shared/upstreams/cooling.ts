/** Channels that fail again and again are tried last for a while (design §4, upstream errors). */
import type { Channel } from "../catalog/catalog.ts";
import { limits } from "../limits.ts";

export interface Cooling {
  failed(channel: Channel, now: number): void;
  /** Whether the channel has failed so often of late that others go first. */
  isCooling(channel: Channel, now: number): boolean;
}

/** Keeps the last failures of each channel in this process's memory. `now` is Unix milliseconds. */
export function createCooling(): Cooling {
  const failures = new Map<Channel, number[]>();
  const recent = (channel: Channel, now: number) =>
    (failures.get(channel) ?? []).filter((at) => at > now - limits.coolingMs);
  return {
    failed: (channel, now) =>
      void failures.set(channel, [...recent(channel, now), now].slice(-limits.coolingFailures)),
    isCooling: (channel, now) => recent(channel, now).length >= limits.coolingFailures,
  };
}
