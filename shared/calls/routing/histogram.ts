/** Times to the first byte, counted in buckets, so that windows, processes and channels add up. */

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

/** The sum of two histograms with their lanes. A loop, as everything here: this runs for each channel of each call. */
export function added(one: readonly number[], other: readonly number[]): number[] {
  const [longer, shorter] = one.length < other.length ? [other, one] : [one, other];
  const sum = longer.slice();
  for (let at = 0; at < shorter.length; at++) sum[at] = (sum[at] ?? 0) + (shorter[at] ?? 0);
  return sum;
}

/** The most that one lane of others counts, as a share of what all the rest have together. */
const loudestMax = 2 / 3;

/** The times in all lanes for a caller in `lane`. Others' loudest one counts for less (README.md "Witnesses"). */
export function timesFor(lane: number | undefined, laned: readonly number[]): number[] {
  const { loudest, weight } = loudestOf(lane, laned);
  const times = emptyTimes();
  for (let at = 0; at < laned.length; at++) {
    const bucket = at % buckets;
    const counts = Math.floor(at / buckets) === loudest ? weight : 1;
    times[bucket] = (times[bucket] ?? 0) + counts * (laned[at] ?? 0);
  }
  return times;
}

/** The lane of others that has more than the most that one may, and what each of its times counts. */
function loudestOf(lane: number | undefined, laned: readonly number[]): { loudest?: number; weight: number } {
  let [loudest, most, all] = [-1, 0, 0];
  for (let from = 0; from < laned.length; from += buckets) {
    const own = from / buckets;
    let count = 0;
    for (let at = from; at < Math.min(from + buckets, laned.length); at++) count += laned[at] ?? 0;
    all += count;
    if (own !== lane && count > most) [loudest, most] = [own, count];
  }
  const rest = all - most;
  const allowed = loudestMax * rest;
  return rest > 0 && most > allowed ? { loudest, weight: allowed / most } : { weight: 1 };
}

/** The sum of two histograms. Each count of the other one counts `weight` times. Buckets that are missing are empty. */
export function merge(one: readonly number[], other: readonly number[], weight = 1): number[] {
  const sum = emptyTimes();
  for (let at = 0; at < buckets; at++) sum[at] = (one[at] ?? 0) + weight * (other[at] ?? 0);
  return sum;
}

function emptyTimes(): number[] {
  return new Array<number>(buckets).fill(0);
}

/** How many times a histogram has counted. */
export function countOf(histogram: readonly number[]): number {
  return histogram.reduce((sum, count) => sum + count, 0);
}

/** The time in milliseconds that a share of the counted ones do not exceed, within a factor of 1.6. Undefined: none. */
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
