/** A race for the first frame of a stream (README.md "The race"). Anything that is sent and ends can race. */
import { limits } from "../../base/limits.ts";
import { within } from "../../base/platform/pause.ts";
import type { Board } from "./board.ts";
import { lateAfter, mayRace, type RacedModel } from "./late.ts";

/** What a race needs of an attempt. */
interface Racer<End> {
  /** Unix milliseconds. */
  sent_at: number;
  /** How it ends. Rejects only with an error of ours. */
  ended: Promise<End>;
  abort: (() => void) | undefined;
}

/** What a race needs of its call. */
interface Course<Sent, End> {
  /** The board as it is now; undefined where it cannot be read. Without it nobody counts races, so there is none. */
  board: () => Promise<Board | undefined>;
  /** The id of the channel that may be late, and its model. */
  channel: string;
  model: RacedModel;
  /** Whose call it is (`witness.ts`). */
  witness: string | undefined;
  /** Whether asking another channel could be worth its price. */
  isWorthwhile: () => boolean;
  /** Unix milliseconds. */
  now: () => number;
  /** Sends the next attempt, if it is still wanted when it can be sent. Undefined where none is left. */
  next: (isWanted: () => boolean) => Promise<Sent | undefined>;
  /** The next attempt could not be sent, by an error of ours. */
  failed: (error: unknown) => void;
  /** An attempt has ended by itself. `isLate`: it is the one that was raced. */
  tell: (ended: End, isLate: boolean) => void;
  /** An attempt was broken off, because the other one was faster. */
  tellLost: (sent: Sent, isLate: boolean) => void;
}

/** How an attempt that does not answer ends, or the race for it if it is late and may be raced. It is told by then. */
export async function raceIfLate<Sent extends Racer<End>, End extends { attempt: Sent; outcome: string }>(
  late: Sent,
  course: Course<Sent, End>,
): Promise<End> {
  const { channel, now, witness } = course;
  const first = await course.board();
  let waitMs = first && lateAfter(first, channel, course.model, course.witness) - (now() - late.sent_at);
  while (waitMs !== undefined && course.isWorthwhile()) {
    const ended = await within(late.ended, Math.max(0, waitMs), undefined);
    if (ended) break;
    // What others have raced and seen meanwhile counts too.
    const board = await course.board();
    if (board && mayRace(board, channel, now(), witness)) return await race(late, course);
    waitMs = limits.raceAgainMs;
  }
  const ended = await late.ended;
  course.tell(ended, false);
  return ended;
}

/**
 * Races a late attempt with the next ones, two at a time. Gives the first answer's end, else one that blames the
 * request. Once one does, nobody else is asked.
 */
export async function race<Sent extends Racer<End>, End extends { attempt: Sent; outcome: string }>(
  late: Sent,
  course: Course<Sent, End>,
): Promise<End> {
  let [isRaced, isOver, isBlamed] = [false, false, false];
  /** The rival that is under way. */
  let rival: Sent | undefined;
  const rivalEnd = endOfRivals().catch(course.failed);
  try {
    const first = (await Promise.race([late.ended, rivalEnd])) ?? (await late.ended);
    const isLate = first.attempt === late;
    if (first.outcome === "answered") leave(isLate ? rival : late);
    isBlamed = first.outcome === "blamed";
    course.tell(first, isLate && isRaced);
    if (first.outcome === "answered") return first;
    const last = await (isLate ? rivalEnd : late.ended);
    if (!last) return first;
    course.tell(last, !isLate);
    return first.outcome === "blamed" && last.outcome !== "answered" ? first : last;
  } catch (error) {
    isOver = true;
    late.abort?.();
    rival?.abort?.();
    throw error;
  }

  /** The end of the rival that is answered or blames the request. Those before it have failed, and are told. */
  async function endOfRivals(): Promise<End | undefined> {
    while (!isOver && !isBlamed) {
      rival = await course.next(() => !isOver && !isBlamed);
      if (!rival) break;
      isRaced = true;
      // The late attempt was answered in the moment in which this one was sent.
      if (isOver) rival.abort?.();
      const ended = await rival.ended;
      if (isOver || ended.outcome === "answered" || ended.outcome === "blamed") return ended;
      rival = undefined;
      course.tell(ended, false);
    }
    return undefined;
  }

  function leave(loser: Sent | undefined): void {
    isOver = true;
    loser?.abort?.();
    if (loser) course.tellLost(loser, loser === late);
  }
}
