/**
 * Adds models to a catalog's own files, and takes them out. The catalog that ships never changes: one's own extends it.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type Fields, isObject } from "#shared/base/json/fields.ts";
import type { Catalog, ModelEntry, Provider } from "#shared/books/catalog/catalog.ts";
import { CatalogError, parseCatalog, readEntry } from "#shared/books/catalog/schema.ts";
import { catalogText } from "#shared/edges/operator/catalog-text.ts";
import type { WrittenModel } from "#shared/edges/operator/own-model.ts";
import {
  type CatalogFiles,
  type CatalogPart,
  checkedCatalog,
  commonName,
  readCatalogFiles,
} from "./catalog-files.ts";
import { defaultCatalog } from "./default-catalog.ts";
import { writeWhole } from "./write-whole.ts";

/** A catalog that own models are written to. */
export interface OwnCatalog {
  /** A file, or a folder. It may not be there yet. */
  path: string;
  files: CatalogFiles;
  catalog: Catalog;
  /** The catalog that ships, which the folder extends. */
  shipped: string;
}

/** A file to write, or to remove if it has no text any more. */
export interface FileChange {
  file: string;
  text: string | undefined;
}

/** What a change comes to: the files, and the catalog that they are then. */
export interface CatalogChange {
  changes: FileChange[];
  after: Catalog;
}

/** Reads the catalog at a path. A folder that is not there yet will extend the catalog `shipped`. */
export function openOwnCatalog(path: string, shipped: string = defaultCatalog): OwnCatalog {
  const files = readCatalogFiles(existsSync(path) ? path : shipped);
  return { path, files, catalog: checkedCatalog(files), shipped };
}

/** Adds a model, perhaps with its provider. Throws `CatalogError`, whose problems begin with the field of the model. */
export function withModel(
  own: OwnCatalog,
  model: WrittenModel,
  added: { name: string; provider: Omit<Provider, "auth"> } | undefined,
): CatalogChange {
  const { files, catalog } = own;
  const providers = added && { [added.name]: added.provider };
  const json = {
    ...files.json,
    providers: { ...(files.json.providers as Fields), ...providers },
    models: [...(files.json.models as unknown[]), model],
  };
  const read = readEntry(model, {
    ...catalog,
    providers: { ...catalog.providers, ...providers } as Catalog["providers"],
  });
  if ("problems" in read) throw new CatalogError(read.problems);
  const after = parseCatalog(json);
  const { file, json: before } = homeOf(own, model.channels?.[0]?.provider ?? "");
  const known = before.providers as Fields | undefined;
  const named = (known || providers) && { providers: { ...known, ...providers } };
  // What is there keeps its place in the file.
  const text = catalogText({ ...named, ...before, ...named, models: [...modelsOf(before), model] });
  return { changes: [...beginnings(own), { file, text }], after };
}

/**
 * Takes a model out, and its provider if nothing else names that. Throws an `Error` that says why, where the model is
 * not of the catalog's own files, or where other parts of the catalog name it.
 */
export function withoutModel(own: OwnCatalog, id: string): CatalogChange {
  const { files, catalog, path } = own;
  const part = files.parts.find(({ json }) => modelsOf(json).some((model) => model.id === id));
  if (!part) throw new Error(`there is no model ${id}`);
  if (!isOwn(own, part))
    throw new Error(
      `${id} is in ${part.file}, which ${path} extends: model remove takes out own models alone`,
    );
  const models = modelsOf(part.json).filter((model) => model.id !== id);
  const gone = providersLeft(catalog, id).filter(
    (name) => isObject(part.json.providers) && name in part.json.providers,
  );
  const kept = without((part.json.providers ?? {}) as Fields, gone);
  const json = {
    ...part.json,
    ...(isObject(part.json.providers) && { providers: kept }),
    models,
  };
  const after = parseCatalog({
    ...files.json,
    providers: without(files.json.providers as Fields, gone),
    models: (files.json.models as ModelEntry[]).filter((model) => model.id !== id),
  });
  return { changes: [{ file: part.file, text: textOf(own, part, json) }], after };
}

/** Writes the files. Each is written whole or not at all, and the vendor's comes last. */
export function applyChanges(changes: readonly FileChange[]): void {
  for (const { file, text } of changes) {
    if (text === undefined) rmSync(file, { force: true });
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeWhole(file, text);
    }
  }
}

/** The text of a file that has lost a model. A vendor's file with nothing in it goes. */
function textOf({ files }: OwnCatalog, { file }: CatalogPart, json: Fields): string | undefined {
  const isEmpty = Object.values(json).every((value) =>
    Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0,
  );
  const isVendors = files.isFolder && !file.endsWith(commonName);
  return isEmpty && isVendors ? undefined : catalogText(json);
}

/** The providers that nothing names once a model is gone. Video tasks may still be open at theirs. */
function providersLeft({ models }: Catalog, id: string): string[] {
  const model = models.find((each) => each.id === id);
  if (!model || model.capabilities.includes("video")) return [];
  const others = models.filter((each) => each !== model).flatMap(({ channels }) => channels);
  return model.channels
    .map(({ provider }) => provider)
    .filter((name) => !others.some(({ provider }) => provider === name));
}

/** Whether a file is the catalog's own, and not of the one that it extends. */
function isOwn({ path, files }: OwnCatalog, { file }: CatalogPart): boolean {
  if (!existsSync(path)) return false;
  const own = resolve(path);
  return files.isFolder ? dirname(resolve(file)) === own : resolve(file) === own;
}

/** The own file that a model of a provider goes to: the one that has the provider, or one of the provider's name. */
function homeOf(own: OwnCatalog, provider: string): Pick<CatalogPart, "file" | "json"> {
  const parts = own.files.parts.filter((part) => isOwn(own, part));
  if (existsSync(own.path) && !own.files.isFolder) return parts[0] ?? { file: own.path, json: {} };
  const file = join(own.path, `${provider}.json`);
  const has = ({ json }: CatalogPart) => isObject(json.providers) && provider in json.providers;
  return parts.find(has) ?? parts.find((part) => resolve(part.file) === resolve(file)) ?? { file, json: {} };
}

/** The common file of a folder that is not there yet. */
function beginnings({ path, shipped }: OwnCatalog): FileChange[] {
  if (existsSync(path)) return [];
  return [{ file: join(path, commonName), text: catalogText({ extends: relative(path, shipped) }) }];
}

function modelsOf({ models }: Fields): Partial<ModelEntry>[] {
  return Array.isArray(models) ? (models as Partial<ModelEntry>[]) : [];
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
