/**
 * Times to the first byte, counted in buckets. Histograms of windows, processes and channels add up, and still give
 * percentiles. Counts may be fractions, because an old one counts less (`cost.ts`).
 */

export const buckets = 12;
/** The first bucket ends here, in milliseconds, and each further one ends later by the same factor. */
const firstEndMs = 100;
const factor = 1.6;

const endsMs = Array.from({ length: buckets - 1 }, (_, bucket) => firstEndMs * factor ** bucket);

/** The bucket of a time in milliseconds, from 0. The last bucket has all times above 11 s. */
export function bucketOf(ms: number): number {
  const bucket = endsMs.findIndex((end) => ms <= end);
  return bucket === -1 ? buckets - 1 : bucket;
}

/** The histogram of one time in milliseconds, in the lane of whose call it was. Its lanes follow one another. */
export function histogramOf(ms: number, lane = 0): number[] {
  const place = lane * buckets + bucketOf(ms);
  return Array.from({ length: (lane + 1) * buckets }, (_, at) => Number(at === place));
}

/** The sum of two histograms with their lanes. */
export function added(one: readonly number[], other: readonly number[]): number[] {
  return Array.from(
    { length: Math.max(one.length, other.length) },
    (_, at) => (one[at] ?? 0) + (other[at] ?? 0),
  );
}

/** The most that one lane of others counts, as a share of what all the rest have together. */
const loudestMax = 2 / 3;

/**
 * The times in all lanes, as they count for a caller in `lane`. Of the lanes of others, the one that has most counts at
 * most two thirds of what all the rest have together (shared/routing/README.md "Witnesses"). Where the rest has nothing
 * it counts in full.
 */
export function timesFor(lane: number | undefined, laned: readonly number[]): number[] {
  if (laned.length <= buckets) return merge(laned, []);
  const lanes = Array.from({ length: Math.ceil(laned.length / buckets) }, (_, at) =>
    laned.slice(at * buckets, (at + 1) * buckets),
  );
  const counts = lanes.map(countOf);
  const others = counts.map((count, at) => (at === lane ? 0 : count));
  const most = Math.max(...others);
  const rest = counts.reduce((sum, count) => sum + count, 0) - most;
  const allowed = loudestMax * rest;
  const loudest = rest > 0 && most > allowed ? others.indexOf(most) : -1;
  return lanes.reduce(
    (sum, own, at) => merge(sum, own, at === loudest ? allowed / most : 1),
    Array.from({ length: buckets }, () => 0),
  );
}

/** The sum of two histograms. Each count of the other one counts `weight` times. Buckets that are missing are empty. */
export function merge(one: readonly number[], other: readonly number[], weight = 1): number[] {
  return Array.from({ length: buckets }, (_, at) => (one[at] ?? 0) + weight * (other[at] ?? 0));
}

/** How many times a histogram has counted. */
export function countOf(histogram: readonly number[]): number {
  return histogram.reduce((sum, count) => sum + count, 0);
}

/**
 * The time in milliseconds that a share of the counted ones do not exceed: 0.5 gives the median. Within a bucket the
 * times are taken to be spread evenly by their logarithm, so the result is right within a factor of 1.6. It is at
 * least 62.5 ms and at most 18 s. Undefined where nothing was counted.
 */
export function percentile(histogram: readonly number[], share: number): number | undefined {
  const all = countOf(histogram);
  if (!(all > 0)) return undefined;
  let left = share * all;
  for (let bucket = 0; bucket < buckets; bucket++) {
    const count = histogram[bucket] ?? 0;
    if (count > 0 && left <= count) return firstEndMs * factor ** (bucket - 1 + Math.max(0, left) / count);
    left -= count;
  }
  // Rounding may leave a little of the last share.
  return endOfLast(histogram);
}

function endOfLast(histogram: readonly number[]): number {
  const last = histogram.findLastIndex((count) => count > 0);
  return firstEndMs * factor ** last;
}
