/** Chance that a seed repeats: everything a simulated run leaves open is drawn from one of these. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
    for (let i = 0; i < 8; i++) this.next();
  }

  /** From 0 up to, and not including, 1. (mulberry32) */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `first` to `last`, both inclusive. */
  between(first: number, last: number): number {
    return first + Math.floor(this.next() * (last - first + 1));
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.between(0, values.length - 1)] as Value;
  }

  /** The same values in another order. */
  shuffle<Value>(values: readonly Value[]): Value[] {
    const left = [...values];
    return values.map(() => left.splice(this.between(0, left.length - 1), 1)[0] as Value);
  }
}
