/** Finds the model that somebody names on the command line. */
import { normalName } from "#shared/books/accounts/pattern.ts";
import type { Catalog, Model } from "#shared/books/catalog/catalog.ts";
import { createCatalog, type ModelCatalog } from "#shared/books/catalog/models.ts";
import { nearestModels } from "#shared/books/catalog/nearest.ts";

/** The model of an id or another name. Throws for a name that no model has, with those that are nearest to it. */
export function modelNamed(catalog: Catalog, name: string, where: string): Model {
  return modelIn(createCatalog(catalog), name, where);
}

/** Does the same in an indexed catalog. */
export function modelIn(catalog: Pick<ModelCatalog, "find" | "models">, name: string, where: string): Model {
  const found = catalog.find(normalName(name));
  if (found) return found;
  const all = catalog.models();
  const provider = name.slice(0, name.indexOf("/") + 1);
  const ofProvider = nearestModels(
    name,
    all.filter(({ id }) => provider !== "" && id.startsWith(provider)),
  );
  const near = ofProvider.length > 0 ? ofProvider : nearestModels(name, all);
  const meant = near.length > 0 ? `did you mean ${near.join(" or ")}?` : "model list shows them all";
  throw new Error(`${where}: there is no model ${name}; ${meant}`);
}
