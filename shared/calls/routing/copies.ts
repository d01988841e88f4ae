/** The copies of boards that a process keeps: as read, with what it has added. A read that fails changes nothing. */

import { describeError, type Log } from "../../base/platform/log.ts";
import { within } from "../../base/platform/pause.ts";
import {
  type Board,
  type Boards,
  type BoardWindow,
  type ChannelCounts,
  type ChannelState,
  orderSpanMs,
  windowMs,
  windowOf,
} from "./board.ts";
import { boardBounds } from "./bounds.ts";
import { countedOn, laterState, mergedStates, mergedWindows, withoutOpening } from "./views.ts";

export interface CopiesDeps {
  boards: Boards;
  now: () => number;
  log: Log;
}

interface BoardLook {
  /** The copy, once it has been read or `ms` milliseconds are over; undefined where nothing is known. */
  ready(ms: number): Promise<Board | undefined>;
}

/** A model's copy, and what is known beyond it. */
interface Copy {
  board: Board;
  /** The windows that this process has added to, as it knows them. */
  own: BoardWindow[];
  /** When a read began that has not ended, Unix milliseconds, and its end. */
  reading?: { since: number; done: Promise<void> };
  /** When this process closed a channel, by the channel's id. A read may still show what was before. */
  closed: Map<string, number>;
  /** This process has seen a fault since the last read. */
  isDoubted?: boolean;
}

export class Copies {
  readonly #copies = new Map<string, Copy>();
  readonly #deps: CopiesDeps;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: CopiesDeps) {
    this.#deps = deps;
  }

  /**
   * Has the board of a model read where the copy is not fresh. Calls that look at the same time share one read. Of a busy
   * model's calls only some have it read.
   */
  look(model: string): BoardLook {
    const copy = this.#copyOf(model);
    const now = this.#deps.now();
    // What lies ahead was noted before the clock was set back.
    const isFresh = (at: number): boolean => Math.abs(now - at) < boardBounds.freshMs;
    // A read that began long ago may belong to a process that was frozen: its connection may be gone.
    const isRead = copy.reading !== undefined && isFresh(copy.reading.since);
    if (!isFresh(copy.board.read_at) && !isRead && isDue(copy, now)) {
      copy.reading = { since: now, done: this.#read(model, copy, now) };
    }
    const { reading } = copy;
    return {
      ready: async (ms) => {
        const isAwaited = reading && isFresh(reading.since) && !isFresh(copy.board.read_at);
        if (isAwaited) await within(reading.done, ms, undefined);
        return this.board(model);
      },
    };
  }

  /** The copy of a model's board; undefined where nothing is known. */
  board(model: string): Board | undefined {
    const board = this.#copies.get(model)?.board;
    if (!board) return undefined;
    const isKnown = board.read_at > 0 || board.windows.length > 0 || Object.keys(board.states).length > 0;
    return isKnown ? board : undefined;
  }

  /** Adds counts of a channel to the copy. */
  add(model: string, channel: string, counts: Partial<ChannelCounts>): void {
    const copy = this.#copyOf(model);
    const { board } = copy;
    if (counts.faults) copy.isDoubted = true;
    const start = windowOf(this.#deps.now());
    const known = board.windows.find((window) => window.start === start)?.channels[channel];
    this.addWindow(model, { start, channels: { [channel]: countedOn(known, counts) } });
  }

  /** Notes a window as it stands on the board. */
  addWindow(model: string, window: BoardWindow): void {
    const copy = this.#copyOf(model);
    const now = this.#deps.now();
    copy.own = mergedWindows(copy.own, [window], now);
    copy.board.windows = mergedWindows(copy.board.windows, [window], now);
  }

  /** Notes what has become of a channel's state. Instants that are earlier than the known ones change nothing. */
  addState(model: string, channel: string, state: Partial<ChannelState>): void {
    const { board } = this.#copyOf(model);
    board.states[channel] = laterState(board.states[channel], { level: 0, ...state });
  }

  /** Notes that a channel was closed: a probe has succeeded. */
  close(model: string, channel: string): void {
    const { board, closed } = this.#copyOf(model);
    closed.set(channel, this.#deps.now());
    board.states[channel] = withoutOpening(board.states[channel]);
  }

  /** Logs that the board could not be reached, and not again for a while. */
  failed(error: unknown): void {
    const { log, now } = this.#deps;
    if (now() - this.#loggedAt < boardBounds.logMs) return;
    this.#loggedAt = now();
    log("warn", "board_unreachable", { error: describeError(error) });
  }

  #copyOf(model: string): Copy {
    const known = this.#copies.get(model);
    if (known) return known;
    // The model that came first goes first. Its next call reads its board again.
    if (this.#copies.size >= boardBounds.copiesMax) {
      const [first = ""] = this.#copies.keys();
      this.#copies.delete(first);
    }
    const board = { read_at: 0, windows: [], states: {} };
    const copy: Copy = { board, own: [], closed: new Map() };
    this.#copies.set(model, copy);
    return copy;
  }

  /** Reads a board into its copy. Never rejects. */
  async #read(model: string, copy: Copy, since: number): Promise<void> {
    try {
      const { boards, now } = this.#deps;
      const { windows, states, taken_out } = await boards.read(model, since, orderSpanMs);
      // A read that was overtaken by a later one knows less.
      if (since < copy.board.read_at && copy.board.read_at <= now()) return;
      copy.board = {
        read_at: since,
        windows: mergedWindows(windows, copy.own, now()),
        states: mergedStates(copy.board.states, states, { closed: copy.closed, now: now() }),
        // No call changes it, so what was read is all there is.
        ...(taken_out && { taken_out }),
      };
      copy.isDoubted = false;
    } catch (error) {
      this.failed(error);
    } finally {
      if (copy.reading?.since === since) delete copy.reading;
    }
  }
}

/**
 * Whether a call reads the board of a copy that is not fresh. Sandboxes serve one call at a time, so that nearly every
 * call of a busy model would. While a channel is open, or this process has seen a fault, all of them do.
 */
function isDue({ board, isDoubted }: Copy, now: number): boolean {
  const isOld = Math.abs(now - board.read_at) >= boardBounds.busyFreshMs;
  if (isOld || isDoubted || hasOpenChannel(board, now)) return true;
  const share = boardBounds.readsPerSecondMax / callsPerSecond(board);
  return share >= 1 || Math.random() < share;
}

function hasOpenChannel({ states }: Board, now: number): boolean {
  return Object.values(states).some(({ open_until = 0 }) => open_until > now - boardBounds.forgottenMs);
}

/** The calls a second in the busiest window of a board. The newest windows are not full yet. */
function callsPerSecond({ windows }: Board): number {
  const calls = windows.map(({ channels }) =>
    Object.values(channels).reduce((sum, { answers = 0, faults = 0 }) => sum + answers + faults, 0),
  );
  return (Math.max(0, ...calls) * 1000) / windowMs;
}
