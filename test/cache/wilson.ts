/** What a count of some in all says about the share of which it is a sample. */

/** Of the standard normal distribution: 95 % of it lie within so many deviations of its middle. */
const deviations = 1.959964;

/**
 * Wilson's bounds of a share, with 95 % confidence. Takes the number of hits among `all` cases. Gives the lowest and the
 * highest share, each from 0 to 1, that such a count does not rule out. No cases rule out nothing. Throws a RangeError
 * if `hits` is not from 0 to `all`.
 */
export function wilsonBounds(hits: number, all: number): { low: number; high: number } {
  if (!(hits >= 0 && hits <= all)) throw new RangeError(`${hits} of ${all} is no share`);
  if (all === 0) return { low: 0, high: 1 };
  const square = deviations ** 2;
  const middle = (hits + square / 2) / (all + square);
  const reach = (deviations / (all + square)) * Math.sqrt((hits * (all - hits)) / all + square / 4);
  return { low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) };
}
