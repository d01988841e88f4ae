/** A catalog whose models stand in every relation to the price lists of `price-lists.ts`. */
import type { Price } from "#shared/books/billing/pricing/price.ts";
import type { CatalogJson } from "#shared/books/prices/import.ts";

export const rates = (input: string, output: string, cache_read: string, cache_write: string) => {
  return { input, output, cache_read, cache_write };
};
export const flat = (...[input, output, read, write]: [string, string, string, string]): Price => {
  return { mode: "flat_tokens", ...rates(input, output, read, write) };
};
const chat = (id: string, provider: string, model: string, more: object) => ({
  id,
  display_name: id,
  created: 1,
  owned_by: id.split("/")[0],
  capabilities: ["chat", "stream"],
  context_tokens: 1000,
  output_tokens: 1000,
  ...more,
  channels: [{ provider, model }],
});

/** Its file; each call gives a fresh one. */
export function file(): CatalogJson {
  const protocols = { openai: "https://api.example/v1" };
  const providers = ["openai", "gemini", "zhipu", "volcengine", "minimax", "byteplus"];
  return {
    version: "1",
    providers: Object.fromEntries(providers.map((name) => [name, { protocols, secret: "KEY" }])),
    pricing_groups: {
      nano: { ...flat("0.2", "1", "0.02", "0.2"), rates: { service_tier: { flex: "0.5" } } },
    },
    models: [
      chat("openai/luna", "openai", "gpt-5.6-luna", { price: flat("1", "1", "0.02", "0.25") }),
      chat("openai/nano", "openai", "gpt-5-4-nano", { pricing_group: "nano" }),
      chat("google/flash", "gemini", "gemini-3.5-flash", {
        price: {
          ...flat("1.5", "9", "0.15", "1.5"),
          rates: { audio_input: "1", tools: { google_search: "0.014", google_maps: "0.014" } },
        },
        price_source: { source: "before", as_of: "2026-11-19" },
      }),
      chat("zhipu/glm", "zhipu", "glm-5", {
        price: flat("2", "3.2", "0.2", "1"),
        price_source: { source: "the vendor", as_of: "2026-11-21" },
      }),
      chat("volcengine/seed", "volcengine", "seed-old", {
        aliases: ["volcengine/seed-pro"],
        price: flat("0.46", "2.3", "0.1", "0.46"),
      }),
      chat("volcengine/vectors", "volcengine", "seed-embedding", {
        capabilities: ["embeddings"],
        price: flat("0.07", "0", "0.07", "0.07"),
      }),
      chat("minimax/off", "minimax", "off", { price: flat("1", "1", "1", "1") }),
      chat("minimax/old", "minimax", "M1", { price: flat("1", "1", "1", "1") }),
      chat("byteplus/seed", "byteplus", "seed", { price: flat("1", "1", "1", "1") }),
      chat("minimax/picture", "minimax", "picture", {
        capabilities: ["images"],
        price: { mode: "per_image", unit_price: "0.003" },
      }),
    ],
    plans: {},
  } as unknown as CatalogJson;
}
