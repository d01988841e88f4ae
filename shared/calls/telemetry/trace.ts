/** What the rest of the product sees of tracing: only types, so that without telemetry nothing of it is loaded. */
import type { UsageEvent } from "../../books/ledger/usage-event.ts";

/** What is known of a call beyond its request. Facts that are not known yet, or never, have no member. */
export interface CallFacts {
  organization?: string;
  project?: string;
  key?: string;
  /** The full id of the model that the client asked for. */
  model?: string;
  kind?: UsageEvent["kind"];
  stream?: boolean;
  /** How an admitted call ended, and what it is charged. */
  event?: UsageEvent;
  /** The key of the error that ends the call, one of shared/base/errors.ts. */
  error?: string;
}

/** The channel that an attempt asks, when its request is sent. */
export interface AskedChannel {
  provider: string;
  /** The provider's name of the model. */
  model: string;
  protocol: string;
  base_url: string;
  /** Unix milliseconds. */
  sent_at: number;
}

/** An attempt that has been sent, as the trace of its call sees it. */
export interface AttemptTrace {
  /** What its request carries of the trace, for the provider. */
  readonly headers: Readonly<Record<string, string>>;
  /** How the attempt ended at `at` (Unix milliseconds), or that its answer began. `error` is a class of failures. */
  ended(outcome: string, at: number, error: string | undefined): void;
}

export interface CallTrace {
  /** The id of the trace: 32 hexadecimal digits. */
  readonly id: string;
  note(facts: CallFacts): void;
  attempt(asked: AskedChannel): AttemptTrace;
  /** The headers that tell the place of what is done for the call after its answer: a video task. */
  later(): Record<string, string>;
  /** Ends the trace of a call whose answer ended at `ended_at` (Unix ms). Resolves when spans are sent or lost. */
  finish(reply: { status: number; headers: Record<string, string> }, ended_at: number): Promise<void>;
}

/** A request, as far as a trace tells it. */
export interface TracedRequest {
  id: string;
  method: string;
  path: string;
  headers: Record<string, string | undefined>;
  /** Unix milliseconds. */
  received_at: number;
}

export interface Tracing {
  /** Begins the trace of a call. Undefined where it is not sampled and has no client's trace to pass on. */
  begin(request: TracedRequest, route: { path: string }): CallTrace | undefined;
  /** Sends what a server has gathered. Resolves when it is sent or lost. Never rejects. */
  flush(): Promise<void>;
}

/** A video task that has ended, as far as its trace tells it. */
export interface EndedTask {
  id: string;
  status: string;
  model: string;
  /** Unix milliseconds. */
  created_at: number;
  upstream: { provider: string; model: string } | null;
  /** What `CallTrace.later` gave for it. */
  trace?: Record<string, string>;
}

/** Tells of tasks that have ended: the span of one that is recorded, and the metrics of each. */
export interface TaskTelling {
  /** Resolves when it is told, or lost. Never rejects. */
  ended(task: EndedTask, event: UsageEvent): Promise<void>;
}

/** Counts what calls have used. */
export interface UsageMetrics {
  /** Sends the metrics of usage events. Resolves when they are sent or lost. Never rejects. */
  record(events: readonly UsageEvent[]): Promise<void>;
}
