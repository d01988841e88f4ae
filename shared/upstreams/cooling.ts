/**
 * Channels that fail repeatedly, or whose provider asked us to wait, are tried last for a while (design §4 "Upstream
 * errors").
 */
import type { Channel } from "../catalog/catalog.ts";
import { limits } from "../limits.ts";

export interface Cooling {
  /**
   * Notes a failure. `until` is when the channel may go first again, where the provider or the kind of failure says
   * so.
   */
  failed(channel: Channel, now: number, until?: number): void;
  /** Whether other channels go first: this one has failed often of late, or its provider asked us to wait. */
  isCooling(channel: Channel, now: number): boolean;
  /** How many milliseconds are left of the wait that a failure asked for; undefined where none did. */
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
      // The latest wait counts: a provider knows best when it is ready.
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
