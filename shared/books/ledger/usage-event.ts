import { type ErrorKey, isErrorKey } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { isId } from "../../base/platform/id.ts";
import { isOwnFee } from "../billing/own-fee.ts";
import { parsePoints } from "../billing/points.ts";
import { isTags } from "../billing/tags.ts";
import { dimensions, tokensOf, type Usage, type UsageDetails, type UsageEvidence } from "../billing/usage.ts";
import type { CallIdentity, Settlement } from "../meters/hold.ts";
import { readHouseRates } from "./house-rates.ts";
import { type EventVersion, isKnownVersion } from "./spread-hours.ts";

/** How an attempt to have a channel answer can end. One that is `lost` was broken off: another channel was faster. */
const attemptOutcomes = ["answered", "fault", "limited", "refused", "blamed", "lost"] as const;

export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** One attempt of a call, as its receipt tells it. */
export interface ToldAttempt {
  provider: string;
  /** The channel's id on the board (shared/calls/routing/README.md "The board"). Entries do not keep it. */
  channel?: string;
  /** The full id of the model that was asked, where it is another one than the event's. */
  model?: string;
  outcome: AttemptOutcome;
  /** The HTTP status of a provider that answered with an error. */
  status?: number;
  /** It was called with the organization's own key. */
  own_key?: true;
  /** Of one without an answer that the provider may bill: its channel's cost (`bookHouseRates`). No customer sees it. */
  house?: string;
  /** From the sending of the request to the first byte of its answer, or to its failure. Milliseconds. */
  ms: number;
}

/** How a call found the channel that answered it. */
export interface CallRoute {
  routing: "basic" | "smart";
  /** Why the channel that was asked last was chosen (`x-gateway-route`). */
  why: string;
  /** How many channels could take the call. */
  of: number;
  /** In order. The last one answered, unless the call failed. */
  attempts: ToldAttempt[];
  /**
   * From the first byte of a streamed answer to its last, without the time for which it waited for its reader. In
   * milliseconds. Entries do not keep it.
   */
  generation_ms?: number;
}

/** Where an answer out of the cache may come from: the same question, another form of it, or one that means the same. */
const cacheLevels = ["exact", "canonical", "semantic"] as const;
type CacheLevel = (typeof cacheLevels)[number];

/** What said that two questions mean the same: a judge, or what their context has shown. */
const verifiers = ["judge", "evidence"] as const;
export type Verified = (typeof verifiers)[number];

/** Which earlier answer a call was given (shared/calls/cache/README.md). */
export interface CacheHit {
  level: CacheLevel;
  /** Of a semantic hit. */
  verified?: Verified;
  /** The call that got the answer from a provider. */
  entry: string;
  age_seconds: number;
  /** What the earlier call's usage costs at this call's price: a decimal string of points. Nothing is charged by it. */
  saved_points: string;
  /** Where the entry is kept: scope and name. */
  place: string;
  /** Of a semantic hit: what both questions have in common (shared/calls/cache/keys.ts). */
  context?: string;
}

/**
 * The message on the usage queue, and what the ledger records. It contains everything that an entry needs, so settling
 * reads nothing. `endCall` makes it.
 */
export interface UsageEvent extends Omit<CallIdentity, "spread"> {
  version: EventVersion;
  /** Unix milliseconds. */
  admitted_at: number;
  ended_at: number;
  usage: Usage;
  /** What the provider reported, where that is implausible for the request. `usage` is then the plausible maximum. */
  reported?: Usage;
  /** Of a video: the resolution that it was charged at, one of the price's. */
  resolution?: string;
  /** What is charged, a decimal string of points: "0" on subscription calls and on free outcomes. */
  cost_points: string;
  /** The value at list price with the discount, whoever pays: where the organization's own key paid, our fee. */
  list_points: string;
  /** Calls of quota consumed: 0 when the call was given back, and several where its plan counts a dear call so. */
  calls: number;
  evidence: UsageEvidence;
  /** Who made this event. A later event of the gateway corrects one of the sweeper's. */
  source: "gateway" | "sweeper";
  /** On a subscription's event by the sweeper: the quota month of the call. A correction needs it. */
  period?: string;
  /** On a sweeper's event of a call that a budget bounds: the budget's counter. A correction needs it. */
  budget?: string;
  /** The same of further budgets of the call (books/meters/kept-counters.ts). */
  budgets?: string[];
  /** On a sweeper's event where the plan bounds the day's points: their counter. A correction needs it. */
  day?: string;
  outcome: "completed" | "truncated" | "failed";
  /**
   * Why it failed or broke off: the error that its client was told. Absent on calls that completed, on those that nobody
   * was told of, and on events from before 2026-11-28.
   */
  error?: ErrorKey;
  /** What is worth a look, by name, such as `no_usage` or `overrun`. */
  flags: string[];
  provider: string | null;
  attempts: number;
  /** Of a call that was answered: the cost of that channel, where the catalog has one (`bookHouseRates`). No customer sees it. */
  house?: string;
  /** Absent on events of the sweeper, of tasks, and of versions before it. */
  route?: CallRoute;
  /** On a call that was answered out of the cache. Its usage is nothing. */
  cache?: CacheHit;
  /**
   * On a call that a fallback answered: the full id of the model that the client asked for
   * (shared/calls/gateway/fallback.md).
   */
  requested_model?: string;
}

/** A message of the usage queue that could not be settled. It lies in the dead-letter queue. */
export interface DeadLetter {
  /** The queue's id of the message. */
  id: string;
  body: string;
  /** The message group. Undefined on a message that the gateway did not send. */
  organization: string | undefined;
  /** When it was first sent to a queue, Unix milliseconds. */
  sent_at: number;
}

/** How the hold of an event's call ends: charged as the event says, or given back. */
export function settlementOfEvent(event: UsageEvent): Settlement {
  return {
    points: parsePoints(event.cost_points),
    listPoints: parsePoints(event.list_points),
    tokens: event.calls === 0 ? 0 : tokensOf(event.usage),
    ...(event.calls > 1 && { calls: event.calls }),
    giveBack: event.calls === 0,
    at: event.ended_at,
  };
}

/**
 * Reads a queue message. Throws `SyntaxError` or `TypeError` for a message that cannot be settled: bad JSON, an unknown
 * version, a counter that is no count. Such a message belongs in the dead-letter queue. A route, a hit of the cache, an
 * error, a requested model, tags or a house cost that are not sound are left out instead. They charge nothing, so the call is billed
 * without them.
 */
export function parseUsageEvent(text: string): UsageEvent {
  const event = JSON.parse(text) as Partial<UsageEvent> | null;
  if (typeof event !== "object" || event === null) throw new TypeError("a usage event must be an object");
  if (!isKnownVersion(event.version)) throw new TypeError(`unknown version ${String(event.version)}`);
  for (const name of ["id", "organization", "key", "model", "meter", "mode", "evidence", "source"] as const) {
    if (typeof event[name] !== "string" || event[name] === "") throw new TypeError(`${name} is missing`);
  }
  if (!isId(event.id ?? "", "request", "task")) throw new TypeError("id is none of ours");
  if (typeof event.project !== "string") throw new TypeError("project is missing");
  for (const name of ["shard", "admitted_at", "ended_at", "calls", "attempts"] as const) {
    if (!isCount(event[name])) throw new TypeError(`${name} is no count`);
  }
  for (const name of ["cost_points", "list_points"] as const) {
    if (!isAmount(event[name])) throw new TypeError(`${name} is no amount`);
  }
  checkUsage("usage", event.usage);
  if (event.reported !== undefined) checkUsage("reported", event.reported);
  if (typeof event.price !== "object" || event.price === null) throw new TypeError("price is missing");
  const { route, cache, requested_model, call_points, own_fee, error, tags, house, ...rest } =
    event as UsageEvent;
  return {
    ...rest,
    ...(isAmount(call_points) && { call_points }),
    ...(isOwnFee(own_fee) && { own_fee }),
    ...(isRoute(route) && { route: withReadHouses(route) }),
    ...(isHit(cache) && { cache }),
    ...(isModel(requested_model) && { requested_model }),
    ...(isErrorKey(error) && { error }),
    ...(isTags(tags) && { tags }),
    ...(house !== undefined && readHouseRates(house) && { house }),
  };
}

/** A route without the costs of attempts that nobody here can read. */
function withReadHouses(route: CallRoute): CallRoute {
  const isRead = ({ house }: ToldAttempt) => house === undefined || readHouseRates(house) !== undefined;
  if (route.attempts.every(isRead)) return route;
  const attempts = route.attempts.map((attempt) => {
    const { house: _, ...others } = attempt;
    return isRead(attempt) ? attempt : others;
  });
  return { ...route, attempts };
}

function isHit(value: unknown): value is CacheHit {
  const { level, verified, context = "", ...hit } = (value ?? {}) as Partial<CacheHit>;
  if (!cacheLevels.some((each) => each === level)) return false;
  if (verified !== undefined && !verifiers.some((each) => each === verified)) return false;
  if (!isShort(context) || !isShort(hit.entry) || !isShort(hit.place)) return false;
  return isCount(hit.age_seconds) && isAmount(hit.saved_points);
}

function isAmount(value: unknown): value is string {
  return /^\d+(?:\.\d{1,18})?$/.test(String(value));
}

/** Whether it is a route as events have it, with names and attempts within their bounds. */
export function isRoute(value: unknown): value is CallRoute {
  const { routing, why, of, attempts, generation_ms = 0 } = (value ?? {}) as Partial<CallRoute>;
  if (routing !== "basic" && routing !== "smart") return false;
  if (!isShort(why) || !isCount(of) || !isCount(generation_ms) || !Array.isArray(attempts)) return false;
  return attempts.length <= limits.routeAttemptsMax && attempts.every(isAttempt);
}

function isAttempt(value: unknown): value is ToldAttempt {
  const {
    provider,
    channel = "",
    model = "",
    outcome,
    status = 0,
    ms,
  } = (value ?? {}) as Partial<ToldAttempt>;
  const isNamed = isShort(provider) && isShort(channel) && isModel(model);
  return isNamed && isCount(ms) && isCount(status) && attemptOutcomes.some((each) => each === outcome);
}

function isModel(value: unknown): value is string {
  return typeof value === "string" && value.length <= limits.modelNameBytesMax;
}

function isShort(value: unknown): boolean {
  return typeof value === "string" && value.length <= limits.routeNameCharsMax;
}

function checkUsage(name: string, value: unknown): void {
  const usage = (value ?? {}) as Record<string, unknown>;
  for (const dimension of dimensions) {
    if (!isCount(usage[dimension])) throw new TypeError(`${name}.${dimension} is no count`);
  }
  checkDetails(name, usage.details ?? {});
}

/** Older events have no details. They are complete without them. */
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
