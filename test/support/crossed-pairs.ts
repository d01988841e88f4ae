/** Requests from one protocol to another, without a gateway around them. */

import { refusalOf, type Vendor } from "#infra/local/demo/strictness.ts";
import { GatewayError } from "#shared/base/errors.ts";
import type { Traits } from "#shared/books/catalog/traits.ts";
import { restoreSignatures } from "#shared/calls/chat/signature.ts";
import { type BoundedRequest, bounded } from "#shared/calls/protocols/bounds/bounded.ts";
import { bounds } from "#shared/calls/protocols/bounds/table.ts";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { refuseInputs } from "#shared/calls/protocols/fitting/inputs.ts";
import { crossings } from "./crossings.ts";
import { origin } from "./signatures.ts";

type Json = Record<string, unknown>;

const vendors: Record<CrossingName, Vendor> = {
  "openai-chat": "openai",
  "openai-responses": "responses",
  anthropic: "anthropic",
  gemini: "gemini",
  "bedrock-converse": "converse",
};

export interface Side {
  name: CrossingName;
  vendor: Vendor;
}

/** Every chat protocol, with the vendor whose rules it has. */
export const sides = (Object.entries(vendors) as [CrossingName, Vendor][]).map(
  ([name, vendor]): Side => ({ name, vendor }),
);

/** Every pair of two protocols. */
export const pairs = sides.flatMap((client) =>
  sides.filter(({ name }) => name !== client.name).map((provider) => ({ client, provider })),
);

/** With the stop sequences that the client asked for. */
type Crossed =
  | { body: Json; back: BoundedRequest["back"]; stops: readonly string[]; refused?: undefined }
  | { refused: string };

/** A client's body as a provider is sent it for a model, or why it is refused. */
export function crossed(
  client: CrossingName,
  provider: CrossingName,
  given: Json,
  { model, traits }: { model: string; traits: Traits } = { model: "upstream", traits: {} },
): Crossed {
  try {
    const { request } = crossings[client].decodeRequest(structuredClone(given));
    const { messages } = restoreSignatures(request.messages, origin);
    const within = bounded({ ...request, messages }, bounds[provider], traits);
    const encoded = crossings[provider].encodeRequest(within.request, {
      model,
      traits,
      output_tokens: 4_000,
    });
    refuseInputs(crossings[client].asked(given).inputs, traits.inputs);
    const { body } = crossings[provider].fitRequest(encoded.body, traits);
    const sent = JSON.parse(JSON.stringify(body)) as Json;
    return { body: sent, back: within.back, stops: request.stop };
  } catch (error) {
    if (error instanceof GatewayError) return { refused: error.detail.param ?? error.message };
    throw error;
  }
}

/** What is wrong with what a vendor is sent for a client's body, or nothing. */
export function faultOf(client: Side, provider: Side, given: Json): string | undefined {
  return faultIn(provider, crossed(client.name, provider.name, given));
}

/**
 * What is wrong with what a provider is sent, or nothing. The vendor may refuse it, or it is refused here without a word.
 * A stop sequence may be lost, which neither goes up nor cuts the answer.
 */
export function faultIn(provider: Side, sent: Crossed): string | undefined {
  if (sent.refused !== undefined) return /\w/.test(sent.refused) ? undefined : "refused without a word";
  const refusal = refusalOf(provider.vendor, "upstream", sent.body);
  if (refusal) return `${refusal.rule}: ${JSON.stringify(refusal.body)}`;
  const { stop, stop_sequences, generationConfig, inferenceConfig } = sent.body as Record<
    string,
    { stopSequences?: string[] }
  >;
  const settings = generationConfig ?? inferenceConfig;
  const told = [stop ?? stop_sequences ?? settings?.stopSequences ?? []].flat();
  const isKept = told.length === sent.stops.length || sent.back.stops.length === sent.stops.length;
  return isKept ? undefined : "a stop sequence is lost";
}
