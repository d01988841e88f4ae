/** The boards of all models in memory, with the conditions of the table (shared/calls/routing/board.ts). */
import {
  type Board,
  type Boards,
  type BoardWindow,
  type ChannelCounts,
  type ChannelState,
  type Opening,
  orderSpanMs,
  type TakenOut,
  windowOf,
} from "#shared/calls/routing/board.ts";
import { countedOn } from "#shared/calls/routing/views.ts";

interface Kept {
  windows: Map<number, BoardWindow["channels"]>;
  states: Map<string, ChannelState>;
  out: Map<string, TakenOut>;
}

export class MemoryBoards implements Boards {
  readonly #kept = new Map<string, Kept>();
  /** Claims that were given. */
  claims = 0;
  /** Openings that were made. */
  openings = 0;
  reads = 0;

  async read(model: string, now: number, spanMs = orderSpanMs): Promise<Board> {
    this.reads += 1;
    const { windows, states, out } = this.#of(model);
    const young = [...windows].filter(([start]) => start > now - spanMs).sort(([a], [b]) => a - b);
    // Counts are replaced and never changed, so a reader may share them.
    return {
      read_at: now,
      windows: young.map(([start, channels]) => ({ start, channels: { ...channels } })),
      states: Object.fromEntries([...states].map(([id, state]) => [id, { ...state }])),
      ...(out.size > 0 && { taken_out: Object.fromEntries(out) }),
    };
  }

  async add({
    model,
    at,
    channels,
  }: {
    model: string;
    at: number;
    channels: BoardWindow["channels"];
  }): Promise<BoardWindow> {
    const { windows } = this.#of(model);
    const start = windowOf(at);
    const kept = windows.get(start) ?? {};
    for (const [id, counts] of Object.entries(channels))
      kept[id] = countedOn(kept[id], counts as Partial<ChannelCounts>);
    windows.set(start, kept);
    return { start, channels: { ...kept } };
  }

  async limit(model: string, channel: string, until: number): Promise<void> {
    const state = this.state(model, channel);
    if ((state.limited_until ?? 0) < until) state.limited_until = until;
  }

  async open(
    model: string,
    channel: string,
    { until, level, now, only_for, failed_by }: Opening,
  ): Promise<boolean> {
    const state = this.state(model, channel);
    const isForOne = state.only_for !== undefined && only_for === undefined;
    if ((state.open_until ?? 0) > now && !isForOne) return false;
    this.openings += 1;
    delete state.only_for;
    delete state.failed_by;
    Object.assign(state, { open_until: until, level });
    if (only_for !== undefined) state.only_for = only_for;
    if (failed_by !== undefined) state.failed_by = failed_by;
    delete state.probed_until;
    return true;
  }

  async claimProbe(
    model: string,
    channel: string,
    { until, now }: { until: number; now: number },
  ): Promise<boolean> {
    const state = this.state(model, channel);
    if (state.open_until === undefined || state.open_until > now) return false;
    if ((state.probed_until ?? 0) > now) return false;
    this.claims += 1;
    state.probed_until = until;
    return true;
  }

  async close(model: string, channel: string): Promise<void> {
    const state = this.state(model, channel);
    state.level = 0;
    delete state.open_until;
    delete state.probed_until;
    delete state.only_for;
    delete state.failed_by;
  }

  /** An operator takes a channel out, or brings it back where no `out` is given. */
  takeOut(model: string, channel: string, out?: TakenOut): void {
    const all = this.#of(model).out;
    if (out) all.set(channel, out);
    else all.delete(channel);
  }

  /** A channel's state, as it is kept. */
  state(model: string, channel: string): ChannelState {
    const { states } = this.#of(model);
    const state = states.get(channel) ?? { level: 0 };
    states.set(channel, state);
    return state;
  }

  #of(model: string): Kept {
    const kept = this.#kept.get(model) ?? { windows: new Map(), states: new Map(), out: new Map() };
    this.#kept.set(model, kept);
    return kept;
  }
}
