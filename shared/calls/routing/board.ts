/** What all processes together know of the health of a model's channels (README.md "The board"). */

/** What was counted of one channel in one window. All are sums, so that the counts of many processes add up. */
export interface ChannelCounts {
  /** Answers that were complete, and those of them with a first-byte time. */
  answers: number;
  faults: number;
  /** Of the faults, those that a request may have caused, by the witness whose call saw them (`witness.ts`). */
  seen_by?: Readonly<Record<string, number>>;
  /** Calls that had another channel asked too, because this one was late. */
  raced: number;
  /** Of those, by the witness whose call it was. */
  raced_by?: Readonly<Record<string, number>>;
  /** Refusals because the provider limits us. They are no faults. */
  limited: number;
  /** Answers by their time to the first byte, in the lanes of their witnesses (`histogram.ts`). */
  first_byte: number[];
  /** Tokens and milliseconds from the first byte to the last one, of streamed answers. */
  output_tokens: number;
  generation_ms: number;
  /** Input tokens of answers, and those of them that the provider read from its cache. */
  input_tokens: number;
  cache_read_tokens: number;
}

/** Why a channel is left for a while. Instants are Unix milliseconds. */
export interface ChannelState {
  /** The provider limits us until then. */
  limited_until?: number;
  /** The channel is left until then, and afterwards until a probe has succeeded. */
  open_until?: number;
  /** How many times in a row it was opened. 0 where it is not open. */
  level: number;
  /** A call probes it, and has until then to end. */
  probed_until?: number;
  /** It is open for the calls of this witness alone: nobody else has seen it fail. Absent, it is open for all. */
  only_for?: string;
  /** The witness whose probe failed last, in a way that a request can cause. */
  failed_by?: string;
}

/** An operator has taken a channel out (README.md "Taken out by an operator"). */
export interface TakenOut {
  /** Unix milliseconds. Absent: until an operator brings it back. */
  until?: number;
}

/** How a channel is opened: until when, its level then, for whom, and whose probe has failed. Unix milliseconds. */
export interface Opening {
  until: number;
  level: number;
  now: number;
  only_for?: string | undefined;
  failed_by?: string | undefined;
}

export interface BoardWindow {
  /** Unix milliseconds. */
  start: number;
  /** By the channel's id. */
  channels: Record<string, Partial<ChannelCounts>>;
}

/** A model's board as one read found it. */
export interface Board {
  /** Unix milliseconds. */
  read_at: number;
  /** The windows of the time that was asked for, the oldest first. Windows without a count are not among them. */
  windows: BoardWindow[];
  /** By the channel's id. A channel without a state is closed and not limited. */
  states: Record<string, ChannelState>;
  /** By the channel's id. Absent where there is none. */
  taken_out?: Readonly<Record<string, TakenOut>>;
}

/** The counts of one model and window that are added at a time, by the channel's id. */
export interface BoardAddition {
  model: string;
  /** An instant in the window, Unix milliseconds. */
  at: number;
  channels: Record<string, Partial<ChannelCounts>>;
}

/** The boards of all models. Every method may fail: then nothing but the order of channels suffers. */
export interface Boards {
  /** The board of the last `spanMs` before `now`. It may be a second old. */
  read(model: string, now: number, spanMs?: number): Promise<Board>;
  /** Adds counts, and gives the window as it then is. Counts are integers. If it fails, they may be there or not. */
  add(addition: BoardAddition): Promise<BoardWindow>;
  /** Notes that a channel is limited until then, unless it is known to be for longer. */
  limit(model: string, channel: string, until: number): Promise<void>;
  /** Opens a channel. False where it is open at `now` already; one open for a witness alone may be opened for all. */
  open(model: string, channel: string, opening: Opening): Promise<boolean>;
  /** Claims the probe of a channel. False where another call has it, and where nothing is to be probed at `now`. */
  claimProbe(model: string, channel: string, claim: { until: number; now: number }): Promise<boolean>;
  /** Closes a channel: a probe has succeeded. */
  close(model: string, channel: string): Promise<void>;
}

/** How long a window is, in milliseconds. */
export const windowMs = 15_000;

/** The part of the board that an order is made of, in milliseconds: eight windows and the one that has begun. */
export const orderSpanMs = 9 * windowMs;

/** How long a window is kept after its start, in milliseconds. */
export const boardSpanMs = 20 * 60_000;

/** The start of the window that an instant is in. */
export function windowOf(at: number): number {
  return at - (at % windowMs);
}
