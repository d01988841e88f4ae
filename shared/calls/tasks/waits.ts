/** How long to wait between two polls of a task: short at first, never over a minute. */

/** Seconds. From the fourth on each is at most 1.6 times the one before, so that the end of a video is seen soon. */
const waits = [2, 5, 10, 16, 25, 40, 60];

/** The wait after so many polls, in seconds. */
export function waitAfter(polls: number): number {
  return waits[Math.min(polls, waits.length - 1)] ?? 60;
}
