/** How calls come. */
import type { Random } from "#test/simulation/random.ts";

/** How many calls come, where so many are expected (Poisson). */
export function arrivals(expected: number, random: Random): number {
  if (expected > 30) {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    return Math.max(0, Math.round(expected + Math.sqrt(expected) * normal));
  }
  let count = 0;
  for (let rest = Math.exp(-expected), product = random.next(); product > rest; product *= random.next()) {
    count += 1;
  }
  return count;
}
