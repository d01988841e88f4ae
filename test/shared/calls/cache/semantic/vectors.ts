/** Vectors by a fixed sequence of numbers, for tests of sketches. */

/** Gives unit vectors in random directions, the same for a seed. */
export function directions(dimensions: number, seed: number): () => number[] {
  let state = seed;
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixing = Math.imul(state ^ (state >>> 15), 1 | state);
    mixing = (mixing + Math.imul(mixing ^ (mixing >>> 7), 61 | mixing)) ^ mixing;
    return ((mixing ^ (mixing >>> 14)) >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return () => unit(Array.from({ length: dimensions }, normal));
}

/** A unit vector that has this cosine with `one`, in the direction of `other`. */
export function mixed(one: readonly number[], other: readonly number[], cosine: number): number[] {
  const along = dot(one, other);
  const across = unit(other.map((value, at) => value - along * (one[at] ?? 0)));
  return one.map((value, at) => cosine * value + Math.sqrt(1 - cosine * cosine) * (across[at] ?? 0));
}

function unit(vector: readonly number[]): number[] {
  const norm = Math.sqrt(dot(vector, vector));
  return vector.map((value) => value / norm);
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
