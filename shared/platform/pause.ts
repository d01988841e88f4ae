/**
 * Waiting. The product takes time and chance from globals alone (`setTimeout`, `Math.random`, `crypto`). The
 * simulation replaces those, and so repeats a run from its seed.
 */

/** Resolves after so many milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
