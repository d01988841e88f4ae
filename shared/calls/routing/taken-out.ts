/** Channels that an operator has taken out (README.md "Taken out by an operator"). No call goes there. */
import type { Board } from "./board.ts";

/** Whether an operator has taken a channel out, as far as the board says. `now` is Unix milliseconds. */
export function isTakenOut(board: Pick<Board, "taken_out"> | undefined, id: string, now: number): boolean {
  const out = board?.taken_out?.[id];
  return out !== undefined && (out.until === undefined || out.until > now);
}

/** The channels of these that calls may go to. */
export function inUse<Channel extends { id: string }>(
  channels: readonly Channel[],
  board: Pick<Board, "taken_out"> | undefined,
  now: number,
): readonly Channel[] {
  if (board?.taken_out === undefined) return channels;
  return channels.filter(({ id }) => !isTakenOut(board, id, now));
}

/** What an operator did to a channel. Instants are Unix milliseconds. */
export interface ChannelAct {
  what: "left" | "returned";
  at: number;
  /** Who did it: the identity at AWS, or `operator` on a local gateway. */
  by: string;
  /** Of one that was left: why, and until when. Without an `until` it is out until it is brought back. */
  why?: string;
  until?: number;
}

/** The record of a channel. It outlives the board, and the sweep brings the board into line with it. */
export interface ChannelRecord {
  /** Its id on the board (books/catalog/channel-id.ts). */
  channel: string;
  provider: string;
  /** The provider's name for the model. */
  name: string;
  /** The models that have had the channel. */
  models: readonly string[];
  /**
   * It rises with each write, and is at least the time of the write in Unix milliseconds. So it is above the revision of
   * any mark on a board, also if the record was restored from an earlier instant.
   */
  revision: number;
  /** The newest last. */
  acts: readonly ChannelAct[];
}

/** The records of all channels that were ever taken out. */
export interface ChannelRecords {
  all(): Promise<ChannelRecord[]>;
  /** Writes a record in the place of the one before, if there was one. False where somebody else has done so. */
  write(record: ChannelRecord, before: ChannelRecord | undefined): Promise<boolean>;
  /** Brings the boards of its models into line with a record, unless they know a later revision. */
  show(record: ChannelRecord, now: number): Promise<void>;
}

/** The act by which a channel is out at `now`; undefined where it is not. */
export function outBy({ acts }: Pick<ChannelRecord, "acts">, now: number): ChannelAct | undefined {
  const last = acts.at(-1);
  if (last?.what !== "left") return undefined;
  return last.until === undefined || last.until > now ? last : undefined;
}
