/** A clock that runs fast, so that orders end while a test lasts. Processes that begin with the same start agree on it. */

/** Two minutes of the orders' time for each second: an order is open for 7.5 s. */
const pace = 120;

/** The orders' time, Unix milliseconds, of everybody who knows when it began; `ahead` milliseconds later. */
export function fastClock(began: number, ahead: () => number = () => 0): () => number {
  return () => began + (Date.now() - began) * pace + ahead();
}
