/** Lists of what is due in later steps. */

/** A step of the model, seconds. */
export const stepSeconds = 0.1;

/** Numbers that are due at most so many seconds later. */
export class Steps {
  readonly #lists: number[][];

  constructor(longestSeconds: number) {
    this.#lists = Array.from({ length: Math.ceil(longestSeconds / stepSeconds) + 2 }, () => []);
  }

  /** Something is due so many seconds after `now`, at the earliest in the next step. */
  add(now: number, seconds: number, what: number): void {
    const step = Math.round(now / stepSeconds) + Math.max(1, Math.round(seconds / stepSeconds));
    this.#lists[step % this.#lists.length]?.push(what);
  }

  /** What is due in the step that begins at `now`. */
  due(now: number): number[] {
    const at = Math.round(now / stepSeconds) % this.#lists.length;
    const due = this.#lists[at] ?? [];
    this.#lists[at] = [];
    return due;
  }
}
