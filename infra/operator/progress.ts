/** How far a long command is, on standard error: one line of a terminal, or a line now and then of a log. */
import type { Progress } from "./command.ts";

/** How often the line of a terminal changes, and how often a log gets one, milliseconds. */
const [everyMs, everyMsOfALog] = [100, 10_000];

/** A line of progress, and what takes it away. */
export interface ProgressLine extends Progress {
  clear(): void;
}

/** For those who watch nothing. */
export const silent: ProgressLine = { count() {}, state() {}, clear() {} };

/**
 * A line on a terminal that says how many of each thing were counted, and how fast the last: `96 meters, 12,402 entries
 * (3,100 a second)`. It is written over itself and gone at the end. In a log each line stays, and there are few.
 */
export function progressOn(
  stream: Pick<NodeJS.WriteStream, "write" | "isTTY">,
  now: () => number = Date.now,
): ProgressLine {
  const counts = new Map<string, { number: number; since: number }>();
  let shownAt = now();
  let isShown = false;
  // A stream that is no terminal does not say so.
  const isTTY = stream.isTTY === true;
  const show = (text: string) => {
    shownAt = now();
    isShown = isTTY;
    stream.write(isTTY ? `\r\x1b[K${text} …` : `${text}\n`);
  };
  return {
    count(what) {
      const count = counts.get(what) ?? { number: 0, since: now() };
      counts.set(what, count);
      count.number += 1;
      if (now() - shownAt >= (isTTY ? everyMs : everyMsOfALog)) show(partsOf(counts, what, now()));
    },
    state(text) {
      counts.clear();
      show(text);
    },
    clear() {
      if (isShown) stream.write("\r\x1b[K");
      isShown = false;
    },
  };
}

function partsOf(counts: Map<string, { number: number; since: number }>, last: string, at: number): string {
  const parts = [...counts].map(([what, { number, since }]) => {
    const count = `${number.toLocaleString("en")} ${what}`;
    const isFast = what === last && at - since >= 1_000;
    return isFast
      ? `${count} (${Math.round((number * 1_000) / (at - since)).toLocaleString("en")} a second)`
      : count;
  });
  return parts.join(", ");
}

/** The same things in the same order, each of them counted as it is read. */
export async function* counted<Item>(
  items: AsyncIterable<Item>,
  what: string,
  progress: Progress,
): AsyncGenerator<Item> {
  for await (const item of items) {
    progress.count(what);
    yield item;
  }
}
