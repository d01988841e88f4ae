/** The moment at which no code can go on by itself: whoever gives turns to others waits for it after each of them. */

const later = setImmediate;

/** So many chances to go on are asked of Node at a time; so many of them are still to come. */
const chancesARound = 64;
let ahead = 0;
/** Who waits for the next of them. */
const waiting: (() => void)[] = [];

/** Takes a chance to go on. */
function next(): void {
  ahead -= 1;
  waiting.shift()?.();
}

/**
 * Resolves when no code can go on by itself: all ticks and promises come before it. Node empties them between two
 * immediates of one round of its loop, and asks the system for news after each round. So a round has many of them,
 * and those that nobody waits for do nothing.
 */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (ahead >= waiting.length) return;
    for (let n = 0; n < chancesARound; n++) later(next);
    ahead += chancesARound;
  });
}
