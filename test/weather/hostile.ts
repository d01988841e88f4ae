/** An organization that does its worst to the calls of others. */
import { rankOf } from "#shared/calls/routing/rendezvous.ts";
import type { Random } from "#test/simulation/random.ts";
import type { Attempted, PlayedChannel } from "./provider.ts";

export const hostileName = "evil";
const failsAfterMs = 80;

export interface Hostile {
  /** Its calls a second. */
  rate: number;
  channels: number;
  /** Its calls fail there, or their first bytes come after so many milliseconds: it asks for much, or for long thought. */
  calls: "fail" | { first_byte_ms: number };
}

/**
 * The conversation of one of its calls: one of its own each time. A call that does not fail belongs to a channel that it
 * means, because its client sees in the answers which conversation belongs where.
 */
export function hostileConversation(
  { channels: meant, calls }: Hostile,
  channels: readonly PlayedChannel[],
  random: Random,
): string {
  for (;;) {
    const name = `evil${random.next()}`;
    const ranks = channels.map(({ id, weight }) => rankOf(name, id, weight));
    if (calls === "fail" || ranks.indexOf(Math.max(...ranks)) < meant) return name;
  }
}

/** How one of its calls ends at the channel in this place, where `usual` is how another's would. */
export function hostileEnd({ channels, calls }: Hostile, place: number, usual: Attempted): Attempted {
  if (place >= channels) return usual;
  if (calls === "fail") return { outcome: "fault", ms: failsAfterMs };
  return usual.outcome === "answered" ? { ...usual, ms: calls.first_byte_ms } : usual;
}
