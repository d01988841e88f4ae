/** Processes that see channels and share a board, for tests of what opens one (shared/calls/routing/observe.ts). */
import { vi } from "vitest";
import type { Boards } from "#shared/calls/routing/board.ts";
import { Copies, type CopiesDeps } from "#shared/calls/routing/copies.ts";
import { type Observed, observe } from "#shared/calls/routing/observe.ts";
import { orderOf, type RoutedChannel } from "#shared/calls/routing/order.ts";
import { claimProbe } from "#shared/calls/routing/probe.ts";
import { MemoryBoards } from "./memory-boards.ts";

export const start = Date.parse("2026-11-22T12:00:01.000Z");
export const model = "m";
const channels: RoutedChannel[] = ["a", "b", "c"].map((id) => ({ id, provider: id, priority: 1, weight: 1 }));

/** Time that all processes share, but for how far the clock of each is ahead. */
export function createWorld(boards: Boards = new MemoryBoards()) {
  const time = { now: start };
  const log = vi.fn();
  const createProcess = (ahead = 0) => {
    const deps: CopiesDeps = { boards, now: () => time.now + ahead, log };
    const copies = new Copies(deps);
    const see = (outcome: Observed["outcome"], more: Partial<Observed> = {}) =>
      observe({ model, channel: "a", provider: "acme", outcome, probed: false, ...more }, copies, deps);
    /** The order of a call, after it has tried to get the claim to probe. */
    const order = async (conversation = "c", witness?: string) => {
      const board = await copies.look(model).ready(1_000);
      const asked = { channels, board, now: deps.now(), witness, conversation, routing: "basic" as const };
      return await claimProbe(orderOf(asked), model, copies, deps);
    };
    const health = async (witness?: string) =>
      (await order("c", witness)).placed.find(({ channel }) => channel.id === "a")?.health;
    return { copies, deps, see, order, health };
  };
  return { boards: boards as MemoryBoards, time, log, createProcess };
}

/** A world in which channel `a` is open for 2.5 s, by the faults of three processes. */
export async function createOutage() {
  const world = createWorld();
  for (let at = 0; at < 3; at++) await world.createProcess().see("fault");
  return world;
}
