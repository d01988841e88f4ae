/** What of a catalog is called at a cloud by a credential of the cloud's own kind, for `operator doctor`. */
import type { Catalog, Provider } from "../../books/catalog/catalog.ts";
import { isKeyAuth } from "../../books/catalog/credential.ts";

/** A provider at a cloud, and its own names for the chat models that are called there. */
export interface CloudProvider {
  name: string;
  provider: Provider;
  models: readonly string[];
}

/** The providers of a catalog that know callers by a cloud's credential, in their order. Those without a chat are left out. */
export function cloudProviders({
  providers,
  models,
}: Pick<Catalog, "providers" | "models">): CloudProvider[] {
  const chats = models.filter(({ capabilities }) => capabilities.includes("chat"));
  const channels = Map.groupBy(
    chats.flatMap((entry) => entry.channels),
    ({ provider }) => provider,
  );
  return Object.entries(providers).flatMap(([name, provider]) => {
    const called = channels.get(name);
    if (!called || isKeyAuth(provider.auth)) return [];
    return { name, provider, models: [...new Set(called.map(({ model }) => model))] };
  });
}
