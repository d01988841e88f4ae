/** What a provider is sent, and how its answer comes back: passed through, or translated (`translation.ts`). */
import { inputTokensGuess } from "../chat/estimate.ts";
import { mayHoldTag, originOf } from "../chat/signature.ts";
import type { CallEcho, Outgoing, Protocol } from "../protocols/protocol.ts";
import { accountOf } from "./account.ts";
import type { Clock, Exchange, ExchangedCall } from "./call.ts";
import { createRelay } from "./relay.ts";
import type { Target } from "./target.ts";
import type { Adapt } from "./translation.ts";
import { isCrossing, type UpstreamRoute } from "./upstream-route.ts";

/**
 * The exchange over a route. The first translation loads their code. Throws or rejects with `invalid_request` where
 * protocol or model cannot carry the request.
 */
export function createExchange(
  call: ExchangedCall,
  { protocol: upstream }: Pick<UpstreamRoute, "protocol">,
  target: Target,
  deps: Clock,
): Exchange | Promise<Exchange> {
  if (isCrossing(call.protocol, upstream)) {
    return import("./translation.ts").then(({ translate }) => translate(call, upstream, target, deps));
  }
  const fits = (call.adapts || target.fits) && upstream.crossing !== undefined;
  if (!fits) return passThrough(call, upstream, target);
  return import("./translation.ts").then(async ({ adaptOf }) =>
    passThrough(call, upstream, target, await adaptOf(upstream)),
  );
}

function passThrough(exchanged: ExchangedCall, upstream: Protocol, target: Target, change?: Adapt): Exchange {
  const { protocol, call, markersFor } = exchanged;
  const form = protocol.stream?.createForm?.(call);
  const mark = markersFor?.(accountOf(target));
  const finish = (bytes: Buffer) => upstream.finishReply?.(bytes, call, askedOf(exchanged)) ?? bytes;
  return {
    request: outgoing(exchanged, upstream, target, change),
    createRelay(stream, reader, stopper) {
      const relay = createRelay(stream, reader, { form, stopper });
      return mark ? mark.relay(relay) : relay;
    },
    finish: (bytes) => (mark ? mark.bytes(finish(bytes)) : finish(bytes)),
    answers: upstream,
    content_type: form?.content_type,
  };
}

function askedOf({ model, size }: ExchangedCall): CallEcho {
  return { model: model.id, input_tokens: inputTokensGuess(size, Number.POSITIVE_INFINITY) };
}

function outgoing(
  { body, call }: ExchangedCall,
  upstream: Protocol,
  target: Target,
  change: Adapt | undefined,
): Outgoing {
  const { model, traits } = target;
  if ("members" in body) {
    const fitted = change?.(body, traits) ?? { body, dropped: [] };
    const slices = upstream.passThrough(fitted.body, call, model, traits);
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
