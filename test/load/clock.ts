/** Virtual time: what waits goes on in order of its instant, in seconds. */

/**
 * Something that runs: it yields the seconds that it waits, other things that it waits for, or what is still to be
 * found out, which takes no time.
 */
export type Run<Result = void> = Generator<number | Run<unknown>[] | Promise<unknown>, Result, unknown>;

interface Waiting {
  at: number;
  order: number;
  run: Run<unknown>;
  ended: () => void;
}

export class Clock {
  now = 0;
  #order = 0;
  readonly #heap: Waiting[] = [];

  /** Begins something now. */
  start(run: Run<unknown>, ended: () => void = () => {}): void {
    this.#push({ at: this.now, order: 0, run, ended });
  }

  /** Lets time pass until an instant. What happens at that instant itself belongs to the time after it. */
  async runUntil(end: number): Promise<void> {
    for (let next = this.#heap[0]; next && next.at < end; next = this.#heap[0]) {
      this.#pop();
      this.now = next.at;
      const found = this.#goOn(next);
      if (found) await found;
    }
    this.now = end;
  }

  #goOn({ run, ended }: Waiting): Promise<void> | undefined {
    const { done, value } = run.next();
    if (done) {
      ended();
      return undefined;
    }
    if (typeof value === "number") this.#push({ at: this.now + value, order: 0, run, ended });
    else if (value instanceof Promise) {
      return value.then(() => this.#goOn({ at: this.now, order: 0, run, ended }));
    } else this.#join(run, value as Run<unknown>[], ended);
    return undefined;
  }

  #join(run: Run<unknown>, others: Run<unknown>[], ended: () => void): void {
    let left = others.length + 1;
    const end = () => {
      left -= 1;
      if (left === 0) this.#push({ at: this.now, order: 0, run, ended });
    };
    for (const other of others) this.start(other, end);
    end();
  }

  #push(waiting: Waiting): void {
    waiting.order = this.#order++;
    const heap = this.#heap;
    let at = heap.push(waiting) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent] as Waiting, waiting)) break;
      heap[at] = heap[parent] as Waiting;
      at = parent;
    }
    heap[at] = waiting;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = heap[child + 1];
      if (right && isBefore(right, heap[child] as Waiting)) child += 1;
      if (isBefore(last, heap[child] as Waiting)) break;
      heap[at] = heap[child] as Waiting;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Waiting, other: Waiting): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
