/** What of a catalog is called at a cloud by a credential of the cloud's own kind, for `operator doctor`. */
import type { Capability, Catalog, Channel, Provider } from "../../books/catalog/catalog.ts";
import { isKeyAuth } from "../../books/catalog/credential.ts";

/** A provider at a cloud, and its own names for the models that are called there. */
export interface CloudProvider {
  name: string;
  provider: Provider;
  /** Those that chat. */
  models: readonly string[];
  /** Those that make vectors. */
  vectors: readonly string[];
}

/**
 * The providers of a catalog that know callers by a cloud's credential, in their order. Those that only make pictures or
 * videos are left out, because the shortest question to one costs as much as any.
 */
export function cloudProviders({
  providers,
  models,
}: Pick<Catalog, "providers" | "models">): CloudProvider[] {
  const called = (capability: Capability) =>
    Map.groupBy(
      models
        .filter(({ capabilities }) => capabilities.includes(capability))
        .flatMap((entry) => entry.channels),
      ({ provider }) => provider,
    );
  const [chats, embeddings] = [called("chat"), called("embeddings")];
  const namesIn = (channels: readonly Pick<Channel, "model">[] = []) => [
    ...new Set(channels.map(({ model }) => model)),
  ];
  return Object.entries(providers).flatMap(([name, provider]) => {
    const [chat, vector] = [namesIn(chats.get(name)), namesIn(embeddings.get(name))];
    if (chat.length + vector.length === 0 || isKeyAuth(provider.auth)) return [];
    return { name, provider, models: chat, vectors: vector };
  });
}
