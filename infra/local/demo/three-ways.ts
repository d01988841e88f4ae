/** A model with three providers, for whoever wants to see how calls are routed. No deployed catalog has it. */
import type { ModelEntry, Provider } from "#shared/catalog/catalog.ts";
import file from "./three-ways.json" with { type: "json" };

const model = file as ModelEntry;

/** The model's id, and the names of its providers, whose weather can be set. */
export const threeWays = { id: model.id, providers: model.channels.map(({ provider }) => provider) };

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
  return { providers: Object.fromEntries(threeWays.providers.map((name) => [name, provider(name)])), model };
}
