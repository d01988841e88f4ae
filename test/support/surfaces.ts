/** The test catalog with a model and a provider for each vendor's own form of embeddings and pictures. */
import { catalogAt } from "./money.ts";

type Json = Record<string, unknown>;

const about = { created: 1_760_000_000, owned_by: "test" };
const bearer = { auth: "bearer", secret: "TEST_API_KEY" };

const embedding = (id: string, provider: string, change: Json = {}): Json => ({
  id,
  display_name: id,
  ...about,
  capabilities: ["embeddings"],
  context_tokens: 8_192,
  price: { mode: "flat_tokens", input: "0.1", output: "0", cache_read: "0.1", cache_write: "0.1" },
  channels: [{ provider, model: "upstream-embedding" }],
  ...change,
});

const image = (id: string, provider: string, capabilities: string[]): Json => ({
  id,
  display_name: id,
  ...about,
  capabilities,
  price: { mode: "per_image", unit_price: "0.2", rates: { tools: { web_search: "0.01" } } },
  discount_rate: "0.95",
  channels: [{ provider, model: "upstream-image" }],
});

/** Prices of texts and of pictures, in points per million tokens. */
const multimodal: Json = {
  id: "test/multimodal-1",
  display_name: "Multimodal 1",
  ...about,
  capabilities: ["multimodal_embeddings"],
  context_tokens: 131_072,
  media_tokens: 10_000,
  price: {
    mode: "flat_tokens",
    input: "0.125",
    output: "0",
    cache_read: "0.125",
    cache_write: "0.125",
    rates: { image_input: "0.325" },
  },
  channels: [{ provider: "multimodal", model: "upstream-multimodal" }],
};

/** A catalog with one model more, which embeds texts and pictures together. */
export function withMultimodal(catalog: unknown, url: string): unknown {
  const { providers, models, ...rest } = catalog as { providers: Json; models: Json[] };
  const provider = { protocols: { ark: `${url}/ark` }, ...bearer };
  return { ...rest, providers: { ...providers, multimodal: provider }, models: [...models, multimodal] };
}

/** Which provider a model has stands in its id: `gemini/embedding`, `ark/image`. */
export function surfacesCatalog(url: string): unknown {
  const base = catalogAt(url) as { providers: Json; models: Json[] };
  const catalog = {
    ...base,
    providers: {
      ...base.providers,
      openai: { protocols: { openai: `${url}/v1` }, ...bearer },
      gemini: { protocols: { gemini: url }, ...bearer },
      // As the real ones: Ark's and Zhipu's own base URL is also the one that speaks OpenAI's chat.
      ark: { protocols: { openai: `${url}/ark`, responses: `${url}/ark`, ark: `${url}/ark` }, ...bearer },
      zhipu: { protocols: { openai: `${url}/zhipu`, zhipu: `${url}/zhipu` }, ...bearer },
    },
    models: [
      ...base.models,
      ...["openai", "gemini", "ark", "zhipu"].map((name) => embedding(`${name}/embedding`, name)),
      image("openai/image", "openai", ["images", "image_edits", "stream"]),
      image("ark/image", "ark", ["images", "image_edits", "stream"]),
      image("zhipu/image", "zhipu", ["images"]),
    ],
  };
  return withMultimodal(catalog, url);
}
