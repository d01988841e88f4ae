/** A catalog of makers and hosts, and what a list adds to it. */
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { additionsOf, withChannels } from "#shared/books/prices/additions.ts";
import { compare } from "#shared/books/prices/drift.ts";
import { type CatalogJson, readPriceList, withPrices } from "#shared/books/prices/import.ts";
import { flat } from "#test/support/price-catalog.ts";

export const day = "2026-11-20";
export const source = { source: "a list", as_of: day };
export const pointsPerUsd = { digits: 1n, places: 0 };

/** The catalog that comes of a list of which all is added. The whole of it must pass the check. */
export function adding(json: CatalogJson, text: string, hosts: "channels" | "models" = "channels") {
  const catalog = parseCatalog(structuredClone(json));
  const list = readPriceList(text, day).models;
  const terms = { pointsPerUsd, as_of: source.as_of, providers: new Map(), wanted: () => true };
  const compared = compare(catalog, list, terms);
  const added = additionsOf(compared.fresh, catalog, compared.prices, { source, pointsPerUsd, hosts });
  const priced = withChannels(
    withPrices(json, catalog, compared.prices, () => source),
    added,
  );
  const next = { ...priced, models: [...priced.models, ...added.entries] };
  return { list, catalog, compared, added, next, parsed: parseCatalog(structuredClone(next)) };
}

/** Rows of LiteLLM's form, each of them complete if nothing else is said. */
export function listOf(rows: Record<string, object>): string {
  const whole = {
    mode: "chat",
    input_cost_per_token: 1e-6,
    output_cost_per_token: 2e-6,
    cache_read_input_token_cost: 1e-7,
    max_input_tokens: 1000,
    max_output_tokens: 1000,
  };
  const of = (name: string) => ({ litellm_provider: name.slice(0, name.indexOf("/")) });
  return JSON.stringify(
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...whole, ...of(name), ...row }])),
  );
}

/** A catalog of two makers and two hosts of others' models. */
export function hosted(): CatalogJson {
  const one = { protocols: { openai: "https://api.example/v1" }, secret: "KEY" };
  const model = (id: string, channels: object[]) => ({
    id,
    display_name: id,
    created: 1,
    owned_by: id.split("/")[0],
    capabilities: ["chat", "stream"],
    context_tokens: 1000,
    output_tokens: 1000,
    price: flat("1", "2", "0.1", "1"),
    channels,
  });
  const bedrock = { protocols: { anthropic: "https://host.example/anthropic" }, secret: "KEY" };
  return {
    version: "1",
    providers: { fireworks: one, bedrock, zhipu: one, minimax: one },
    models: [
      model("zhipu/glm-5", [{ provider: "zhipu", model: "glm-5" }]),
      model("minimax/MiniMax-M2", [{ provider: "minimax", model: "MiniMax-M2" }]),
    ],
    plans: {},
  } as unknown as CatalogJson;
}
