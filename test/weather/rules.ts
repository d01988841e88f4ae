/** Rules by which a process orders channels: the product's, and two that know only their own process. */

import type { Board, Boards } from "#shared/calls/routing/board.ts";
import { boardBounds } from "#shared/calls/routing/bounds.ts";
import { Copies } from "#shared/calls/routing/copies.ts";
import { observe } from "#shared/calls/routing/observe.ts";
import { orderOf } from "#shared/calls/routing/order.ts";
import { claimProbe } from "#shared/calls/routing/probe.ts";
import type { Random } from "#test/simulation/random.ts";
import type { Attempted, PlayedChannel } from "./provider.ts";

export const rules = ["smart", "basic", "weights", "p2c"] as const;
export type RuleName = (typeof rules)[number];

/** What the processes of a run share. */
interface Shared {
  channels: readonly PlayedChannel[];
  boards: Boards;
  now: () => number;
  random: Random;
  /** Called for each error that a process logs. */
  log: () => void;
}

/** The order of one call. */
export interface Chosen {
  channels: readonly PlayedChannel[];
  /** The channels of these that fail or limit us, as far as the rule knows. */
  left?: ReadonlySet<PlayedChannel>;
  /** The call has the claim to probe the first of them. */
  probes: boolean;
}

/** One process: it serves one call at a time. */
export interface Rule {
  /** Begins with the call of a witness, beside its admission. Gives what gives the order, once it is admitted. */
  begin(conversation: string, witness: string): () => Promise<Chosen>;
  /** Takes how an attempt ended, and whether it was raced. Gives the writes that follow. */
  saw(
    channel: PlayedChannel,
    attempted: Attempted | { outcome: "lost" },
    of: { witness: string; probed: boolean; raced: boolean; waited_ms?: number },
  ): Promise<void>;
  /** The board as it is now. Rules without one do not race. */
  board?: () => Promise<Board | undefined>;
}

const model = "m";

export function createRule(name: RuleName, shared: Shared): Rule {
  if (name === "weights") return byWeights(shared);
  if (name === "p2c") return byTwoChoices(shared);
  return byBoard(name, shared);
}

function byBoard(routing: "smart" | "basic", { channels, boards, now, log }: Shared): Rule {
  const deps = { boards, now, log };
  const copies = new Copies(deps);
  return {
    begin(conversation, witness) {
      const look = copies.look(model);
      return async () => {
        const board = await look.ready(boardBounds.waitMs);
        const order = orderOf({ channels, board, now: now(), witness, conversation, routing });
        const { placed } = await claimProbe(order, model, copies, deps);
        const left = placed.filter(({ health }) => health === "open" || health === "limited");
        return {
          channels: placed.map(({ channel }) => channel),
          left: new Set(left.map(({ channel }) => channel)),
          probes: placed[0]?.why === "probe",
        };
      };
    },
    saw: async ({ id, provider }, attempted, of) => {
      const { outcome } = attempted;
      const wait_ms = outcome === "limited" ? attempted.wait_ms : undefined;
      await observe(
        { model, channel: id, provider, outcome, wait_ms, ...of, caller: of.witness },
        copies,
        deps,
      );
    },
    ...(routing === "smart" && { board: () => copies.look(model).ready(boardBounds.waitMs) }),
  };
}

/**
 * At random by weight. A process asks a channel last that has failed five times in 30 s of its own calls, or whose
 * provider asked it to wait.
 */
function byWeights({ channels, now, random }: Shared): Rule {
  const failures = new Map<PlayedChannel, number[]>();
  const rests = new Map<PlayedChannel, number>();
  const recent = (channel: PlayedChannel) =>
    (failures.get(channel) ?? []).filter((at) => at > now() - 30_000);
  const isCooling = (channel: PlayedChannel) =>
    (rests.get(channel) ?? 0) > now() || recent(channel).length >= 5;
  return {
    begin: () => async () => {
      const drawn = random.shuffle(channels);
      return {
        channels: [...drawn.filter((each) => !isCooling(each)), ...drawn.filter(isCooling)],
        probes: false,
      };
    },
    async saw(channel, attempted) {
      if (attempted.outcome === "answered" || attempted.outcome === "lost") return;
      failures.set(channel, [...recent(channel), now()]);
      if (attempted.outcome === "limited") rests.set(channel, now() + attempted.wait_ms);
    },
  };
}

/** The better of two channels at random, by a mean of waits that rises at once and falls within 10 s. */
function byTwoChoices({ channels, now, random }: Shared): Rule {
  const means = new Map<PlayedChannel, { ms: number; at: number }>();
  const meanOf = (channel: PlayedChannel) => {
    const { ms, at } = means.get(channel) ?? { ms: 0, at: 0 };
    return ms * Math.exp(-(now() - at) / 10_000);
  };
  return {
    begin: () => async () => {
      const [one, other, ...rest] = random.shuffle(channels);
      const two = [one, other].filter((each) => each !== undefined).sort((a, b) => meanOf(a) - meanOf(b));
      return { channels: [...two, ...rest], probes: false };
    },
    async saw(channel, attempted) {
      if (attempted.outcome === "lost") return;
      const ms = attempted.outcome === "answered" ? attempted.ms : Math.max(attempted.ms, 10_000);
      const mean = meanOf(channel);
      means.set(channel, { ms: ms > mean ? ms : 0.7 * mean + 0.3 * ms, at: now() });
    },
  };
}
