/**
 * Sends an admitted call to the model's channels, one after the other until one answers. Nothing is
 * repeated once a frame of an answer has been read (design §4 "Upstream errors").
 */
import type { UsageDetails } from "../billing/usage.ts";
import { catalog as errors, GatewayError } from "../errors.ts";
import { limits } from "../limits.ts";
import { type IncomingReply, readAll } from "../platform/http-client.ts";
import { describeError } from "../platform/log.ts";
import type { Protocol, ReplyFacts } from "../protocols/protocol.ts";
import type { Streaming, StreamReader } from "../protocols/streaming.ts";
import { authHeaders, type Candidate } from "../upstreams/channels.ts";
import type { Cooling } from "../upstreams/cooling.ts";
import { blamesRequest } from "../upstreams/refusal.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import {
  ForwardFailed,
  faultOf,
  isProviderFault,
  logFault,
  logRefused,
  ProviderFault,
  refusalOf,
  restsUntil,
  sidesOf,
  unanswered,
} from "./failures.ts";
import type { Relay } from "./relay.ts";
import { route, type Way } from "./route.ts";
import { waysAsked } from "./switches.ts";
import { targetOf } from "./target.ts";

interface AnswerBase {
  provider: string;
  attempts: number;
  status: number;
  content_type: string;
  /** Names of the request's fields the provider was not sent. */
  dropped: string[];
  /** How the provider serves the call, as far as request and headers say. */
  served: UsageDetails;
}

/** A whole reply, read to its end. */
export interface WholeAnswer extends AnswerBase {
  kind: "whole";
  bytes: Buffer;
  facts: ReplyFacts;
}

/** A stream whose first frame has been read, so that the status is certain. */
export interface StreamAnswer extends AnswerBase {
  kind: "stream";
  relay: Relay;
  reader: StreamReader;
  /** The streams of the client's protocol, which say what it is told. */
  client: Streaming;
  /** What may leave at once. */
  first: Buffer;
  /** The rest of the provider's bytes. */
  chunks: AsyncIterator<Buffer>;
  /** Reads what may follow the last frame, so that the socket can serve again. */
  release: () => void;
  /** Breaks the provider off. */
  abort: () => void;
}

export type Answer = WholeAnswer | StreamAnswer;

/**
 * Sends a call until a channel answers it. Throws `ForwardFailed` with `invalid_request` where the provider blames the
 * request or no channel that is left can carry it, `upstream_error` (something was tried) or `no_channel`.
 */
export async function forward(
  admitted: Admitted,
  signal: AbortSignal,
  cooling: Cooling,
  deps: Deps,
): Promise<Answer> {
  const { model } = admitted;
  let provider: string | null = null;
  let attempts = 0;
  let refusal: GatewayError | undefined;
  const faults: Error[] = [];
  const waits: (number | undefined)[] = [];
  for (const candidate of route(admitted, cooling, deps)) {
    const secret = await deps.secrets.provider(candidate.provider.secret);
    if (secret === undefined || signal.aborted) continue;
    const exchange = exchangeWith(candidate, admitted);
    if (exchange instanceof GatewayError) {
      refusal ??= exchange;
      continue;
    }
    try {
      provider = candidate.channel.provider;
      attempts += 1;
      return await attempt(admitted, candidate, exchange, secret, attempts, signal, deps);
    } catch (error) {
      const { channel } = candidate;
      if (error instanceof GatewayError) {
        logRefused(error, channel.provider, admitted, deps);
        throw new ForwardFailed(error, provider, attempts);
      }
      if (!isProviderFault(error)) throw error;
      const now = deps.now();
      cooling.failed(channel, now, restsUntil(error, now));
      faults.push(error);
      waits.push(cooling.restLeft(channel, now));
      logFault(error, channel.provider, attempts, admitted, deps);
    }
  }
  if (refusal && attempts === 0) throw new ForwardFailed(refusal, provider, attempts);
  const rejection = unanswered(faults, waits, attempts);
  deps.log("warn", "call_failed", {
    request: admitted.request.id,
    organization: admitted.principal.organization.id,
    model: model.id,
    route: admitted.route.path,
    code: errors[rejection.key].code,
    provider: provider ?? "",
    attempts,
  });
  throw new ForwardFailed(rejection, provider, attempts);
}

/** The exchange with a channel, or why it cannot carry the request: another one may. */
function exchangeWith(
  { channel, provider, way }: Candidate<Way>,
  admitted: Admitted,
): Exchange | GatewayError {
  const known = admitted.exchanges?.get(channel);
  if (known) return known;
  try {
    return createExchange(admitted, way, targetOf(admitted.model, channel, provider, way));
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

async function attempt(
  admitted: Admitted,
  { channel, provider, way }: Candidate<Way>,
  exchange: Exchange,
  secret: string,
  attempts: number,
  signal: AbortSignal,
  deps: Deps,
): Promise<Answer> {
  const { call, request } = admitted;
  const { protocol, base_url } = way;
  const reply = await deps.send({
    method: "POST",
    url: base_url + protocol.upstreamPath(channel.model, call),
    headers: {
      "content-type": exchange.request.content_type,
      accept: call.stream ? "text/event-stream" : "application/json",
      "accept-encoding": "identity",
      "user-agent": "model-gateway",
      // A client's own protocol headers mean nothing to a provider of another protocol.
      ...protocol.forwardHeaders?.(protocol === admitted.protocol ? request.headers : {}),
      ...authHeaders(provider, secret),
    },
    body: exchange.request.bytes,
    connectMs: limits.upstreamConnectMs,
    firstByteMs: limits.upstreamFirstByteMs,
    idleMs: limits.upstreamIdleMs,
    signal,
  });
  if (blamesRequest(reply.status)) {
    const bytes = await readAll(reply, limits.replyBytesMax);
    throw refusalOf(reply.status, bytes, { secret, base_url }, sidesOf(admitted, way));
  }
  if (reply.status < 200 || reply.status > 299) throw await faultOf(reply, { secret, base_url }, deps.now());
  if (isEncoded(reply)) throw await discard(reply, "encoded although identity was asked for");
  const streamed = contentType(reply).startsWith("text/event-stream");
  const { stream: client } = admitted.protocol;
  const streams = call.stream && client && protocol.stream && { client, provider: protocol.stream };
  // A client reads a whole answer as JSON, whatever it is.
  if (streamed && !streams) {
    reply.body.destroy();
    throw new ProviderFault("a stream although a whole reply was asked for");
  }
  const base: AnswerBase = {
    provider: channel.provider,
    attempts,
    status: reply.status,
    content_type: exchange.content_type ?? (streamed ? contentType(reply) : jsonType(reply)),
    dropped: exchange.request.dropped,
    served: {
      ...waysAsked(call.switches, exchange.request.dropped, admitted.protocol, protocol),
      ...protocol.readHeaders?.(reply.headers),
    },
  };
  if (streamed && streams) return { ...base, ...(await openStream(reply, admitted, streams, exchange)) };
  return { ...base, ...(await readWhole(reply, admitted, protocol, exchange)) };
}

function contentType(reply: IncomingReply): string {
  return reply.headers["content-type"] ?? "application/json";
}

/** The type of a whole reply, which is a JSON object under any name: SDKs give JSON of another type as text (protocols.md §1.3). */
function jsonType(reply: IncomingReply): string {
  const type = contentType(reply);
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type) ? type : "application/json";
}

function isEncoded(reply: IncomingReply): boolean {
  const encoding = reply.headers["content-encoding"];
  return encoding !== undefined && encoding !== "identity";
}

/** Reads an unwanted body to its end, so that the socket serves again, and says what was wrong. */
async function discard(reply: IncomingReply, reason: string): Promise<ProviderFault> {
  await readAll(reply, limits.replyBytesMax).catch(() => {});
  return new ProviderFault(reason);
}

async function readWhole(
  reply: IncomingReply,
  { call }: Admitted,
  protocol: Protocol,
  exchange: Exchange,
): Promise<Pick<WholeAnswer, "kind" | "bytes" | "facts">> {
  const bytes = await readAll(reply, limits.replyBytesMax);
  // SDKs read JSON in place of a stream as an empty answer without an error (protocols.md §1.3).
  if (call.stream) throw new ProviderFault("a whole reply although a stream was asked for");
  let facts: ReplyFacts;
  let finished: Buffer;
  try {
    facts = protocol.readReply(bytes, call);
    finished = facts.failed ? bytes : exchange.finish(bytes);
  } catch {
    throw new ProviderFault("a reply that cannot be read");
  }
  if (facts.failed) throw new ProviderFault("an error inside a 200");
  return { kind: "whole", bytes: finished, facts };
}

/** Reads up to the first frame: an error there, or none at all, still lets the next channel try. */
async function openStream(
  reply: IncomingReply,
  { call, steps }: Admitted,
  { client, provider }: { client: Streaming; provider: Streaming },
  exchange: Exchange,
): Promise<Omit<StreamAnswer, keyof AnswerBase>> {
  const reader = provider.createReader(call);
  // Only a stream that holds its output step by step can have to be stopped; every other one is spared the reading.
  const relay = exchange.createRelay(provider, reader, steps && client.createStopper?.());
  const chunks: AsyncIterator<Buffer> = reply.body.iterator({ destroyOnReturn: false });
  const opening: Buffer[] = [];
  let bytes = 0;
  try {
    while (!relay.begun()) {
      const { done, value } = await chunks.next();
      if (done) throw new ProviderFault("a stream without a frame");
      bytes += value.length;
      if (bytes > limits.openingBytesMax) throw new ProviderFault("too much before the first frame");
      opening.push(relay.push(value));
    }
  } catch (error) {
    reply.body.destroy();
    if (isProviderFault(error)) throw error;
    throw new ProviderFault(describeError(error));
  }
  return {
    kind: "stream",
    relay,
    reader,
    client,
    first: Buffer.concat(opening),
    chunks,
    release: () => drain(reply),
    abort: () => reply.body.destroy(),
  };
}

/** Lets the last bytes of a finished stream run out; a provider that keeps the socket open loses it. */
function drain(reply: IncomingReply): void {
  const timer = setTimeout(() => reply.body.destroy(), limits.drainMs);
  reply.body.once("close", () => clearTimeout(timer));
  reply.body.once("error", () => {});
  reply.body.resume();
}
