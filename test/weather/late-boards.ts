/** The board behind a network. What is written is there for others after a while. */
import type { Boards } from "#shared/calls/routing/board.ts";

const readMs = 8;
const writtenMs = 60;

/** A board that answers late, on the time of `wait`. */
export function lateBoards(kept: Boards, wait: (ms: number) => Promise<void>): Boards {
  const slowly = async <Value>(ms: number, act: () => Promise<Value>): Promise<Value> => {
    await wait(ms);
    return await act();
  };
  return {
    read: (...asked) => slowly(readMs, () => kept.read(...asked)),
    add: (addition) => slowly(writtenMs, () => kept.add(addition)),
    limit: (...asked) => slowly(writtenMs, () => kept.limit(...asked)),
    open: (...asked) => slowly(readMs, () => kept.open(...asked)),
    claimProbe: (...asked) => slowly(readMs, () => kept.claimProbe(...asked)),
    close: (...asked) => slowly(readMs, () => kept.close(...asked)),
  };
}
