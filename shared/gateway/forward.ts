/**
 * Sends an admitted call to the model's channels, one after the other until one answers. Nothing is
 * repeated once a frame of an answer has been read (design §4, upstream errors).
 */
import { GatewayError } from "../errors.ts";
import { limits } from "../limits.ts";
import { type IncomingReply, readAll, send, TransportError } from "../platform/http-client.ts";
import { describeError } from "../platform/log.ts";
import type { ReplyFacts, StreamReader } from "../protocols/protocol.ts";
import { authHeaders, type Candidate, candidatesFor } from "../upstreams/channels.ts";
import { blamesRequest, requestRefused } from "../upstreams/refusal.ts";
import type { Admitted } from "./admit.ts";
import type { Deps } from "./deps.ts";
import { createRelay, type Relay, StreamFailed } from "./relay.ts";

interface AnswerBase {
  provider: string;
  attempts: number;
  status: number;
  content_type: string;
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
  /** What may leave at once. */
  first: Buffer;
  /** The rest of the provider's bytes. */
  chunks: AsyncIterator<Buffer>;
  /** Reads what may follow the last frame, so that the socket can serve again. */
  release: () => void;
}

export type Answer = WholeAnswer | StreamAnswer;

/** A rejection after attempts were made: the entry says how many, and who was asked last. */
export class ForwardFailed extends Error {
  readonly rejection: GatewayError;
  readonly provider: string | null;
  readonly attempts: number;

  constructor(rejection: GatewayError, provider: string | null, attempts: number) {
    super(rejection.message);
    this.rejection = rejection;
    this.provider = provider;
    this.attempts = attempts;
  }
}

/** Throws `ForwardFailed` with `invalid_request`, `upstream_error` (something was tried) or `no_channel` (nothing could be). */
export async function forward(admitted: Admitted, signal: AbortSignal, deps: Deps): Promise<Answer> {
  const { model, protocol } = admitted;
  let provider: string | null = null;
  let attempts = 0;
  for (const candidate of candidatesFor(model, protocol.bases, (name) => deps.catalog.provider(name))) {
    const secret = await deps.secrets.provider(candidate.provider.secret);
    if (secret === undefined || signal.aborted) continue;
    provider = candidate.channel.provider;
    attempts += 1;
    try {
      return await attempt(admitted, candidate, secret, attempts, signal);
    } catch (error) {
      if (error instanceof GatewayError) throw new ForwardFailed(error, provider, attempts);
      if (!isProviderFault(error)) throw error;
      deps.log("warn", "upstream_failed", {
        request: admitted.request.id,
        model: model.id,
        provider: candidate.channel.provider,
        attempts,
        error: describeError(error),
      });
    }
  }
  const key = attempts > 0 ? "upstream_error" : "no_channel";
  throw new ForwardFailed(new GatewayError(key), provider, attempts);
}

/** A failure of the provider or the way to it: the next channel may do better. */
class ProviderFault extends Error {}

function isProviderFault(error: unknown): boolean {
  return error instanceof ProviderFault || error instanceof TransportError || error instanceof StreamFailed;
}

async function attempt(
  admitted: Admitted,
  { channel, provider, base_url }: Candidate,
  secret: string,
  attempts: number,
  signal: AbortSignal,
): Promise<Answer> {
  const { protocol, body, call, request } = admitted;
  const reply = await send({
    method: "POST",
    url: base_url + protocol.path,
    headers: {
      "content-type": "application/json",
      accept: call.stream ? "text/event-stream" : "application/json",
      "accept-encoding": "identity",
      "user-agent": "model-gateway",
      ...protocol.forwardHeaders(request.headers),
      ...authHeaders(provider, secret),
    },
    body: protocol.passThrough(body, call, channel.model),
    connectMs: limits.upstreamConnectMs,
    firstByteMs: limits.upstreamFirstByteMs,
    idleMs: limits.upstreamIdleMs,
    signal,
  });
  const base = {
    provider: channel.provider,
    attempts,
    status: reply.status,
    content_type: contentType(reply),
  };
  if (blamesRequest(reply.status)) throw requestRefused(await readAll(reply, limits.replyBytesMax), secret);
  if (reply.status < 200 || reply.status > 299) throw await discard(reply, `status ${reply.status}`);
  if (isEncoded(reply)) throw await discard(reply, "encoded although identity was asked for");
  if (base.content_type.startsWith("text/event-stream"))
    return { ...base, ...(await openStream(reply, admitted)) };
  return { ...base, ...(await readWhole(reply, admitted)) };
}

function contentType(reply: IncomingReply): string {
  return reply.headers["content-type"] ?? "application/json";
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
  { protocol, call }: Admitted,
): Promise<Pick<WholeAnswer, "kind" | "bytes" | "facts">> {
  const bytes = await readAll(reply, limits.replyBytesMax);
  // SDKs read JSON in place of a stream as an empty answer without an error (protocols.md §1.3).
  if (call.stream) throw new ProviderFault("a whole reply although a stream was asked for");
  let facts: ReplyFacts;
  try {
    facts = protocol.readReply(bytes);
  } catch {
    throw new ProviderFault("a reply that is no JSON object");
  }
  if (facts.failed) throw new ProviderFault("an error inside a 200");
  return { kind: "whole", bytes, facts };
}

/** Reads up to the first frame: an error there, or none at all, still lets the next channel try. */
async function openStream(
  reply: IncomingReply,
  { protocol, call }: Admitted,
): Promise<Omit<StreamAnswer, keyof AnswerBase>> {
  const reader = protocol.createReader(call);
  const relay = createRelay(protocol, reader);
  const chunks: AsyncIterator<Buffer> = reply.body.iterator({ destroyOnReturn: false });
  const opening: Buffer[] = [];
  try {
    while (!relay.begun()) {
      const { done, value } = await chunks.next();
      if (done) throw new ProviderFault("a stream without a frame");
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
    first: Buffer.concat(opening),
    chunks,
    release: () => drain(reply),
  };
}

/** Lets the last bytes of a finished stream run out; a provider that keeps the socket open loses it. */
function drain(reply: IncomingReply): void {
  const timer = setTimeout(() => reply.body.destroy(), limits.drainMs);
  reply.body.once("close", () => clearTimeout(timer));
  reply.body.once("error", () => {});
  reply.body.resume();
}
