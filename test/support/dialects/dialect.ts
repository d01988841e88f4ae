/** What a test knows of a vendor's dialect of OpenAI's chat form: facts that were read, with their sources, and nothing of the product. */
import type { Json } from "#test/support/vendor-answers.ts";

/** The counts that a report means: new input, read from a cache, written to one, all output, and the reasoning of it. */
export interface Meant {
  input: number;
  cached?: number;
  stored?: number;
  output: number;
  reasoning?: number;
}

/** A vendor's report of a usage, and what it means. */
export interface Report {
  usage: Json;
  means: Meant;
}

/** Where a stream has its usage. Only the first needs `stream_options.include_usage`. */
type UsageAt = "asked_chunk" | "last_chunk" | "finish_chunk" | "choice" | "every_chunk" | "x_groq";

/** Where an answer has its reasoning. */
type ReasoningAt = "reasoning_content" | "reasoning" | "thinking_parts" | "think_tags" | "details";

/** Where the model's reasoning stands in a later request, as the vendor wants or takes it. */
type ReplayedAt = ReasoningAt | "nowhere";

/** An error answer, and what the gateway makes of it. */
export interface Failure {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
  /** The wait that it asks for, in milliseconds. */
  wait_ms?: number;
}

export interface Dialect {
  /** The provider's name in the default catalog. */
  vendor: string;
  /** A model as the vendor calls it. */
  model: string;
  /** Where the facts were read; each failure may have a source of its own beside it. */
  source: string;
  reports: Report[];
  usageAt: UsageAt;
  /** Absent: its models' reasoning is not shown, or they do not reason. */
  reasoningAt?: ReasoningAt;
  replayedAt?: ReplayedAt;
  /** An id of a call as the vendor makes it. */
  callId: string;
  /** What whole answers and chunks have beside OpenAI's members. */
  beside?: Json;
  /** Comments that a stream begins with. */
  comments?: string[];
  /** What the test's model is said to take, where a model of the vendor takes more or less than its provider says. */
  traits?: Json;
  /** Errors by what they mean. A vendor without a known form has none. */
  failures: Partial<Record<"limit" | "context" | "key" | "money", Failure>>;
}
