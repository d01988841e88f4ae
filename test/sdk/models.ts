/** The models of the matrix: entries of the default catalog, each behind a provider that speaks one protocol only. */
import type { Catalog, ModelEntry, ProviderProtocol } from "#shared/books/catalog/catalog.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { catalogFile } from "#test/support/default-catalog.ts";

/** The default catalog, completed. */
export const shipped = parseCatalog(structuredClone(catalogFile));

/** Each model's id with the protocol that its provider speaks here, and the path of that protocol's base URL. */
export const chatModels = {
  "openai/gpt-5.4": { speaks: "openai", base: "/v1" },
  "openai/gpt-5.6-sol": { speaks: "responses", base: "/v1" },
  "anthropic/claude-haiku-4-5": { speaks: "anthropic", base: "" },
  "anthropic/claude-opus-4-8": { speaks: "anthropic", base: "" },
  "google/gemini-2.5-flash": { speaks: "gemini", base: "" },
  "google/gemini-3.5-flash": { speaks: "gemini", base: "" },
  "zhipu/glm-4-6v": { speaks: "zhipu", base: "/api/paas/v4" },
} as const satisfies Record<string, { speaks: ProviderProtocol; base: string }>;
export type ChatModel = keyof typeof chatModels;

/** Models of embeddings. Both answer with `vector`. */
export const embeddingModels = {
  "openai/text-embedding-3-small": { speaks: "openai", base: "/v1" },
  "google/gemini-embedding-001": { speaks: "gemini", base: "" },
} as const satisfies Record<string, { speaks: ProviderProtocol; base: string }>;

/** The id of the model that refuses every call, as one whose context the request does not fit. */
export const tooLong = (model: ChatModel): string => `${model}-too-long`;

/** The default catalog's entries with their traits and prices, behind providers at these addresses. */
export function matrixCatalog({ chats, embeddings }: { chats: string; embeddings: string }): object {
  const rows = [
    ...Object.entries(chatModels).map(([id, row]) => ({ id, ...row, url: chats })),
    ...Object.entries(embeddingModels).map(([id, row]) => ({ id, ...row, url: embeddings })),
  ];
  const models = rows.flatMap(({ id, speaks, base, url }) => {
    const entry = shipped.models.find((model) => model.id === id);
    const provider = entry && shipped.providers[entry.channels[0]?.provider ?? ""];
    if (!entry || !provider) throw new Error(`the default catalog has no ${id}`);
    const name = id.replace(/[^a-z0-9]/g, "-");
    const own = { ...provider, protocols: { [speaks]: url + base }, secret: "TEST_API_KEY" };
    return [{ entry, name, own }];
  });
  const { pricing_groups, plans, payg } = shipped;
  return {
    version: "2026-11-22",
    providers: Object.fromEntries(models.map(({ name, own }) => [name, own])),
    pricing_groups,
    models: models.flatMap(({ entry, name }) => {
      if (!(entry.id in chatModels)) return [at(entry, name)];
      const refusing = { ...at(entry, name, "too-long"), id: tooLong(entry.id as ChatModel), aliases: [] };
      return [at(entry, name), refusing];
    }),
    plans: Object.fromEntries(
      Object.entries(plans).map(([name, plan]) => [name, { ...plan, models: ["*"] }]),
    ),
    payg,
  } satisfies Omit<Catalog, "models"> & { models: object[] };
}

function at(entry: ModelEntry, provider: string, model?: string): ModelEntry {
  const name = model ?? entry.channels[0]?.model ?? "";
  return { ...entry, channels: [{ provider, model: name, priority: 1, weight: 1 }] };
}
