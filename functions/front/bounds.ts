/** The bounds of the bodies that a server reads (functions/front/README.md "Bodies"), units last in the name. */
export const bodyBounds = {
  /**
   * Bytes of bodies in memory at a time, each until its call has ended. An organization that would have more of it than
   * is left for others gets 42900. The calls in flight add those that came whole at once.
   */
  bodiesBytesMax: 176 * 1024 * 1024,
  /** A body of a stranger, all of them together, and the time for one. For more its key is looked at. */
  strangerBodyBytesMax: 64 * 1024,
  strangersBytesMax: 16 * 1024 * 1024,
  strangerBodyMs: 2_000,
  /** So many bytes of a body arrive in such a time, or its end does. */
  bodyRateBytesMin: 40 * 1024,
  bodyRateMs: 10_000,
} as const;

/** How often a server looks for bodies that are too slow. */
export const bodyCheckMs = 1_000;
