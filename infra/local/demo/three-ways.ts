/** A model with three providers, for whoever wants to see how calls are routed. No deployed catalog has it. */
import type { ModelEntry, Provider } from "#shared/catalog/catalog.ts";

/** The model's id, and the names of its providers, whose weather can be set. */
export const threeWays = { id: "demo/three-ways", providers: ["north", "south", "west"] } as const;

/** The model, and its providers at the demo provider's address. `secret` is the name of their credential. */
export function threeWaysAt(
  demoUrl: string,
  secret: string,
): { providers: Record<string, Provider>; model: ModelEntry } {
  const provider = (name: string): Provider => {
    const base = (protocol: string) => `${demoUrl}/${name}/${protocol}`;
    const protocols = {
      openai: base("openai"),
      responses: base("responses"),
      anthropic: base("anthropic"),
      gemini: base("gemini"),
    };
    return { protocols, auth: "bearer", secret };
  };
  const model: ModelEntry = {
    id: threeWays.id,
    aliases: [],
    display_name: "Three ways",
    created: Date.UTC(2026, 10, 22) / 1000,
    owned_by: "demo",
    capabilities: ["chat", "stream", "tools"],
    context_tokens: 200_000,
    output_tokens: 8_192,
    media_tokens: null,
    price: { mode: "flat_tokens", input: "1", output: "4", cache_read: "0.1", cache_write: "1.25" },
    pricing_group: null,
    price_source: null,
    discount_rate: "1",
    permission: null,
    strict: false,
    video: null,
    channels: threeWays.providers.map((name) => ({
      ...{ provider: name, model: "three-ways", priority: 1, weight: 1 },
    })),
  };
  return { providers: Object.fromEntries(threeWays.providers.map((name) => [name, provider(name)])), model };
}
