/** One attempt to have a channel answer a call, up to the whole reply or the first frame of a stream. */

import { limits } from "../../base/limits.ts";
import { type IncomingReply, readAll } from "../../base/platform/http-client.ts";
import { describeError } from "../../base/platform/log.ts";
import { within } from "../../base/platform/pause.ts";
import type { ReplyBody } from "../../base/platform/reply-body.ts";
import type { UsageDetails } from "../../books/billing/usage.ts";
import type { Exchange } from "../exchange/call.ts";
import { type Relay, StreamFailed } from "../exchange/relay.ts";
import type { UpstreamRoute } from "../exchange/upstream-route.ts";
import type { ReplyFacts } from "../protocols/protocol.ts";
import type { ProviderStreaming, Streaming, StreamReader } from "../protocols/streaming.ts";
import type { AttemptTrace } from "../telemetry/trace.ts";
import { ask } from "../upstreams/ask.ts";
import { type AttemptTiming, attemptTiming } from "../upstreams/attempt-timing.ts";
import type { Candidate } from "../upstreams/channels.ts";
import type { Access } from "../upstreams/credentials/index.ts";
import { ProviderFault, RequestBlamed } from "../upstreams/fault.ts";
import type { ProviderAnswer } from "../upstreams/hosts/send-as.ts";
import type { RefusedAttempt } from "../upstreams/read-refusal.ts";
import type { Confidential } from "../upstreams/redaction.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import { isProviderFault, sidesOf } from "./failures.ts";
import type { RouteTaken } from "./route-taken.ts";
import { waysAsked } from "./switches.ts";

interface AnswerBase {
  status: number;
  content_type: string;
  /** Names of the request's fields that the provider was not sent. */
  dropped: string[];
  /** How the provider serves the call, as far as the request and the answer's headers say. */
  served: UsageDetails;
  /** Of the attempt that was answered. */
  timing: AttemptTiming;
}

/** A whole reply, read to its end. */
export interface WholeAnswer extends AnswerBase {
  kind: "whole";
  bytes: Buffer;
  facts: ReplyFacts;
}

/** A stream whose first frame has been read: from here on its status is certain. */
export interface StreamAnswer extends AnswerBase {
  kind: "stream";
  relay: Relay;
  reader: StreamReader;
  /** The streams of the client's protocol. */
  client: Streaming;
  /** What may leave at once. */
  first: Buffer;
  /** The rest of the provider's bytes. */
  rest: Pick<ReplyBody, "take" | "listen">;
  /** Reads what may follow the last frame, so that the socket can be used again. */
  release: () => void;
  /** Closes the connection to the provider. */
  abort: () => void;
  /** What the client is told where an error that the stream reports blames the request; else undefined. */
  blamed: (error: unknown) => Promise<RequestBlamed | undefined>;
}

/** Most calls are answered, so what reads refusals is loaded with the first. */
const readRefusal = () => import("../upstreams/read-refusal.ts");

/** What an attempt gives. */
export type AttemptAnswer = WholeAnswer | StreamAnswer;

/** The answer of the channel that answered. */
export type ChannelAnswer = AttemptAnswer & AnswerOrigin;

/** What is known of an answer beyond its attempt. */
export interface AnswerOrigin extends RouteTaken {
  /** Notes that the channel broke its stream off. */
  broke: () => void;
}

/** What an attempt is made with. */
interface Attempt {
  admitted: Admitted;
  candidate: Candidate<UpstreamRoute>;
  exchange: Exchange;
  access: Access;
  /** Unix milliseconds. */
  sent_at: number;
  /** How long the provider has for the head of its answer, and from there may be silent before the first frame; ms. */
  firstByteMs: number;
  /** Where the call is traced. */
  trace?: AttemptTrace | undefined;
  /** Aborts the provider. */
  signal: AbortSignal;
}

/** An attempt whose provider has begun to answer. */
interface AnsweredAttempt extends Attempt {
  /** What of the request no client may read in the answer. */
  confidential: Confidential;
}

/**
 * Makes one attempt. Throws `RequestBlamed` where the provider blames the request, and an error of `isProviderFault`
 * where the next channel may do better.
 */
export async function attempt(made: Attempt, deps: Pick<Deps, "send" | "now">): Promise<AttemptAnswer> {
  const { admitted, exchange } = made;
  const { answers } = exchange;
  const { call } = admitted;
  const { reply, confidential, dropped: spared } = await send(made, deps);
  const dropped = [...exchange.request.dropped, ...spared];
  const answered = { ...made, confidential };
  if (reply.status < 200 || reply.status > 299) {
    const { refusalIn } = await readRefusal();
    throw await refusalIn(reply, refusedOf(answered), deps.now());
  }
  if (isEncoded(reply)) throw await discard(reply, "encoded although identity was asked for");
  const streamed = contentType(reply).startsWith("text/event-stream");
  const { stream: client } = admitted.protocol;
  const streams = call.stream && client && answers.stream && { client, provider: answers.stream };
  // A client that asked for a whole answer reads it as JSON, whatever it is.
  if (streamed && !streams) {
    reply.body.destroy();
    throw new ProviderFault("a stream although a whole reply was asked for");
  }
  const base: Omit<AnswerBase, "timing"> = {
    status: reply.status,
    content_type: exchange.content_type ?? (streamed ? contentType(reply) : jsonType(reply)),
    dropped,
    served: {
      ...waysAsked(call.switches, { ...exchange.request, dropped }),
      ...answers.readHeaders?.(reply.headers),
    },
  };
  const answer =
    streamed && streams ? await openStream(reply, streams, answered) : await readWhole(reply, answered);
  return { ...base, ...answer, timing: timingOf(made, deps) };
}

/** By what a refusal of the attempt is read. */
function refusedOf({ admitted, candidate, confidential }: AnsweredAttempt): RefusedAttempt {
  const { call, size, account } = admitted;
  return {
    confidential,
    sides: sidesOf(admitted, candidate),
    carried: { ids: account !== undefined || call.unseen_input === true || size.stored === true },
  };
}

/** The timing of an attempt that ends, or whose answer begins, now. */
export function timingOf(
  { admitted: { request }, sent_at }: Pick<Attempt, "admitted" | "sent_at">,
  deps: Pick<Deps, "now">,
): AttemptTiming {
  return attemptTiming({ arrivedAt: request.received_at, sentAt: sent_at }, deps);
}

function send(
  { admitted, candidate, exchange, access, firstByteMs, trace, signal }: Attempt,
  deps: Pick<Deps, "send">,
): Promise<ProviderAnswer> {
  const { call, body, request, protocol: client } = admitted;
  const { protocol } = candidate.route;
  const asked = {
    method: "POST",
    path: protocol.upstreamPath(candidate.model, call),
    headers: {
      "content-type": exchange.request.content_type,
      accept: call.stream ? "text/event-stream" : "application/json",
      "accept-encoding": "identity",
      "user-agent": "model-gateway",
      // The headers of a client's own protocol mean nothing to a provider of another protocol.
      ...protocol.forwardHeaders?.(protocol === client ? request.headers : {}, body),
      ...trace?.headers,
    },
    body: exchange.request.body,
    connectMs: limits.upstreamConnectMs,
    firstByteMs,
    idleMs: limits.upstreamSilenceMs,
    signal,
  };
  const hosted = { protocol: protocol.name, model: candidate.model, stream: call.stream };
  return ask(asked, hosted, access, deps.send);
}

function contentType(reply: IncomingReply): string {
  return reply.headers["content-type"] ?? "application/json";
}

/**
 * The type of a whole reply, which is always JSON. SDKs give a body of any other type to the application as text
 * (protocols.md §1.3).
 */
function jsonType(reply: IncomingReply): string {
  const type = contentType(reply);
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type) ? type : "application/json";
}

function isEncoded(reply: IncomingReply): boolean {
  const encoding = reply.headers["content-encoding"];
  return encoding !== undefined && encoding !== "identity";
}

/** The fault of an unwanted reply. Reads its body to the end, so that the socket can be used again. */
async function discard(reply: IncomingReply, reason: string): Promise<ProviderFault> {
  await readAll(reply, limits.replyBytesMax).catch(() => {});
  return new ProviderFault(reason);
}

async function readWhole(
  reply: IncomingReply,
  made: AnsweredAttempt,
): Promise<Pick<WholeAnswer, "kind" | "bytes" | "facts">> {
  const { admitted, exchange } = made;
  const { call } = admitted;
  const bytes = await readAll(reply, limits.replyBytesMax);
  let facts: ReplyFacts;
  let finished: Buffer;
  try {
    facts = exchange.answers.readReply(bytes, call);
    finished = facts.failed || call.stream ? bytes : exchange.finish(bytes);
  } catch {
    throw new ProviderFault("a reply that cannot be read");
  }
  if (facts.failed) throw (await readRefusal()).refusalInside(bytes, refusedOf(made));
  // SDKs take JSON in place of a stream for an empty answer, without an error (protocols.md §1.3).
  if (call.stream) throw new ProviderFault("a whole reply although a stream was asked for");
  return { kind: "whole", bytes: finished, facts };
}

/** What stands in the place of a read that comes too late. */
const silent = Buffer.alloc(0);

/** Reads a stream up to its first frame. Where that is an error, or never comes, the next channel may still try. */
async function openStream(
  reply: IncomingReply,
  { client, provider }: { client: Streaming; provider: ProviderStreaming },
  made: AnsweredAttempt,
): Promise<Omit<StreamAnswer, keyof AnswerBase>> {
  const { admitted, exchange } = made;
  const { call, steps } = admitted;
  const reader = provider.createReader(call);
  // Only a stream that holds its output step by step may have to be stopped. The others are spared this reading.
  const relay = exchange.createRelay(provider, reader, steps && client.createStopper?.());
  const opening: Buffer[] = [];
  let bytes = 0;
  try {
    while (!relay.begun()) {
      const read = await within(reply.body.next(), made.firstByteMs, silent);
      if (read === silent) throw new ProviderFault("silent before its first frame");
      if (!read) throw new ProviderFault("a stream without a frame");
      bytes += read.length;
      if (bytes > limits.openingBytesMax) throw new ProviderFault("too much before the first frame");
      opening.push(relay.push(read));
    }
  } catch (error) {
    reply.body.destroy();
    if (error instanceof StreamFailed && error.frame)
      throw (await readRefusal()).refusalInFrame(error.frame, refusedOf(made));
    if (isProviderFault(error)) throw error;
    throw new ProviderFault(describeError(error));
  }
  return {
    kind: "stream",
    relay,
    reader,
    client,
    first: Buffer.concat(opening),
    rest: reply.body,
    release: () => void drain(reply),
    abort: () => reply.body.destroy(),
    async blamed(error) {
      if (!(error instanceof StreamFailed && error.frame)) return undefined;
      const { refusalInFrame } = await readRefusal();
      const refusal = refusalInFrame(error.frame, refusedOf(made));
      return refusal instanceof RequestBlamed ? refusal : undefined;
    },
  };
}

/** Reads the last bytes of a finished stream. A provider that keeps the socket open for too long loses it. */
async function drain({ body }: IncomingReply): Promise<void> {
  const timer = setTimeout(() => body.destroy(), limits.drainMs);
  try {
    while (await body.next()) {
      // Nobody reads what follows the last frame.
    }
  } catch {
    // The stream is over, so nothing is lost if the connection breaks now.
  } finally {
    clearTimeout(timer);
  }
}
