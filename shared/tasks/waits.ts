/** How long to wait between two looks at a task: short while it may be quick, never over a minute. */

/** Seconds; each at most 1.6 of the one before from the third on, so a video is seen soon after its end. */
const waits = [2, 5, 10, 16, 25, 40, 60];

/** The wait before the next look after `polls` of them, in seconds. */
export function waitAfter(polls: number): number {
  return waits[Math.min(polls, waits.length - 1)] ?? 60;
}
