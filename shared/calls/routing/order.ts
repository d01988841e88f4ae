/** In which order the channels of a model are asked, and why (shared/calls/routing/README.md "The order"). */
import type { HouseCost, Objective } from "../../books/catalog/catalog.ts";
import type { Board, ChannelState } from "./board.ts";
import { leftBecause, probes } from "./breaker.ts";
import { type Cost, costsOf, isWorse, leftForCost } from "./cost.ts";
import { nothingLeft, type Preferences } from "./preferences.ts";
import { priceMs, pricesOf } from "./price.ts";
import { rankOf } from "./rendezvous.ts";
import { inUse } from "./taken-out.ts";

/** The share of calls that go to their channel although it is slow or flaky. */
const exploredShare = 1 / 64;
/** So many times its cost a channel of a later priority counts for. */
const laterFactor = 2;

/** A channel that can take the call. */
export interface RoutedChannel {
  /** Its name on the board. */
  id: string;
  provider: string;
  /** The lowest number goes first. */
  priority: number;
  /** Above 0. */
  weight: number;
  cost?: HouseCost;
  /** It goes with the organization's own key. */
  own?: object;
}

export interface RoutingQuery<Channel extends RoutedChannel> {
  channels: readonly Channel[];
  /** Undefined where it could not be read. */
  board: Board | undefined;
  /** Unix milliseconds. */
  now: number;
  /** Whose call it is (`witness.ts`). Without one, only what counts for all does. */
  witness?: string | undefined;
  /** Undefined for a call that belongs to none: it is placed at random. */
  conversation: string | undefined;
  routing: "basic" | "smart";
  /** What smart routing goes by. Without it, `balanced`. */
  objective?: Objective | undefined;
  /** Only smart routing goes by them. */
  preferences?: Preferences | undefined;
}

/** The best first. */
export const channelHealths = ["good", "slow", "flaky", "limited", "open"] as const;
export type ChannelHealth = (typeof channelHealths)[number];

/** Why a channel stands where it does (README.md "Headers"). */
type Why = "only" | "priority" | "conversation" | "weight" | "order" | "probe" | "fallback";

export interface PlacedChannel<Channel extends RoutedChannel> {
  channel: Channel;
  health: ChannelHealth;
  /** How long it is still left, in milliseconds, where that is known. */
  left_ms: number | undefined;
  why: Why;
  /** Undefined where there is no board, and with basic routing, which does not go by it. */
  cost: Cost | undefined;
}

export interface ChannelOrder<Channel extends RoutedChannel> {
  routing: "basic" | "smart";
  /** In the order in which they are asked. */
  placed: PlacedChannel<Channel>[];
  /**
   * How many channels could take the call, also those that an operator has taken out: else no answers of the others would
   * be counted (`answers.ts`). With `fallbacks=off` only one of them is asked.
   */
  of: number;
  /** A channel that a call should probe: it goes first if the call gets the claim (`probe.ts`). */
  probe: Channel | undefined;
  /** The caller has preferences that its plan does not give. */
  ignores_preferences: boolean;
}

/** Orders the channels. Throws `invalid_request` where preferences leave none. `deps.random` is in [0, 1). */
export function orderOf<Channel extends RoutedChannel>(
  asked: RoutingQuery<Channel>,
  deps: { random: () => number } = { random: Math.random },
): ChannelOrder<Channel> {
  const { board, now, routing, witness, conversation = String(deps.random()) } = asked;
  const preferences = routing === "smart" ? asked.preferences : undefined;
  const able = allowed(asked.channels, preferences);
  const channels = inUse(able, board, now);
  // Without such calls nobody would learn that a channel is no longer slow or flaky, until all return to it at once.
  const explores = deps.random() < exploredShare;
  const prices = routing === "smart" ? pricesOf(channels, board) : undefined;
  const known = board && knownOf(channels, board, asked);
  const isDear = dearOf(channels, known, prices, asked.objective);
  const sorted = channels
    .map((channel) => {
      const { health = "good", rank = 0, left_ms, cost } = known?.get(channel.id) ?? {};
      const wishes = wishesOf(channel, cost, prices?.get(channel.id), preferences);
      // A channel alone needs no rank.
      const hash = channels.length === 1 ? 0 : rankOf(conversation, channel.id, channel.weight);
      const isEqual = (other: Channel) =>
        other.priority === channel.priority && isDear(other) === isDear(channel);
      const equals = channels.filter(isEqual).length;
      const why = whyOf(channels.length, equals, wishes.length > 0, asked.conversation !== undefined);
      const places = [channel.priority, Number(isDear(channel)), -hash];
      return {
        placed: { channel, health, left_ms, why, cost },
        keys: [explores && rank === 1 ? 0 : rank, ...wishes, ...places],
      };
    })
    .sort((a, b) => compare(a.keys, b.keys))
    .map(({ placed }): PlacedChannel<Channel> => placed);
  const single = preferences?.fallbacks === "off";
  const probe = sorted.find(
    ({ channel: { id } }) => board && probes(board.states[id], now, witness),
  )?.channel;
  return {
    routing,
    placed: single ? sorted.slice(0, 1) : sorted,
    of: able.length,
    // The organization's own key goes first where it says so.
    probe: single || sorted.length === 1 || sorted[0]?.channel.own ? undefined : probe,
    ignores_preferences: routing === "basic" && asked.preferences !== undefined,
  };
}

/** The same order for the call that has the claim to probe a channel. */
export function probing<Channel extends RoutedChannel>(
  order: ChannelOrder<Channel>,
  { id }: RoutedChannel,
): ChannelOrder<Channel> {
  const first = order.placed.filter(({ channel }) => channel.id === id);
  const others = order.placed.filter(({ channel }) => channel.id !== id);
  return { ...order, placed: [...first.map((placed) => ({ ...placed, why: "probe" as const })), ...others] };
}

function allowed<Channel extends RoutedChannel>(
  channels: readonly Channel[],
  { only, ignore = [] }: Preferences = {},
): readonly Channel[] {
  const left = channels.filter(
    ({ provider }) => (only === undefined || only.includes(provider)) && !ignore.includes(provider),
  );
  if (left.length === 0 && channels.length > 0) throw nothingLeft();
  return left;
}

interface Known extends Pick<PlacedChannel<RoutedChannel>, "health" | "left_ms" | "cost"> {
  /** 0 for channels that may go first, 1 for slow and flaky ones, 2 for those that are left. */
  rank: number;
}

function knownOf(
  channels: readonly RoutedChannel[],
  board: Board,
  { now, routing, witness }: Pick<RoutingQuery<RoutedChannel>, "now" | "routing" | "witness">,
): Map<string, Known> {
  const costs = routing === "smart" ? costsOf(channels, board, now, witness) : undefined;
  const leftFor = (id: string) => leftBecause(board.states[id], now, witness);
  const isLeft = ({ id }: RoutedChannel): boolean => leftFor(id) !== undefined;
  // If every channel is left, that no longer counts: a bad channel is better than none.
  const allLeft = channels.every(isLeft);
  // The board measures no channel of an organization's own key.
  const measured = channels.filter(({ own }) => own === undefined);
  const compared = allLeft ? measured : measured.filter((channel) => !isLeft(channel));
  return new Map(
    channels.map(({ id, priority, own }) => {
      const cost = costs?.get(id);
      const left = leftFor(id);
      const isCompared = own === undefined && costs !== undefined && cost !== undefined;
      const poor = isCompared ? leftForCost(cost, bestOf(compared, priority, costs)) : undefined;
      const rank = left && !allLeft ? 2 : poor ? 1 : 0;
      return [
        id,
        { health: left ?? poor ?? "good", left_ms: leftMs(left, board.states[id], now), cost, rank },
      ];
    }),
  );
}

/** The best cost that a channel of a priority is compared with, in milliseconds. */
function bestOf(channels: readonly RoutedChannel[], priority: number, costs: Map<string, Cost>): number {
  const all = channels.map((other) => {
    const ms = costs.get(other.id)?.ms ?? 0;
    // The operator wants a channel of a later priority less, so it has to be far better.
    return other.priority > priority ? laterFactor * ms : ms;
  });
  return Math.min(...all);
}

/** Whether a channel is too dear (README.md "What the house pays"). Its health is good: nobody is told of prices. */
function dearOf(
  channels: readonly RoutedChannel[],
  known: Map<string, Known> | undefined,
  prices: Map<string, number> | undefined,
  objective: Objective | undefined,
): (channel: RoutedChannel) => boolean {
  if (!prices || prices.size < 2) return () => false;
  const good = channels.filter(({ id, own }) => own === undefined && !known?.get(id)?.rank);
  const lowest = Math.min(...good.flatMap(({ id }) => prices.get(id) ?? []));
  const worth = ({ id }: RoutedChannel): number =>
    (known?.get(id)?.cost?.ms ?? 0) + priceMs(prices.get(id), lowest, objective);
  const dear = channels.filter((channel) => {
    if (channel.own) return false;
    const beside = good.filter(({ priority }) => priority <= channel.priority);
    return isWorse(worth(channel), Math.min(...beside.map(worth)));
  });
  return (channel) => dear.includes(channel);
}

/** How long a channel that is left for this reason still is for certain, in milliseconds. */
function leftMs(
  because: "open" | "limited" | undefined,
  state: ChannelState | undefined,
  now: number,
): number | undefined {
  const until = because === "open" ? state?.open_until : because && state?.limited_until;
  return until === undefined || until <= now ? undefined : until - now;
}

/** What the caller's preferences sort a channel by. Without any, nothing. */
function wishesOf(
  { provider, own }: RoutedChannel,
  cost: Cost | undefined,
  price: number | undefined,
  { order, sort }: Preferences = {},
): number[] {
  const wishes: number[] = [];
  if (order) wishes.push(order.includes(provider) ? order.indexOf(provider) : order.length);
  if (sort === "price") wishes.push(own ? 0 : (price ?? Number.MAX_VALUE));
  if (sort === "latency") wishes.push(cost?.first_byte_ms ?? 0);
  if (sort === "throughput") wishes.push(-(cost?.tokens_per_s ?? 0));
  return wishes;
}

function whyOf(of: number, equals: number, isWished: boolean, hasConversation: boolean): Why {
  if (of === 1) return "only";
  if (isWished) return "order";
  if (equals === 1) return "priority";
  return hasConversation ? "conversation" : "weight";
}

/** Compares the first numbers that differ. */
function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((key, index) => key !== other[index]);
  return at === -1 ? 0 : (one[at] as number) - (other[at] as number);
}
