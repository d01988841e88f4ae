/** An order as a client is told it, in headers. They name providers, and never an account, a key or an address. */
import { limits } from "../../base/limits.ts";
import type { ChannelOrder, PlacedChannel, RoutedChannel } from "./order.ts";

/** The channel that answered, or was asked last, and how many were asked. */
interface LastAsked {
  via: string;
  attempts: number;
  isWon?: boolean;
}

type ToldWhy = PlacedChannel<RoutedChannel>["why"] | "failover" | "race" | "none";

/** Why the channel that was asked last was asked; `none` where nobody was. */
export function whyAsked(
  { placed }: ChannelOrder<RoutedChannel>,
  { via, attempts, isWon }: LastAsked,
): ToldWhy {
  if (attempts === 0) return "none";
  if (isWon) return "race";
  if (attempts > 1) return "failover";
  return placed.find(({ channel }) => channel.id === via)?.why ?? "failover";
}

/** The value of `x-gateway-route` (README.md "Headers"), all of it in words of ours, numbers and providers' names. */
export function routeHeader(order: ChannelOrder<RoutedChannel>, told: LastAsked): string {
  const via = order.placed.find(({ channel }) => channel.id === told.via);
  const parts = [
    order.routing,
    ...(via ? [`via=${via.channel.provider}`] : []),
    `why=${whyAsked(order, told)}`,
    `of=${order.of}`,
  ];
  const hasOwn = order.placed.some(({ channel }) => channel.own);
  if (via && hasOwn) parts.push(`key=${via.channel.own ? "own" : "house"}`);
  const out = order.placed.filter((placed) => placed !== via && placed.health !== "good").map(outOf);
  if (out.length > 0) parts.push(`out=${out.slice(0, limits.routeProvidersMax).join(",")}`);
  if (order.ignores_preferences) parts.push("preferences=ignored");
  return parts.join("; ");
}

function outOf({ channel: { provider }, health, left_ms }: PlacedChannel<RoutedChannel>): string {
  const left = left_ms === undefined ? "" : `(${Math.ceil(left_ms / 1000)}s)`;
  return `${provider}:${health}${left}`;
}

/** The value for `x-gateway-explain: 1`: what each channel was ordered by. What is over the limit is only counted. */
export function explanation(order: ChannelOrder<RoutedChannel>): string {
  const channels = order.placed.map(explained);
  for (let length = channels.length; ; length--) {
    const left_out = channels.length - length;
    const value = {
      routing: order.routing,
      channels: channels.slice(0, length),
      ...(left_out > 0 && { left_out }),
    };
    const text = JSON.stringify(value);
    if (text.length <= limits.routeExplainBytesMax || length === 0) return text;
  }
}

function explained({
  channel,
  health,
  left_ms,
  why,
  cost,
}: PlacedChannel<RoutedChannel>): Record<string, unknown> {
  const { provider, priority, weight } = channel;
  return {
    provider,
    why,
    health,
    ...(left_ms !== undefined && { left_ms: Math.round(left_ms) }),
    priority,
    weight,
    ...(cost && {
      cost_ms: Math.round(cost.ms),
      fault_share: Number(cost.fault_share.toFixed(4)),
      ...(cost.first_byte_ms !== undefined && { first_byte_ms: Math.round(cost.first_byte_ms) }),
      ...(cost.tokens_per_s !== undefined && { tokens_per_s: Math.round(cost.tokens_per_s) }),
    }),
  };
}
