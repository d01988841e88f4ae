/** Channels that fail again and again, or that asked to be left alone, are tried last for a while (design §4 "Upstream errors"). */
import type { Channel } from "../catalog/catalog.ts";
import { limits } from "../limits.ts";

export interface Cooling {
  /** Notes a failure. `until`, where the provider or the kind of failure says so: how long others go first. */
  failed(channel: Channel, now: number, until?: number): void;
  /** Whether others go first: the channel has failed so often of late, or asked for it. */
  isCooling(channel: Channel, now: number): boolean;
  /** How many milliseconds are left of what a failure asked for; undefined where none has. */
  restLeft(channel: Channel, now: number): number | undefined;
}

/** Keeps the last failures of each channel in this process's memory. Instants are Unix milliseconds. */
export function createCooling(): Cooling {
  const failures = new Map<Channel, number[]>();
  const rests = new Map<Channel, number>();
  const recent = (channel: Channel, now: number) =>
    (failures.get(channel) ?? []).filter((at) => at > now - limits.coolingMs);
  return {
    failed(channel, now, until) {
      failures.set(channel, [...recent(channel, now), now].slice(-limits.coolingFailures));
      // The latest word counts: a provider knows best when it is ready.
      if (until !== undefined) rests.set(channel, Math.min(until, now + limits.upstreamWaitMaxMs));
    },
    isCooling: (channel, now) =>
      (rests.get(channel) ?? now) > now || recent(channel, now).length >= limits.coolingFailures,
    restLeft(channel, now) {
      const until = rests.get(channel);
      return until === undefined || until < now ? undefined : until - now;
    },
  };
}
