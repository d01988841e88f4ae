/** How far a long command is, on standard error: one line, written over itself and gone at the end. */
import type { Progress } from "./command.ts";

/** How often the line changes, milliseconds. */
const everyMs = 100;

/** A line of progress, and what takes it away. */
export interface ProgressLine extends Progress {
  clear(): void;
}

/** For those who watch nothing. */
export const silent: ProgressLine = { count() {}, state() {}, clear() {} };

/** A line on a terminal that says how many of each thing were counted: `12,402 entries, 96 meters`. */
export function progressOn(
  terminal: Pick<NodeJS.WriteStream, "write">,
  now: () => number = Date.now,
): ProgressLine {
  const counts = new Map<string, number>();
  let shownAt = now();
  let isShown = false;
  return {
    count(what) {
      counts.set(what, (counts.get(what) ?? 0) + 1);
      if (now() - shownAt < everyMs) return;
      shownAt = now();
      isShown = true;
      const parts = [...counts].map(([name, number]) => `${number.toLocaleString("en")} ${name}`);
      terminal.write(`\r\x1b[K${parts.join(", ")} …`);
    },
    state(text) {
      counts.clear();
      shownAt = now();
      isShown = true;
      terminal.write(`\r\x1b[K${text} …`);
    },
    clear() {
      if (isShown) terminal.write("\r\x1b[K");
      isShown = false;
    },
  };
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
