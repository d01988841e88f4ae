/** What a run of the model counts. */

/** Seconds at the start of a load that are counted apart: tables, wallets and sandboxes grow meanwhile. */
const firstSeconds = 600;

/** Of the first minutes, and of the rest. */
export type Spans = [first: number, then: number];

export class Figures {
  readonly calls: Spans = [0, 0];
  /** Calls that Lambda answers with 429, because no sandbox is there. */
  readonly unstarted: Spans = [0, 0];
  /** Calls that the gateway answers with 42900. */
  readonly refused: Spans = [0, 0];
  /** Calls that have ended, with an event in the queue. */
  ended = 0;
  recorded = 0;
  deadLetters = 0;
  /** Holds that no settlement could end. The sweep ends them. */
  left = 0;
  sandboxes = 0;
  shards = 1;
  /** Seconds that settling functions worked, of those that they were there. */
  busy = 0;
  present = 0;
  /** Refused requests by the limit that refused them. */
  readonly refusals = new Map<string, number>();
  /** Events by how long they waited, in tenths of a second: of calls that ended in the first minutes, and later. */
  readonly #lags: [number[], number[]] = [[], []];

  count(what: "calls" | "unstarted" | "refused", now: number, limit?: string): void {
    this[what][spanOf(now)] += 1;
    if (limit !== undefined) this.refuse(limit);
  }

  refuse(limit: string, count = 1): void {
    this.refusals.set(limit, (this.refusals.get(limit) ?? 0) + count);
  }

  /** An event of a call that had ended at an instant was recorded, or waits still, so many seconds after that. */
  lag(ended: number, seconds: number, count = 1): void {
    const lags = this.#lags[spanOf(ended)];
    const at = Math.max(0, Math.round(10 * seconds));
    lags[at] = (lags[at] ?? 0) + count;
  }

  /** The lag that 99 of 100 events do not exceed, and the longest, in seconds; of a span. */
  lagOf(span: 0 | 1): { p99: number; max: number } {
    const lags = this.#lags[span];
    const all = lags.reduce((sum, count) => sum + (count ?? 0), 0);
    let [seen, p99] = [0, 0];
    for (const [at, count] of lags.entries()) {
      if (seen < 0.99 * all) p99 = at / 10;
      seen += count ?? 0;
    }
    return { p99, max: Math.max(0, lags.length - 1) / 10 };
  }
}

function spanOf(now: number): 0 | 1 {
  return now < firstSeconds ? 0 : 1;
}
