/**
 * What is sent to a provider and how its answer comes back: untouched where both sides speak the same
 * protocol, through the neutral form where they do not.
 */
import type { Traits } from "../catalog/traits.ts";
import { inputTokensGuess } from "../chat/estimate.ts";
import type { ChatEvent, StreamDecoder } from "../chat/event.ts";
import { mayHoldTag, originOf, restoreSignatures, tag, tagEvent, tagPart } from "../chat/signature.ts";
import { createThinkSplitter, splitThinking } from "../chat/think-tags.ts";
import type { JsonBody } from "../json/body.ts";
import { exactValue } from "../json/exact.ts";
import type { Fields } from "../json/fields.ts";
import { patchBody } from "../json/patch.ts";
import { limits } from "../limits.ts";
import { bareId } from "../platform/id.ts";
import type { Crossing, ReplyTarget } from "../protocols/crossing.ts";
import { refuseInputs, refuseStops } from "../protocols/fitting/inputs.ts";
import { cannotRun, nativeName } from "../protocols/native-tools.ts";
import type { Asked, Outgoing, Protocol, Untagged } from "../protocols/protocol.ts";
import { readBody } from "../protocols/reply-body.ts";
import type { Streaming, StreamReader, StreamStopper } from "../protocols/streaming.ts";
import type { Decoded } from "./decode.ts";
import { createRelay, type Relay, StreamFailed, StreamOverflow, type Translation } from "./relay.ts";
import type { Way } from "./route.ts";
import type { Target } from "./target.ts";

export interface Exchange {
  request: Outgoing;
  /** `stream` is the provider's, which `reader` reads. The stopper follows one that may have to be stopped. */
  createRelay(stream: Streaming, reader: StreamReader, stopper: StreamStopper | undefined): Relay;
  /** The provider's whole reply as the client's. Throws `TypeError` when it cannot be read. */
  finish(bytes: Buffer): Buffer;
  /** The content type the client is given; undefined keeps the provider's. */
  content_type: string | undefined;
}

/**
 * The exchange with a provider that is spoken to in this way. Throws `invalid_request` where its protocol or the model
 * cannot carry the request.
 */
export function createExchange(
  decoded: Decoded,
  { protocol: upstream }: Pick<Way, "protocol">,
  target: Target,
): Exchange {
  const { crossing: from } = decoded.protocol;
  const { crossing: to } = upstream;
  if (!isCrossing(decoded.protocol, upstream) || !from || !to) return passThrough(decoded, upstream, target);
  return cross(decoded, { client: from, provider: to }, target);
}

/** Whether what a client says goes through the neutral form to reach a provider. */
export function isCrossing(client: Protocol, upstream: Protocol): boolean {
  return upstream !== client && Boolean(client.crossing && upstream.crossing);
}

function passThrough(decoded: Decoded, upstream: Protocol, target: Target): Exchange {
  const { protocol, call } = decoded;
  const form = protocol.stream?.createForm?.(call);
  return {
    request: outgoing(decoded, upstream, target),
    createRelay: (stream, reader, stopper) => createRelay(stream, reader, { form, stopper }),
    finish: (bytes) => upstream.finishReply?.(bytes, call, askedOf(decoded)) ?? bytes,
    content_type: form?.content_type,
  };
}

function askedOf({ model, size }: Decoded): Asked {
  return { model: model.id, input_tokens: inputTokensGuess(size, Number.POSITIVE_INFINITY) };
}

function outgoing({ body, call, adapts }: Decoded, upstream: Protocol, target: Target): Outgoing {
  const { model, traits } = target;
  if ("members" in body) {
    const crossing = adapts ? upstream.crossing : undefined;
    const fitted = crossing ? adapt(body, crossing, traits) : { body, dropped: [] };
    const bytes = upstream.passThrough(fitted.body, call, model);
    const dropped = [...(upstream.dropped?.(body) ?? []), ...fitted.dropped];
    return { content_type: "application/json", ...untagged({ bytes, dropped }, upstream, target) };
  }
  if (!upstream.forms) throw new TypeError(`${upstream.name} takes no forms`);
  return upstream.forms.passThrough(body, call, model);
}

/** A conversation that has gone through a crossing may bring tags; every other body stays byte for byte. */
function untagged(outgoing: Untagged, upstream: Protocol, target: Target): Untagged {
  if (!upstream.untag || !mayHoldTag(outgoing.bytes)) return outgoing;
  const { bytes, dropped } = upstream.untag(outgoing.bytes, originOf(target));
  return { bytes, dropped: [...outgoing.dropped, ...dropped] };
}

/** A client's body as the model takes it, with the client's own bytes wherever nothing had to change. */
function adapt(body: JsonBody, room: Crossing, traits: Traits): { body: JsonBody; dropped: string[] } {
  refuse(body.value, room, traits);
  const fitted = room.fitRequest(body.value, traits);
  return { body: patchBody(body, fitted.body), dropped: fitted.changes.map(({ own }) => own) };
}

/** Throws `invalid_request` for what a model does not take and a client would miss. */
function refuse(body: Fields, client: Crossing, traits: Traits): void {
  const { inputs, stop } = client.asked(body);
  refuseInputs(inputs, traits.inputs);
  refuseStops(stop, traits.stop_max);
}

function cross(
  decoded: Decoded,
  { client, provider }: { client: Crossing; provider: Crossing },
  target: Target,
): Exchange {
  const { body, call, model, size } = decoded;
  const origin = originOf(target);
  const given = "members" in body ? exactValue(body, client.exact) : body.value;
  const { request, dropped, native = [] } = client.decodeRequest(given);
  if (native.length > 0 && !decoded.drops_tools) throw cannotRun(native);
  refuse(body.value, client, target.traits);
  const restored = restoreSignatures(request.messages, origin);
  const asked = { ...request, messages: restored.messages, stream: call.stream };
  const encoded = provider.encodeRequest(asked, target);
  const fitted = provider.fitRequest(encoded.body, target.traits);
  const lost = fitted.changes.flatMap(({ neutral }) => neutral ?? []);
  const left = [...native.map(nativeName), ...dropped, ...restored.dropped, ...encoded.dropped, ...lost];
  const form = decoded.protocol.stream?.createForm?.(call);
  const replyTarget: ReplyTarget = {
    model: model.id,
    request: given,
    hide_usage: call.hide_usage,
    input_tokens: inputTokensGuess(size, model.context_tokens),
    unsigned: tag(origin, { signature: "" }),
  };
  return {
    request: {
      bytes: Buffer.from(JSON.stringify(fitted.body)),
      content_type: "application/json",
      dropped: [...new Set(left)],
    },
    createRelay(stream, reader, stopper) {
      const decoder = withThinking(provider.createDecoder(), target.traits);
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
      return createRelay(stream, reader, { translation, form, stopper });
    },
    finish(bytes) {
      const answer = provider.decodeReply(readBody(bytes, provider.exact));
      const reply = target.traits.think_tags ? splitThinking(answer) : answer;
      const parts = reply.parts.map((part) => tagPart(part, origin));
      const told = { ...reply, ...named(reply, decoded), parts };
      return Buffer.from(JSON.stringify(client.encodeReply(told, replyTarget)));
    },
    content_type: form?.content_type ?? (call.stream ? "text/event-stream" : "application/json"),
  };
}

/** The provider's events with the reasoning taken out of the text, where the model writes it there. */
function withThinking(decoder: StreamDecoder, { think_tags }: Traits): StreamDecoder {
  if (!think_tags) return decoder;
  const split = createThinkSplitter();
  return {
    push: (frame) => decoder.push(frame).flatMap(split),
    end: () => decoder.end().flatMap(split),
  };
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
