/**
 * A sketch of an embedding: 256 signs of a fixed random rotation. Of their bits, two sketches differ in about the part
 * that their angle is of a half turn (Charikar, "Similarity estimation techniques from rounding algorithms", 2002).
 */

/** 256 bits. */
export const sketchBytes = 32;

const bits = sketchBytes * 8;
/** A shorter vector says too little. */
const dimensionsMin = 8;

/** The sketch of a vector, whatever its length. Throws a RangeError for zeros, under eight dimensions, or no number. */
export function sketchOf(vector: readonly number[]): Buffer {
  if (vector.length < dimensionsMin) throw new RangeError("a vector has eight dimensions or more");
  const longest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!(longest > 0 && longest < Number.POSITIVE_INFINITY)) throw new RangeError("a vector has a direction");
  const values = new Float64Array(2 ** Math.ceil(Math.log2(Math.max(bits, vector.length))));
  // Two rounds of signs and sums mix a vector whose weight stands in a few components.
  values.set(vector.map((value) => value / longest));
  for (const seed of [0x9e3779b9, 0x85ebca6b]) {
    flipSigns(values, seed);
    sumAll(values);
  }
  const sketch = Buffer.alloc(sketchBytes);
  for (let at = 0; at < bits; at++) {
    if ((values[at] ?? 0) > 0) sketch[at >> 3] = (sketch[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return sketch;
}

/** In how many of 256 bits two sketches differ. Throws a RangeError where one is no sketch. */
export function distance(a: Buffer, b: Buffer): number {
  if (a.length !== sketchBytes || b.length !== sketchBytes) throw new RangeError("a sketch has 32 bytes");
  let differing = 0;
  for (let at = 0; at < sketchBytes; at++) differing += ones((a[at] ?? 0) ^ (b[at] ?? 0));
  return differing;
}

/** Flips signs by a fixed sequence (xorshift32: Marsaglia, "Xorshift RNGs", 2003). */
function flipSigns(values: Float64Array, seed: number): void {
  let state = seed | 0;
  for (let at = 0; at < values.length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    if (state < 0) values[at] = -(values[at] ?? 0);
  }
}

/** The Walsh-Hadamard transform in place: each sum takes all values, half of them negative. */
function sumAll(values: Float64Array): void {
  for (let half = 1; half < values.length; half *= 2) {
    for (let block = 0; block < values.length; block += half * 2) {
      for (let at = block; at < block + half; at++) {
        const one = values[at] ?? 0;
        const other = values[at + half] ?? 0;
        values[at] = one + other;
        values[at + half] = one - other;
      }
    }
  }
}

function ones(byte: number): number {
  let count = 0;
  for (let rest = byte; rest > 0; rest &= rest - 1) count++;
  return count;
}
