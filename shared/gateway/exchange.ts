/**
 * What is sent to a provider and how its answer comes back: untouched where both sides speak the same
 * protocol, through the neutral form where they do not.
 */
import type { Channel } from "../catalog/catalog.ts";
import { inputTokensGuess } from "../chat/estimate.ts";
import type { ChatEvent } from "../chat/event.ts";
import { mayHoldTag, originOf, restoreSignatures, tag, tagEvent, tagPart } from "../chat/signature.ts";
import { mayChange, parseExactIn } from "../http/exact-json.ts";
import type { Fields } from "../http/fields.ts";
import { limits } from "../limits.ts";
import { bareId } from "../platform/id.ts";
import type { Crossing, ReplyTarget, RequestTarget } from "../protocols/crossing.ts";
import { crossings } from "../protocols/index.ts";
import { cannotRun, nativeName } from "../protocols/native-tools.ts";
import type { Asked, Outgoing, Protocol, StreamCut, StreamReader, Untagged } from "../protocols/protocol.ts";
import { readBody } from "../protocols/reply-body.ts";
import type { Decoded } from "./decode.ts";
import { createRelay, type Relay, StreamFailed, StreamOverflow, type Translation } from "./relay.ts";
import type { Way } from "./route.ts";

export interface Exchange {
  request: Outgoing;
  /** `cut` follows a stream that may have to be stopped. */
  createRelay(reader: StreamReader, cut: StreamCut | undefined): Relay;
  /** The provider's whole reply as the client's. Throws `TypeError` when it cannot be read. */
  finish(bytes: Buffer): Buffer;
  /** The content type the client is given; undefined keeps the provider's. */
  content_type: string | undefined;
}

/** Whose model is called, and by which name of the provider's. */
type Target = Pick<Channel, "provider" | "model">;

/**
 * The exchange with a channel's provider, which is spoken to in this way. Throws `invalid_request` where its protocol
 * cannot carry the request.
 */
export function createExchange(
  decoded: Decoded,
  { protocol: upstream, dialect }: Pick<Way, "protocol" | "dialect">,
  channel: Target,
): Exchange {
  const from = crossings[decoded.protocol.name];
  const to = crossings[upstream.name];
  if (!isCrossing(decoded.protocol, upstream) || !from || !to) return passThrough(decoded, upstream, channel);
  return cross(decoded, { client: from, provider: to }, upstream, channel, dialect);
}

/** Whether what a client says goes through the neutral form to reach a provider. */
export function isCrossing(client: Protocol, upstream: Protocol): boolean {
  return upstream !== client && Boolean(crossings[client.name] && crossings[upstream.name]);
}

function passThrough(decoded: Decoded, upstream: Protocol, channel: Target): Exchange {
  const { protocol, call } = decoded;
  const form = protocol.createForm?.(call);
  return {
    request: outgoing(decoded, upstream, channel),
    createRelay: (reader, cut) => createRelay(protocol, reader, { form, cut }),
    finish: (bytes) => upstream.finishReply?.(bytes, call, askedOf(decoded)) ?? bytes,
    content_type: form?.content_type,
  };
}

function askedOf({ model, size }: Decoded): Asked {
  return { model: model.id, input_tokens: inputTokensGuess(size, Number.POSITIVE_INFINITY) };
}

function outgoing({ body, call }: Decoded, upstream: Protocol, channel: Target): Outgoing {
  if ("members" in body) {
    const bytes = upstream.passThrough(body, call, channel.model);
    const dropped = upstream.dropped?.(body) ?? [];
    return { content_type: "application/json", ...untagged({ bytes, dropped }, upstream, channel) };
  }
  if (!upstream.forms) throw new TypeError(`${upstream.name} takes no forms`);
  return upstream.forms.passThrough(body, call, channel.model);
}

/** A conversation that has gone through a crossing may bring tags; every other body stays byte for byte. */
function untagged(outgoing: Untagged, upstream: Protocol, channel: Target): Untagged {
  if (!upstream.untag || !mayHoldTag(outgoing.bytes)) return outgoing;
  const { bytes, dropped } = upstream.untag(outgoing.bytes, originOf(channel));
  return { bytes, dropped: [...outgoing.dropped, ...dropped] };
}

function cross(
  decoded: Decoded,
  { client, provider }: { client: Crossing; provider: Crossing },
  upstream: Protocol,
  channel: Target,
  dialect: string,
): Exchange {
  const { call, model, size } = decoded;
  const origin = originOf(channel);
  const given = exactBody(decoded, client);
  const { request, dropped, native = [] } = client.decodeRequest(given);
  if (native.length > 0 && !decoded.drops_tools) throw cannotRun(native);
  const restored = restoreSignatures(request.messages, origin);
  const asked = { ...request, messages: restored.messages, stream: call.stream };
  const target: RequestTarget = { model: channel.model, output_tokens: model.output_tokens, dialect };
  const encoded = provider.encodeRequest(asked, target);
  const form = decoded.protocol.createForm?.(call);
  const replyTarget: ReplyTarget = {
    model: model.id,
    request: given,
    hide_usage: call.hide_usage,
    input_tokens: inputTokensGuess(size, model.context_tokens),
    unsigned: tag(origin, { signature: "" }),
  };
  return {
    request: {
      bytes: Buffer.from(JSON.stringify(encoded.body)),
      content_type: "application/json",
      dropped: [...new Set([...native.map(nativeName), ...dropped, ...restored.dropped, ...encoded.dropped])],
    },
    createRelay(reader, cut) {
      const decoder = provider.createDecoder();
      const encoder = client.createEncoder(replyTarget);
      let carried = 0;
      const write = (events: ChatEvent[]): Buffer[] =>
        events.flatMap((told) => {
          const event = tagEvent(told, origin);
          if (event.type === "error") throw new StreamFailed(event.message);
          carried += charsOf(event);
          if (carried > limits.crossedCharsMax) throw new StreamOverflow("more crossed than may be");
          return encoder.push(event.type === "reply-start" ? { ...event, ...named(event, decoded) } : event);
        });
      const translation: Translation = {
        push: (frame) => write(decoder.push(frame)),
        end: () => write(decoder.end()),
      };
      return createRelay(upstream, reader, { translation, form, cut });
    },
    finish(bytes) {
      const reply = provider.decodeReply(readBody(bytes, provider.exact));
      const parts = reply.parts.map((part) => tagPart(part, origin));
      const told = { ...reply, ...named(reply, decoded), parts };
      return Buffer.from(JSON.stringify(client.encodeReply(told, replyTarget)));
    },
    content_type: form?.content_type ?? (call.stream ? "text/event-stream" : "application/json"),
  };
}

/** The client's body. It is read once more where it has a number that would lose digits on its way. */
function exactBody({ body }: Decoded, { exact }: Crossing): Fields {
  if (!("members" in body) || !mayChange(body.bytes.toString("latin1"))) return body.value;
  return parseExactIn(body.bytes.toString("utf8"), exact) as Fields;
}

/** What an event adds at most to what an encoder keeps of the answer. */
function charsOf(event: ChatEvent): number {
  if ("text" in event) return event.text.length;
  if ("arguments" in event) return event.arguments.length;
  const isKept = event.type === "tool-call-start" || event.type === "reasoning-end";
  return isKept ? JSON.stringify(event).length : 0;
}

/** Id and time of a reply whose provider told none: our request's own. */
function named(
  reply: { id: string; created: number },
  { request }: Decoded,
): { id: string; created: number } {
  return {
    id: reply.id || bareId(request.id),
    created: reply.created || Math.floor(request.received_at / 1000),
  };
}
