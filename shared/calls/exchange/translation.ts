/** An exchange between two chat protocols, by way of the neutral form (shared/calls/chat). */

import type { JsonBody } from "../../base/json/body.ts";
import { exactValue } from "../../base/json/exact.ts";
import type { Fields } from "../../base/json/fields.ts";
import { patchBody } from "../../base/json/patch.ts";
import { limits } from "../../base/limits.ts";
import { bareId } from "../../base/platform/id.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import type { Traits } from "../../books/catalog/traits.ts";
import { inputTokensGuess } from "../chat/estimate.ts";
import type { ChatEvent, StreamDecoder } from "../chat/event.ts";
import { originOf, restoreSignatures, tag, tagEvent, tagPart } from "../chat/signature.ts";
import { createThinkSplitter, splitThinking } from "../chat/think-tags.ts";
import type { ServedWays } from "../chat/ways.ts";
import { type Back, createEventsBack, replyBack } from "../protocols/bounds/answers.ts";
import { bounded } from "../protocols/bounds/bounded.ts";
import { bounds, type ProtocolBounds } from "../protocols/bounds/table.ts";
import type { Crossing, CrossingName, ReplyTarget } from "../protocols/crossing.ts";
import { crossingOf } from "../protocols/crossings.ts";
import { refuseInputs } from "../protocols/fitting/inputs.ts";
import { cannotRun, nativeName } from "../protocols/native-tools.ts";
import type { Outgoing, Protocol } from "../protocols/protocol.ts";
import { readBody } from "../protocols/reply-body.ts";
import type { Clock, Exchange, ExchangedCall } from "./call.ts";
import { createRelay, StreamFailed, StreamOverflow, type Translation } from "./relay.ts";
import { refuseUntaken, type Target } from "./target.ts";
import { wordAcross } from "./ways-across.ts";

interface Sides {
  client: Crossing;
  provider: Crossing;
  target: Target;
  /** What the provider's protocol takes of names and texts. */
  within: ProtocolBounds;
  /** To whom the signatures in the provider's answers belong. */
  origin: string;
}

/** A call translated for a provider asked in `upstream`. Rejects with `invalid_request` for what cannot be carried. */
export async function translate(
  exchanged: ExchangedCall,
  upstream: Protocol,
  target: Target,
  { now }: Clock,
): Promise<Exchange> {
  const { call, protocol, body } = exchanged;
  if (upstream.load) await upstream.load();
  // Most are at hand. To wait for them all the same would cost each call that crosses.
  const [client, provider] = [crossingOf(nameOf(protocol)), crossingOf(nameOf(upstream))];
  const sides = {
    client: client instanceof Promise ? await client : client,
    provider: provider instanceof Promise ? await provider : provider,
    within: bounds[nameOf(upstream)],
    target,
    origin: originOf(target),
  };
  const given = "members" in body ? exactValue(body, sides.client.exact) : body.value;
  const { request, back } = translateRequest(exchanged, given, sides, upstream);
  const form = protocol.stream?.createForm?.(call);
  const reply = replyTarget(exchanged, given, sides, now);
  return {
    request,
    createRelay: (stream, reader, stopper) =>
      createRelay(stream, reader, {
        translation: translateStream(exchanged, reply, back, sides),
        form,
        stopper,
      }),
    finish: (bytes) => translateReply(bytes, exchanged, reply, back, sides),
    answers: upstream,
    content_type: form?.content_type ?? (call.stream ? "text/event-stream" : "application/json"),
  };
}

/**
 * Makes a body one that a model takes, in the client's bytes where they fit. It throws `invalid_request` for what the
 * model does not take and the client would miss.
 */
export type Adapt = (body: JsonBody, traits: Traits) => { body: JsonBody; dropped: string[] };

/** What adapts bodies of a protocol. */
export async function adaptOf(protocol: Protocol): Promise<Adapt> {
  const room = await crossingOf(nameOf(protocol));
  return (body, traits) => {
    refuseUntaken(body.value, room, traits);
    const fitted = room.fitRequest(body.value, traits);
    return { body: patchBody(body, fitted.body), dropped: fitted.changes.map(({ own }) => own) };
  };
}

function nameOf({ name, crossing }: Protocol): CrossingName {
  if (!crossing) throw new TypeError(`${name} has no crossing`);
  return crossing;
}

/** The provider's request with what it could not take from the client's, and how the answer finds back. */
function translateRequest(
  { body, call, model, drops_tools, cache_points }: ExchangedCall,
  given: Fields,
  { client, provider, within, target, origin }: Sides,
  upstream: Protocol,
): { request: Outgoing; back: Back } {
  const { request, dropped, native = [] } = client.decodeRequest(given);
  if (native.length > 0 && !drops_tools) throw cannotRun(native);
  refuseInputs(client.asked(body.value).inputs, target.traits.inputs);
  const restored = restoreSignatures(request.messages, origin);
  const { sent: ways, left } = waysAcross(request.ways, upstream, model);
  const asked = bounded(
    { ...request, messages: restored.messages, ways, stream: call.stream },
    within,
    target.traits,
  );
  // A request with tools is hardly ever the last of its conversation, because their results come back.
  const places_points = cache_points === undefined ? request.tools.length > 0 : cache_points === "auto";
  const encoded = provider.encodeRequest(asked.request, { ...target, places_points });
  const fitted = provider.fitRequest(encoded.body, target.traits);
  const lost = fitted.changes.flatMap(({ neutral }) => neutral ?? []);
  const before = [...native.map(nativeName), ...dropped, ...left, ...restored.dropped, ...asked.dropped];
  const sent = {
    body: [Buffer.from(JSON.stringify(fitted.body))],
    content_type: "application/json",
    dropped: [...new Set([...before, ...encoded.dropped, ...lost])],
    ways,
  };
  return { request: sent, back: asked.back };
}

/** What a provider is asked for, in its own words, and the names of the ways that are left out. */
function waysAcross(
  asked: ServedWays = {},
  upstream: Protocol,
  { price }: Pick<Model, "price">,
): { sent: ServedWays; left: string[] } {
  const sent: ServedWays = {};
  const left: string[] = [];
  for (const way of ["service_tier", "speed"] as const) {
    const name = asked[way];
    const word = name === undefined ? undefined : wordAcross(way, name, upstream, price);
    if (word !== undefined) sent[way] = word;
    else if (name !== undefined) left.push(way);
  }
  return { sent, left };
}

/** What the client's encoders are told of the call. */
function replyTarget(
  { model, call, size, request }: ExchangedCall,
  given: Fields,
  { origin }: Sides,
  now: () => number,
): ReplyTarget {
  return {
    model: model.id,
    request: given,
    hide_usage: call.hide_usage,
    input_tokens: inputTokensGuess(size, model.context_tokens),
    unsigned: tag(origin, { signature: "" }),
    latency_ms: () => Math.max(0, now() - request.received_at),
  };
}

function translateStream(
  exchanged: ExchangedCall,
  reply: ReplyTarget,
  back: Back,
  { client, provider, target, origin }: Sides,
): Translation {
  const decoder = withThinking(provider.createDecoder(), target.traits);
  const encoder = client.createEncoder(reply);
  const eventsBack = createEventsBack(back);
  let carried = 0;
  const write = (events: ChatEvent[]): Buffer[] =>
    eventsBack(events).flatMap((told) => {
      const event = tagEvent(told, origin);
      if (event.type === "error") throw new StreamFailed(event.message);
      carried += charsOf(event);
      if (carried > limits.crossedCharsMax) throw new StreamOverflow("more crossed than may be");
      return encoder.push(event.type === "reply-start" ? { ...event, ...named(event, exchanged) } : event);
    });
  return {
    push: (frame) => write(decoder.push(frame)),
    end: () => write(decoder.end()),
  };
}

/** The provider's events. Where the model writes its reasoning into the text, it is taken out of it. */
function withThinking(decoder: StreamDecoder, { think_tags }: Traits): StreamDecoder {
  if (!think_tags) return decoder;
  const split = createThinkSplitter();
  return {
    push: (frame) => decoder.push(frame).flatMap(split),
    end: () => decoder.end().flatMap(split),
  };
}

/** How many characters an event adds at most to what an encoder keeps of the answer. */
function charsOf(event: ChatEvent): number {
  if ("text" in event) return event.text.length;
  if ("arguments" in event) return event.arguments.length;
  const isKept = event.type === "tool-call-start" || event.type === "reasoning-end";
  return isKept ? JSON.stringify(event).length : 0;
}

/** The provider's whole reply as the client's. Throws `TypeError` where it cannot be read. */
function translateReply(
  bytes: Buffer,
  exchanged: ExchangedCall,
  reply: ReplyTarget,
  back: Back,
  { client, provider, target, origin }: Sides,
): Buffer {
  const answer = provider.decodeReply(readBody(bytes, provider.exact));
  const split = target.traits.think_tags ? splitThinking(answer) : answer;
  const parts = split.parts.map((part) => tagPart(part, origin));
  const told = { ...replyBack({ ...split, parts }, back), ...named(split, exchanged) };
  return Buffer.from(JSON.stringify(client.encodeReply(told, reply)));
}

/** The id and time of a reply. Where the provider gives none, our own request's stand in. */
function named(
  reply: { id: string; created: number },
  { request }: ExchangedCall,
): { id: string; created: number } {
  return {
    id: reply.id || bareId(request.id),
    created: reply.created || Math.floor(request.received_at / 1000),
  };
}
