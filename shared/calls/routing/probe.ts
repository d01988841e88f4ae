/** One call in the world probes an open channel (shared/calls/routing/README.md "Health of a channel"). */

import { within } from "../../base/platform/pause.ts";
import { boardBounds } from "./bounds.ts";
import type { Copies, CopiesDeps } from "./copies.ts";
import { type ChannelOrder, probing, type RoutedChannel } from "./order.ts";

/** Claims the probe that an order asks for. Gives the order for the call: that channel first, if it got the claim. */
export async function claimProbe<Channel extends RoutedChannel>(
  order: ChannelOrder<Channel>,
  model: string,
  copies: Copies,
  { boards, now }: CopiesDeps,
): Promise<ChannelOrder<Channel>> {
  const { probe } = order;
  if (!probe) return order;
  const at = now();
  const until = at + boardBounds.probeMs;
  const isClaimed = await within(claim(probe), boardBounds.claimMs, false);
  // Whoever has the claim: another call of this process need not ask for it.
  copies.addState(model, probe.id, { probed_until: until });
  return isClaimed ? probing(order, probe) : order;

  async function claim(channel: RoutedChannel): Promise<boolean> {
    try {
      return await boards.claimProbe(model, channel.id, { until, now: at });
    } catch (error) {
      copies.failed(error);
      return false;
    }
  }
}
