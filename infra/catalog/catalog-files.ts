/**
 * The files of a catalog: one JSON file, or a folder of `catalog.json` and a file for each vendor. A catalog may extend
 * another one. A problem is told at its file, line and column.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parse, type ValueNode } from "@humanwhocodes/momoa";
import { type Fields, isObject } from "#shared/base/json/fields.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { CatalogError, parseCatalog } from "#shared/books/catalog/schema.ts";

/** The file of a folder that has what belongs to no vendor. It is read first. */
export const commonName = "catalog.json";

/** One file: its path, its text, and what it says. */
export interface CatalogPart {
  file: string;
  text: string;
  json: Fields;
}

/** The files of a catalog, and the one catalog that they are together. It is not checked yet. */
export interface CatalogFiles {
  isFolder: boolean;
  /** All files that it is read from, those of the catalog that it extends before its own. */
  parts: CatalogPart[];
  json: Fields;
  /** The absolute paths of the catalog that it extends, of the one that that extends, and so on. */
  bases: readonly string[];
}

/** Members whose names come from several files. All others stand in one file. */
const joined = ["providers", "pricing_groups", "plans"];

/** The member that has further channels of models of the catalog that is extended, by the models' ids. */
const adding = "channels";

/** The member of the common file that names the catalog that this one extends, as a path relative to the file. */
const extending = "extends";

/**
 * Reads the catalog at a path, a file or a folder. With `extends` it has all that the other catalog has, and its own
 * providers, models and plans besides, and further channels of models of the other. Its other members stand in the place
 * of the other's. Throws `CatalogError` for a file that is no JSON object, and for anything that two files say. What is
 * said is checked by `checkedCatalog`.
 */
export function readCatalogFiles(path: string): CatalogFiles {
  return readAbove(path, []);
}

/** Reads a catalog that those at the paths `above` extend, the nearest one last. */
function readAbove(path: string, above: readonly string[]): CatalogFiles {
  const own = filesOf(path).map(readPart);
  const base = baseOf(own);
  const paths = [...above, resolve(path)];
  if (base !== undefined && paths.includes(base))
    throw new CatalogError([`${own[0]?.file}: ${extending} names ${base}, which extends this catalog`]);
  const below = base === undefined ? undefined : readAbove(base, paths);
  const problems: string[] = [];
  const json = withChannels(joinedWith(below, own, problems), own, problems);
  if (problems.length > 0) throw new CatalogError(problems);
  const bases = base === undefined ? [] : [base, ...(below?.bases ?? [])];
  return { isFolder: statSync(path).isDirectory(), parts: [...(below?.parts ?? []), ...own], json, bases };
}

/** What the files say together, above what the catalog below says. Adds what two of them say to `problems`. */
function joinedWith(
  below: CatalogFiles | undefined,
  own: readonly CatalogPart[],
  problems: string[],
): Fields {
  const json: Fields = { ...below?.json };
  const saidIn = new Map<string, string>();
  for (const { file, json: part } of below?.parts ?? [])
    for (const [name, value] of Object.entries(part))
      if (joined.includes(name) && isObject(value))
        for (const inner of Object.keys(value)) saidIn.set(`${name}.${inner}`, file);
  for (const { file, text, json: part } of own) {
    const once = (...path: string[]) => {
      const name = path.join(".");
      const before = saidIn.get(name);
      const place = () => placeIn({ file, text }, path);
      if (before !== undefined) problems.push(`${place()}: ${name} stands in ${before} too`);
      saidIn.set(name, basename(file));
    };
    for (const [name, value] of Object.entries(part)) {
      if (name === extending) continue;
      if (name === adding && isObject(value)) {
        for (const id of Object.keys(value)) once(name, id);
      } else if (name === "models" && Array.isArray(value)) {
        json.models = [...((json.models ?? []) as unknown[]), ...(value as unknown[])];
      } else if (joined.includes(name) && isObject(value)) {
        for (const inner of Object.keys(value)) once(name, inner);
        json[name] = { ...(json[name] as Fields | undefined), ...value };
      } else {
        once(name);
        json[name] = value;
      }
    }
  }
  return json;
}

/** The catalog with the further channels that its own files have. Each model has them behind those that it had. */
function withChannels(json: Fields, own: readonly CatalogPart[], problems: string[]): Fields {
  const added = new Map(own.flatMap((part) => Object.entries(channelsIn(part))));
  if (added.size === 0) return json;
  const ownIds = new Set(own.flatMap(({ json: { models } }) => idsOf(models)));
  const ids = new Set(idsOf(json.models));
  for (const part of own)
    for (const id of Object.keys(channelsIn(part)))
      if (!ids.has(id) || ownIds.has(id))
        problems.push(`${placeIn(part, [adding, id])}: no catalog that this one extends has the model ${id}`);
  const models = (json.models as Fields[]).map((model) => {
    const more = added.get(String(model.id));
    return more === undefined ? model : { ...model, channels: [...listOf(model.channels), ...listOf(more)] };
  });
  return { ...json, models };
}

function channelsIn({ json }: Pick<CatalogPart, "json">): Fields {
  const given = json[adding];
  return isObject(given) ? given : {};
}

function idsOf(models: unknown): string[] {
  return listOf(models).map((model) => (isObject(model) ? String(model.id) : ""));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The path of the catalog that these files extend. The first of them is the common one. */
function baseOf([common, ...others]: readonly CatalogPart[]): string | undefined {
  for (const { file, json } of others)
    if (extending in json) throw new CatalogError([`${file}: only ${commonName} may have ${extending}`]);
  const named = common?.json[extending];
  if (!common || named === undefined) return undefined;
  if (typeof named !== "string") throw new CatalogError([`${common.file}: ${extending} must be a path`]);
  const base = resolve(dirname(common.file), named);
  if (!existsSync(base))
    throw new CatalogError([`${common.file}: ${extending} names ${base}, which is not there`]);
  return base;
}

/** Reads a catalog and checks it, as `checkedCatalog` does. */
export function readCatalog(path: string): Catalog {
  return checkedCatalog(readCatalogFiles(path));
}

/** Checks what the files say together. Throws `CatalogError`, whose problems begin with file, line and column. */
export function checkedCatalog(files: CatalogFiles): Catalog {
  try {
    return parseCatalog(files.json);
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    throw new CatalogError(error.problems.map((problem) => located(files, problem)));
  }
}

/** The JSON files of a folder, the common one first, or the one file itself. */
function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => name.endsWith(".json"));
  if (!names.includes(commonName)) throw new CatalogError([`${path}: the folder has no ${commonName}`]);
  return [commonName, ...names.filter((name) => name !== commonName).sort()].map((name) => join(path, name));
}

function readPart(file: string): CatalogPart {
  const text = readFileSync(file, "utf8");
  try {
    const json: unknown = JSON.parse(text);
    if (isObject(json)) return { file, text, json };
  } catch (error) {
    throw new CatalogError([`${brokenAt(file, text)}: not JSON: ${(error as Error).message}`]);
  }
  throw new CatalogError([`${file}: a catalog is one JSON object`]);
}

/** Where a text stops being JSON, as `FILE:LINE:COLUMN`; the file alone where the reader of places takes it. */
function brokenAt(file: string, text: string): string {
  try {
    parse(text);
    return file;
  } catch (error) {
    const { line, column } = error as { line?: number; column?: number };
    return line === undefined || column === undefined ? file : `${file}:${line}:${column}`;
  }
}

/** A name or an index for each step from the top of a file. */
type Path = (string | number)[];

/** A problem with its place before it, as `FILE:LINE:COLUMN: `. It begins with its path in the whole catalog. */
export function located(files: CatalogFiles, problem: string): string {
  return `${placeOf(files, problem)}: ${problem}`;
}

/** The place of the path at the head of a text, as `FILE:LINE:COLUMN`. The path is one in the whole catalog. */
export function placeOf({ parts }: CatalogFiles, problem: string): string {
  const path = pathOf(problem);
  const [first = "", second] = path;
  let before = 0;
  for (const part of first === "models" && typeof second === "number" ? parts : []) {
    const { models } = part.json;
    if (!Array.isArray(models)) continue;
    const index = Number(second) - before;
    const model: unknown = models[index];
    if (isObject(model))
      return placeOfAdded(parts, model, path) ?? placeIn(part, ["models", index, ...path.slice(2)]);
    before += models.length;
  }
  // What a catalog says itself stands in the place of what the one says that it extends, which comes before.
  const part = parts.findLast(({ json }) => has(json, first, second));
  return part ? placeIn(part, path) : (parts[0]?.file ?? "");
}

/** The place of a channel that another catalog has added to a model; undefined where the path leads to none. */
function placeOfAdded(
  parts: readonly CatalogPart[],
  { id, channels }: Fields,
  [, , member, index, ...rest]: Path,
): string | undefined {
  if (member !== adding || typeof index !== "number") return undefined;
  let left = index - listOf(channels).length;
  for (const part of left < 0 ? [] : parts) {
    const added = listOf(channelsIn(part)[String(id)]);
    if (left < added.length) return placeIn(part, [adding, String(id), left, ...rest]);
    left -= added.length;
  }
  return undefined;
}

function has(json: Fields, first: string | number, second: string | number | undefined): boolean {
  const value = json[first];
  return value !== undefined && (second === undefined || !isObject(value) || second in value);
}

/** The deepest part of a path that a file has, as `FILE:LINE:COLUMN`. */
export function placeIn({ file, text }: Pick<CatalogPart, "file" | "text">, path: Readonly<Path>): string {
  let node = treeOf(text);
  let { line, column } = node.loc.start;
  for (const step of path) {
    const child = memberOf(node, step);
    if (!child) break;
    ({ line, column } = child.loc.start);
    node = child.value;
  }
  return `${file}:${line}:${column}`;
}

/** The places in the text that was asked about last: many problems are of one file. */
let known: { text: string; tree: ValueNode } | undefined;

function treeOf(text: string): ValueNode {
  if (known?.text !== text) known = { text, tree: parse(text).body };
  return known.tree;
}

/** The member or element at one step, with the line where it begins. */
function memberOf(node: ValueNode, step: string | number) {
  if (node.type === "Array") return node.elements[Number(step)];
  if (node.type !== "Object") return undefined;
  return node.members.find(({ name }) => name.type === "String" && name.value === String(step));
}

const step = /\.?(?:([\w-]+)|\[(\d{1,9})\]|\["([^"]{1,256})"\])/y;

/** The path at the head of a problem, such as `models[3].price.input`. */
function pathOf(problem: string): Path {
  const path: Path = [];
  step.lastIndex = 0;
  for (let found = step.exec(problem); found; found = step.exec(problem)) {
    const [, name, index, quoted] = found;
    path.push(index === undefined ? (name ?? quoted ?? "") : Number(index));
  }
  return path;
}
