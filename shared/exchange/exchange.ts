/**
 * What a provider is sent, and how its answer comes back. Where both sides speak the same protocol the body passes
 * through, changed in as few bytes as possible. Else it is translated by way of the neutral form (`translation.ts`).
 */
import type { Traits } from "../catalog/traits.ts";
import { inputTokensGuess } from "../chat/estimate.ts";
import { mayHoldTag, originOf } from "../chat/signature.ts";
import type { JsonBody } from "../json/body.ts";
import { patchBody } from "../json/patch.ts";
import type { Crossing } from "../protocols/crossing.ts";
import type { Asked, Outgoing, Protocol } from "../protocols/protocol.ts";
import type { Exchange, ExchangedCall } from "./call.ts";
import { createRelay } from "./relay.ts";
import { refuseUntaken, type Target } from "./target.ts";
import { translate } from "./translation.ts";
import { isCrossing, type UpstreamRoute } from "./upstream-route.ts";

/**
 * The exchange over a route. Throws `invalid_request` where the provider's protocol or the model cannot carry the
 * request.
 */
export function createExchange(
  call: ExchangedCall,
  { protocol: upstream }: Pick<UpstreamRoute, "protocol">,
  target: Target,
): Exchange {
  const { crossing: client } = call.protocol;
  const { crossing: provider } = upstream;
  if (!isCrossing(call.protocol, upstream) || !client || !provider)
    return passThrough(call, upstream, target);
  return translate(call, { client, provider, target, origin: originOf(target) });
}

function passThrough(exchanged: ExchangedCall, upstream: Protocol, target: Target): Exchange {
  const { protocol, call } = exchanged;
  const form = protocol.stream?.createForm?.(call);
  return {
    request: outgoing(exchanged, upstream, target),
    createRelay: (stream, reader, stopper) => createRelay(stream, reader, { form, stopper }),
    finish: (bytes) => upstream.finishReply?.(bytes, call, askedOf(exchanged)) ?? bytes,
    content_type: form?.content_type,
  };
}

function askedOf({ model, size }: ExchangedCall): Asked {
  return { model: model.id, input_tokens: inputTokensGuess(size, Number.POSITIVE_INFINITY) };
}

function outgoing({ body, call, adapts }: ExchangedCall, upstream: Protocol, target: Target): Outgoing {
  const { model, traits } = target;
  if ("members" in body) {
    const crossing = adapts ? upstream.crossing : undefined;
    const fitted = crossing ? adapt(body, crossing, traits) : { body, dropped: [] };
    const slices = upstream.passThrough(fitted.body, call, model);
    const dropped = [...(upstream.dropped?.(body) ?? []), ...fitted.dropped];
    const sent = { body: slices, content_type: "application/json", dropped };
    return upstream.untag ? untagged(sent, upstream.untag, target) : sent;
  }
  if (!upstream.forms) throw new TypeError(`${upstream.name} takes no forms`);
  return upstream.forms.passThrough(body, call, model);
}

/** Takes the tags out of a conversation that has been translated before. Every other body stays byte for byte. */
function untagged(outgoing: Outgoing, untag: NonNullable<Protocol["untag"]>, target: Target): Outgoing {
  // A slice begins and ends between two tokens of JSON, so no tag lies across two.
  if (!outgoing.body.some(mayHoldTag)) return outgoing;
  const { bytes, dropped } = untag(Buffer.concat(outgoing.body), originOf(target));
  return { ...outgoing, body: [bytes], dropped: [...outgoing.dropped, ...dropped] };
}

/** A client's body as the model takes it. The client's own bytes stay wherever nothing has to change. */
function adapt(body: JsonBody, room: Crossing, traits: Traits): { body: JsonBody; dropped: string[] } {
  refuseUntaken(body.value, room, traits);
  const fitted = room.fitRequest(body.value, traits);
  return { body: patchBody(body, fitted.body), dropped: fitted.changes.map(({ own }) => own) };
}
