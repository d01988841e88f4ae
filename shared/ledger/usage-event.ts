import type { BillingMode } from "../accounts/account.ts";
import { parsePoints } from "../billing/points.ts";
import type { PinnedPrice } from "../billing/pricing/price.ts";
import {
  dimensions,
  type Evidence,
  noUsage,
  tokensOf,
  type Usage,
  type UsageDetails,
} from "../billing/usage.ts";
import type { Intent, Settlement } from "../meters/meter.ts";
import { isId, timeOf } from "../platform/id.ts";

/**
 * The message on the usage queue, and the argument of the one function that writes the ledger. It says
 * everything an entry needs, so that settling reads nothing.
 */
export interface UsageEvent {
  version: 1;
  /** Our request id. It is the ledger key, and its time is the admission time every report uses. */
  id: string;
  kind: "chat" | "embedding" | "image" | "video";
  organization: string;
  project: string;
  key: string;
  model: string;
  mode: BillingMode;
  meter: string;
  shard: number;
  /** Unix milliseconds. */
  admitted_at: number;
  ended_at: number;
  usage: Usage;
  /** What the provider reported, where that could not be true of the request and `usage` is the most it can come to. */
  reported?: Usage;
  /** Of a video: which of the price's resolutions it was charged at. */
  resolution?: string;
  price: PinnedPrice;
  /** What is charged, as a decimal string of points: "0" on subscription calls and on free outcomes. */
  cost_points: string;
  /** The value at list price (discount applied), whoever pays. */
  list_points: string;
  /** Calls of quota consumed: 0 when the call was given back. */
  calls: 0 | 1;
  evidence: Evidence;
  /** Who made this event; the sweeper's can be corrected by a later one of the gateway. */
  source: "gateway" | "sweeper";
  /** Of a sweeper's guess at a subscription's call: the quota month it counts in, for the correction. */
  period?: string;
  /** Of a sweeper's guess at a call whose key has a budget: the counter that its hold was on, for the correction. */
  budget?: string;
  outcome: "completed" | "truncated" | "failed";
  /** What is worth a look, by name, such as `no_usage` or `overrun`. */
  flags: string[];
  user: string | null;
  provider: string | null;
  attempts: number;
}

/** A message of the usage queue that could not be settled, as it lies among the dead letters. */
export interface DeadLetter {
  /** The queue's own name of it. */
  id: string;
  body: string;
  /** Its message group; undefined on a message that was not sent by the gateway. */
  organization: string | undefined;
  /** Unix milliseconds since which it has been in a queue, this one or the first. */
  sent_at: number;
}

/** How the hold of an event's call ends: charged what the event says, or given back. */
export function settlementOfEvent(event: UsageEvent): Settlement {
  return {
    points: parsePoints(event.cost_points),
    list_points: parsePoints(event.list_points),
    tokens: event.calls === 0 ? 0 : tokensOf(event.usage),
    give_back: event.calls === 0,
    at: event.ended_at,
  };
}

/** The event of a call that was held and never sent, from its intent alone: free, and given back. */
export function unsentEvent(intent: Intent, source: UsageEvent["source"], now: number): UsageEvent {
  const { kind, organization, project, key, model, mode, meter, shard, price, user } = intent;
  return {
    version: 1,
    id: intent.request,
    kind,
    organization,
    project,
    key,
    model,
    mode,
    meter,
    shard,
    admitted_at: timeOf(intent.request),
    ended_at: now,
    usage: noUsage,
    price,
    cost_points: "0",
    list_points: "0",
    calls: 0,
    evidence: "none",
    source,
    outcome: "failed",
    flags: [],
    user,
    provider: null,
    attempts: 0,
  };
}

/**
 * Reads a queue message. Throws `SyntaxError` or `TypeError` for one that cannot be settled: bad JSON,
 * an unknown version, a counter that is no count. Such a message belongs in the dead-letter queue.
 */
export function parseUsageEvent(text: string): UsageEvent {
  const event = JSON.parse(text) as Partial<UsageEvent> | null;
  if (typeof event !== "object" || event === null) throw new TypeError("a usage event must be an object");
  if (event.version !== 1) throw new TypeError(`unknown version ${String(event.version)}`);
  for (const name of ["id", "organization", "key", "model", "meter", "mode", "evidence", "source"] as const) {
    if (typeof event[name] !== "string" || event[name] === "") throw new TypeError(`${name} is missing`);
  }
  if (!isId(event.id ?? "", "request", "task")) throw new TypeError("id is none of ours");
  if (typeof event.project !== "string") throw new TypeError("project is missing");
  for (const name of ["shard", "admitted_at", "ended_at", "calls", "attempts"] as const) {
    if (!isCount(event[name])) throw new TypeError(`${name} is no count`);
  }
  for (const name of ["cost_points", "list_points"] as const) {
    if (!/^\d+(?:\.\d{1,18})?$/.test(String(event[name]))) throw new TypeError(`${name} is no amount`);
  }
  checkUsage("usage", event.usage);
  if (event.reported !== undefined) checkUsage("reported", event.reported);
  if (typeof event.price !== "object" || event.price === null) throw new TypeError("price is missing");
  return event as UsageEvent;
}

function checkUsage(name: string, value: unknown): void {
  const usage = (value ?? {}) as Record<string, unknown>;
  for (const dimension of dimensions) {
    if (!isCount(usage[dimension])) throw new TypeError(`${name}.${dimension} is no count`);
  }
  checkDetails(name, usage["details"] ?? {});
}

/** What is known beside the counts came later than the event's form: an event without it is whole. */
function checkDetails(usage: string, details: UsageDetails): void {
  for (const [name, count] of [
    ...Object.entries(details.tokens ?? {}),
    ...Object.entries(details.calls ?? {}),
  ]) {
    if (!isCount(count)) throw new TypeError(`${usage}.details: ${name} is no count`);
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
