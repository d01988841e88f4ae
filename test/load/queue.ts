/** The usage queue: a standard queue of SQS, whose messages have their customer as group, so that it is fair. */
import { poller } from "./facts.ts";

/** Events of one group of customers that ended at the same instant, in seconds. */
export interface Sent {
  ended: number;
  count: number;
  /** How often they were received before. */
  receives: number;
}

interface Lane {
  /** How many customers share it. */
  customers: number;
  waiting: Sent[];
  first: number;
  depth: number;
  inFlight: number;
}

/** A batch of one lane. */
export interface Batch {
  lane: number;
  sent: Sent[];
  count: number;
}

/** Lanes are customers that are alike. A batch has events of one of them. */
export class UsageQueue {
  readonly #lanes: Lane[];
  #turn = 0;

  constructor(customers: readonly number[]) {
    this.#lanes = customers.map((count) => ({
      customers: count,
      waiting: [],
      first: 0,
      depth: 0,
      inFlight: 0,
    }));
  }

  get depth(): number {
    return this.#lanes.reduce((sum, { depth }) => sum + depth, 0);
  }

  /** When the oldest message that waits ended; undefined where none waits. */
  get oldest(): number | undefined {
    const ended = this.#lanes.flatMap(({ waiting, first }) => waiting[first]?.ended ?? []);
    return ended.length > 0 ? Math.min(...ended) : undefined;
  }

  /** Every message that waits. */
  *waiting(): Iterable<Sent> {
    for (const { waiting, first } of this.#lanes) yield* waiting.slice(first);
  }

  send(lane: number, sent: Sent): void {
    const to = this.#lanes[lane] as Lane;
    to.waiting.push(sent);
    to.depth += sent.count;
  }

  /**
   * Gives at most so many messages of one lane, by default of quiet customers before noisy ones. Undefined where there
   * are none.
   */
  receive(most: number, lane = this.#next()): Batch | undefined {
    if (lane === undefined) return undefined;
    const from = this.#lanes[lane] as Lane;
    const batch: Batch = { lane, sent: [], count: 0 };
    while (batch.count < most) {
      const head = from.waiting[from.first];
      if (!head) break;
      const count = Math.min(head.count, most - batch.count);
      batch.sent.push({ ...head, count });
      batch.count += count;
      head.count -= count;
      if (head.count === 0) from.first += 1;
    }
    if (from.first > 10_000) {
      from.waiting.splice(0, from.first);
      from.first = 0;
    }
    from.depth -= batch.count;
    from.inFlight += batch.count;
    return batch;
  }

  /** Messages of a lane are deleted, or come back. */
  ended(lane: number, count: number): void {
    (this.#lanes[lane] as Lane).inFlight -= count;
  }

  #next(): number | undefined {
    const all = this.#lanes.reduce((sum, { inFlight }) => sum + inFlight, 0);
    const isNoisy = ({ inFlight, customers }: Lane) =>
      inFlight / customers >= Math.max(poller.noisyMin, poller.noisyShare * all);
    const order = this.#lanes
      .map((lane, at) => ({
        at,
        depth: lane.depth,
        noisy: isNoisy(lane),
        turn: (at + this.#turn) % this.#lanes.length,
      }))
      .filter(({ depth }) => depth > 0)
      .toSorted((a, b) => Number(a.noisy) - Number(b.noisy) || a.turn - b.turn);
    this.#turn += 1;
    return order[0]?.at;
  }
}
