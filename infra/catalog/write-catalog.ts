/** Writes a catalog as files, in the form in which it was read: one file, or a folder with a file of each vendor. */
import { existsSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isObject } from "#shared/base/json/fields.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { CatalogJson } from "#shared/books/prices/import.ts";
import { catalogText } from "#shared/edges/operator/catalog-text.ts";
import type { CatalogFiles, CatalogPart } from "./catalog-files.ts";
import { writeWhole } from "./write-whole.ts";

/**
 * Writes `json` to `out`, a file or a folder as `files` were. What was there stays in its file, and new models go to
 * their first provider's. Throws for what a deploy would not take, and over what is there without `force`.
 */
export function writeCatalog(out: string, files: CatalogFiles, json: CatalogJson, force: boolean): void {
  parseCatalog(JSON.parse(JSON.stringify(json)));
  checkWhole(files);
  if (existsSync(out) && !force) throw new Error(`${out} is there already: --force writes over it`);
  const texts = partsOf(files, json).map((part) => [part.file, catalogText(part.json)] as const);
  if (!files.isFolder) {
    for (const [, text] of texts) writeWhole(out, text);
    return;
  }
  mkdirSync(out, { recursive: true });
  for (const [file, text] of texts) writeWhole(join(out, basename(file)), text);
}

/** Throws for a catalog that extends another: most of what it says stands in the other's files. */
export function checkWhole({ bases: [base] }: CatalogFiles): void {
  if (base !== undefined) throw new Error(`this catalog extends ${base}: give that one by --catalog`);
}

/** Writes files of a catalog over themselves. `json` is the whole catalog that they will be. Throws as `writeCatalog`. */
export function writeChanged(parts: readonly Pick<CatalogPart, "file" | "json">[], json: CatalogJson): void {
  parseCatalog(JSON.parse(JSON.stringify(json)));
  for (const { file, json: part } of parts) writeWhole(file, catalogText(part));
}

/** What each file says of a changed catalog. */
export function partsOf({ parts }: CatalogFiles, json: CatalogJson): Pick<CatalogPart, "file" | "json">[] {
  const ids = parts.map(({ json: { models } }) => new Set(namesOf(models)));
  const homeOf = (model: CatalogJson["models"][number]) => {
    const known = ids.findIndex((own) => own.has(model.id));
    if (known >= 0) return known;
    const provider = model.channels?.[0]?.provider ?? "";
    return parts.findIndex(({ json: { providers } }) => isObject(providers) && provider in providers);
  };
  const models = Map.groupBy(json.models, homeOf);
  return parts.map(({ file, json: before }, index) => {
    const own = models.get(index) ?? [];
    const kept = Object.entries(before).map(([name, value]) => [name, changed(name, value, json)]);
    const all = { ...Object.fromEntries(kept), ...(own.length > 0 && { models: own }) };
    return { file, json: all };
  });
}

/** A member of a file, with the values that the catalog has for it now. */
function changed(name: string, before: unknown, json: CatalogJson): unknown {
  const now = (json as unknown as Record<string, unknown>)[name];
  if (!isObject(before) || !isObject(now)) return now;
  return Object.fromEntries(Object.keys(before).map((inner) => [inner, now[inner]]));
}

function namesOf(models: unknown): unknown[] {
  return Array.isArray(models) ? models.map((model) => (isObject(model) ? model.id : undefined)) : [];
}
