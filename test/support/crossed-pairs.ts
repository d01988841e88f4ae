/** Requests from one protocol to another, without a gateway around them. */
import type { Traits } from "#shared/catalog/traits.ts";
import { restoreSignatures } from "#shared/chat/signature.ts";
import { GatewayError } from "#shared/errors.ts";
import { type Bounded, bounded } from "#shared/protocols/bounds/bounded.ts";
import { bounds } from "#shared/protocols/bounds/table.ts";
import type { CrossingName } from "#shared/protocols/crossing.ts";
import { crossings } from "#shared/protocols/crossings.ts";
import { refuseInputs } from "#shared/protocols/fitting/inputs.ts";
import { origin } from "./signatures.ts";
import type { Vendor } from "./strictness.ts";

type Json = Record<string, unknown>;

const vendors: Record<CrossingName, Vendor> = {
  "openai-chat": "openai",
  "openai-responses": "responses",
  anthropic: "anthropic",
  gemini: "gemini",
};

interface Side {
  name: CrossingName;
  vendor: Vendor;
}

/** Every protocol that crosses, with the vendor whose rules it has. */
export const sides = (Object.entries(vendors) as [CrossingName, Vendor][]).map(
  ([name, vendor]): Side => ({ name, vendor }),
);

/** Every pair of two protocols. */
export const pairs = sides.flatMap((client) =>
  sides.filter(({ name }) => name !== client.name).map((provider) => ({ client, provider })),
);

type Crossed = { body: Json; back: Bounded["back"]; refused?: undefined } | { refused: string };

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
    return { body: JSON.parse(JSON.stringify(body)) as Json, back: within.back };
  } catch (error) {
    if (error instanceof GatewayError) return { refused: error.detail.param ?? error.message };
    throw error;
  }
}
