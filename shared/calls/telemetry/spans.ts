/**
 * The spans of a call (shared/calls/telemetry/README.md "The spans of a call"): its request's as a server, and below it
 * one of each attempt as a client. They never have a word of prompt or answer.
 */
import { sizeOf } from "../../books/billing/pricing/tiers.ts";
import type { TraceContext } from "./context.ts";
import { operationName, outputType, providerName } from "./conventions.ts";
import { spanIdOf } from "./ids.ts";
import type { Attributes, Span } from "./otlp.ts";
import type { AskedChannel, CallFacts, TracedRequest } from "./trace.ts";

/** An attempt, as far as it is known. */
export interface GatheredAttempt extends AskedChannel {
  spanId: string;
  /** How it ended, and when, in Unix milliseconds. Undefined while it runs. */
  end: { outcome: string; at: number; error: string | undefined } | undefined;
}

/** Everything that is known of a call when its trace ends. */
interface GatheredCall {
  traceId: string;
  spanId: string;
  /** The place in its trace that the client has sent. */
  caller: TraceContext | undefined;
  request: TracedRequest;
  /** The path of its route, with names in place of parameters. */
  route: string;
  facts: CallFacts;
  attempts: readonly GatheredAttempt[];
  status: number;
  /** The id of the call whose answer was given again. */
  replayed: string | undefined;
  /** Unix milliseconds. */
  ended_at: number;
}

/** What an attempt that was answered ends with if the rest of its answer never came. */
const incomplete = "incomplete";

/** The spans of a call, that of the request first. */
export function spansOf(call: GatheredCall): Span[] {
  return [requestSpan(call), ...call.attempts.map((attempt) => attemptSpan(attempt, call))];
}

function requestSpan(call: GatheredCall): Span {
  const { traceId, spanId, caller, request, route, ended_at } = call;
  const error = errorOfCall(call);
  return {
    traceId,
    spanId,
    parent: caller && { spanId: caller.spanId, isRemote: true },
    state: caller?.state,
    name: `${request.method} ${route}`,
    kind: "server",
    start: request.received_at,
    end: Math.max(ended_at, request.received_at),
    attributes: { ...httpAttributes(call), "error.type": error, ...callAttributes(call) },
    failed: error !== undefined,
  };
}

function httpAttributes({ request, route, status }: GatheredCall): Attributes {
  const { method, path, headers } = request;
  const { host } = headers;
  return {
    "http.request.method": method,
    "http.route": route,
    "http.response.status_code": status,
    "url.path": path,
    "url.scheme": headers["x-forwarded-proto"] === "https" ? "https" : "http",
    "server.address": host?.replace(/:\d+$/, ""),
    "user_agent.original": headers["user-agent"]?.slice(0, 256),
  };
}

/** A refusal of ours is no failure of the gateway: by the conventions, a server has failed from 500 on. */
function errorOfCall({ status, facts: { error, event } }: GatheredCall): string | undefined {
  if (status >= 500) return error ?? String(status);
  return event && event.outcome !== "completed" && status < 300 ? incomplete : undefined;
}

function callAttributes({ request, facts, attempts, replayed }: GatheredCall): Attributes {
  const { organization, project, key, model, kind, event, error } = facts;
  const begun = attempts.find(({ end }) => end?.outcome === "answered")?.end;
  return {
    "gen_ai.operation.name": kind && operationName(kind),
    "gen_ai.request.model": model,
    "model_gateway.request.id": request.id,
    "model_gateway.organization.id": organization,
    "model_gateway.project.id": project || undefined,
    "model_gateway.key.id": key,
    "model_gateway.provider": event?.provider ?? undefined,
    "model_gateway.attempts": event ? event.attempts : undefined,
    "model_gateway.route.why": event?.route?.why,
    "model_gateway.response.model": event?.model,
    "model_gateway.time_to_first_byte": begun && seconds(begun.at - request.received_at),
    "model_gateway.cost_points": event && { fraction: Number(event.cost_points) },
    "model_gateway.evidence": event?.evidence,
    "model_gateway.outcome": event?.outcome,
    "model_gateway.flags": event && event.flags.length > 0 ? event.flags : undefined,
    "model_gateway.cache.level": event?.cache?.level,
    "model_gateway.replayed": replayed,
    "model_gateway.error": error,
  };
}

function attemptSpan(attempt: GatheredAttempt, call: GatheredCall): Span {
  const { traceId, spanId: parentId, caller, facts } = call;
  const { kind = "chat", event } = facts;
  const { spanId, model, provider, sent_at, end } = attempt;
  const isAnswer = end?.outcome === "answered";
  const error = errorOfAttempt(attempt, call);
  const generation_ms = isAnswer ? (event?.route?.generation_ms ?? 0) : 0;
  const { hostname, port, protocol: scheme } = new URL(attempt.base_url);
  return {
    traceId,
    spanId,
    parent: { spanId: parentId, isRemote: false },
    state: caller?.state,
    name: `${operationName(kind)} ${model}`,
    kind: "client",
    start: sent_at,
    end: Math.max(sent_at, end ? end.at + generation_ms : call.ended_at),
    attributes: {
      "gen_ai.operation.name": operationName(kind),
      "gen_ai.provider.name": providerName(provider),
      "gen_ai.request.model": model,
      "gen_ai.request.stream": facts.stream || undefined,
      "gen_ai.output.type": outputType(kind),
      "gen_ai.response.time_to_first_chunk": isAnswer && facts.stream ? seconds(end.at - sent_at) : undefined,
      "server.address": hostname,
      "server.port": Number(port || (scheme === "https:" ? 443 : 80)),
      "error.type": error,
      "model_gateway.attempt.outcome": end?.outcome,
      "model_gateway.attempt.protocol": attempt.protocol,
      ...(isAnswer && usageAttributes(facts)),
    },
    failed: error !== undefined,
  };
}

/** The usage of a call is that of the attempt that was answered. What was estimated stands there too, and says so. */
function usageAttributes({ event }: CallFacts): Attributes {
  if (!event || event.evidence === "none") return {};
  const { usage } = event;
  return {
    // The conventions count tokens of the cache among those of the input.
    "gen_ai.usage.input_tokens": sizeOf(usage, "input_tokens"),
    "gen_ai.usage.output_tokens": usage.output_tokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens || undefined,
    "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens || undefined,
    "model_gateway.usage.images": usage.generated_images || undefined,
    "model_gateway.usage.video_seconds": usage.video_seconds || undefined,
  };
}

function errorOfAttempt({ end }: GatheredAttempt, { facts: { event } }: GatheredCall): string | undefined {
  if (!end) return incomplete;
  // A channel that lost a race was broken off by us.
  if (end.outcome === "lost") return undefined;
  if (end.outcome !== "answered") return end.error ?? end.outcome;
  return event && event.outcome !== "completed" ? incomplete : undefined;
}

function seconds(ms: number): { fraction: number } {
  return { fraction: Math.max(0, ms) / 1000 };
}

/** The id of the span of a request, and those of its attempts, which are counted from 1. */
export function requestSpanId(traceId: string, request: string): string {
  return spanIdOf(traceId, request, "request");
}

export function attemptSpanId(traceId: string, request: string, number: number): string {
  return spanIdOf(traceId, request, `attempt ${number}`);
}

/** The id of the span of the task that a request has made. */
export function taskSpanId(traceId: string, request: string): string {
  return spanIdOf(traceId, request, "task");
}
