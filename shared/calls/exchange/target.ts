/** What a request is made for: the provider's name for the model, and what the model takes there. */

import type { Fields } from "../../base/json/fields.ts";
import type { Channel, Model, ReadyChannel } from "../../books/catalog/catalog.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import type { Traits } from "../../books/catalog/traits.ts";
import type { Crossing, RequestTarget } from "../protocols/crossing.ts";
import { refuseInputs, refuseStops } from "../protocols/fitting/inputs.ts";
import type { UpstreamRoute } from "./upstream-route.ts";

/** What an encoder is told, and what the exchange with a channel depends on. */
export interface Target extends Required<Omit<RequestTarget, "places_points">> {
  /** To whom the signatures in the answers belong. */
  provider: string;
  /** Whose ids its answers bring (own-ids.ts). */
  secret: string;
  /** Whether this host takes requests in another form than the model's other hosts, so that a body is made to fit it. */
  fits: boolean;
}

/** The target of a model's channel. */
export function targetOf(
  model: Model,
  channel: Channel & Pick<ReadyChannel, "secret">,
  { dialect }: Pick<UpstreamRoute, "dialect">,
  { catalog }: { catalog: Pick<ModelCatalog, "traits"> },
): Target {
  return {
    provider: channel.provider,
    secret: channel.secret,
    model: channel.model,
    output_tokens: model.output_tokens,
    fits: channel.traits !== undefined,
    traits: catalog.traits(model, channel, dialect),
  };
}

/** Throws `invalid_request` for what the model does not take and the client would miss. */
export function refuseUntaken(body: Fields, client: Crossing, traits: Traits): void {
  const { inputs, stop } = client.asked(body);
  refuseInputs(inputs, traits.inputs);
  refuseStops(stop, traits.stop_max);
}
