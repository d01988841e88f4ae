/**
 * Waiting. The product takes time and chance from globals alone (`setTimeout`, `Math.random`, `crypto`), never
 * from a module's own copy, so that the simulation can own both and repeat a run from its seed.
 */

/** Resolves after so many milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
