/** Weighted rendezvous hashing: where a channel comes or goes, only its own conversations move. */
import { hash48 } from "../../base/platform/id.ts";

/** A channel's rank for a conversation; the highest goes first: each for its share of the weights, all above 0. */
export function rankOf(conversation: string, channel: string, weight: number): number {
  // In the middle between two of the values, so that it is neither 0 nor 1.
  const share = (hash48(`${conversation} ${channel}`) + 0.5) / 2 ** 48;
  return -weight / Math.log(share);
}
