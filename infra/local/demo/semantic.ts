/** An embedder and a judge with a small vocabulary, to see the cache compare meanings. No deployed catalog has them. */
import type { ModelEntry, SemanticModels } from "#shared/books/catalog/catalog.ts";
import file from "./semantic.json" with { type: "json" };

/** The models as a catalog has them, their provider, and what the catalog says of them at its top. */
export const semantic = file as { provider: string; models: ModelEntry[]; cache: SemanticModels };
