/** What a trace is made of. */

/** Where a step is known from. */
type TraceSource = "id" | "intent" | "idempotency" | "log" | "task" | "ledger" | "meter" | "queue";

export interface TraceStep {
  /** RFC 3339; null where nothing says when. */
  at: string | null;
  step: string;
  /** One sentence for people. */
  detail: string;
  source: TraceSource;
  /** The same for programs, under the names of the source. */
  facts: object;
}
