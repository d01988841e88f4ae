/** Orders of three channels, by what a board says of them. */
import type { Board, ChannelCounts, ChannelState } from "#shared/calls/routing/board.ts";
import { bucketOf } from "#shared/calls/routing/histogram.ts";
import {
  type ChannelOrder,
  orderOf,
  type RoutedChannel,
  type RoutingQuery,
} from "#shared/calls/routing/order.ts";

export const now = Date.parse("2026-11-22T12:00:07.000Z");
const start = now - 7_000;
const deps = { random: () => 0.5 };

export const channel = (provider: string, more: Partial<RoutedChannel> = {}): RoutedChannel => ({
  id: `id-${provider}`,
  provider,
  priority: 1,
  weight: 1,
  ...more,
});
export const three = [channel("acme"), channel("globex"), channel("initech")];

export const answered = (
  ms: number,
  answers = 100,
  more: Partial<ChannelCounts> = {},
): Partial<ChannelCounts> => {
  const first_byte: number[] = [];
  first_byte[bucketOf(ms)] = answers;
  return { answers, first_byte: Array.from(first_byte, (count) => count ?? 0), ...more };
};
export const board = (
  counts: Record<string, Partial<ChannelCounts>> = {},
  states: Record<string, ChannelState> = {},
): Board => {
  const byId = <Value>(of: Record<string, Value>) =>
    Object.fromEntries(Object.entries(of).map(([provider, value]) => [`id-${provider}`, value]));
  return { read_at: now, windows: [{ start, channels: byId(counts) }], states: byId(states) };
};
export const open: ChannelState = { level: 1, open_until: now + 3_000 };
export const limited: ChannelState = { level: 0, limited_until: now + 12_000 };
export const halfOpen: ChannelState = { level: 2, open_until: now - 1 };

export const ask = (more: Partial<RoutingQuery<RoutedChannel>> = {}): ChannelOrder<RoutedChannel> =>
  orderOf({ channels: three, board: board(), now, conversation: "c", routing: "smart", ...more }, deps);
export const providers = ({ placed }: ChannelOrder<RoutedChannel>) =>
  placed.map((each) => each.channel.provider);
export const first = (order: ChannelOrder<RoutedChannel>) => providers(order)[0];
/** Who comes first in each of many conversations. */
export const firsts = (more: Partial<RoutingQuery<RoutedChannel>>) =>
  new Set(Array.from({ length: 60 }, (_, at) => first(ask({ ...more, conversation: `c${at}` }))));
