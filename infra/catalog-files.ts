/**
 * The files of a catalog: one JSON file, or a folder of them. In a folder `catalog.json` has the plans and what is sold.
 * Each other file has one vendor's providers and models. A problem is told at its file and line.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { parse, type ValueNode } from "@humanwhocodes/momoa";
import type { Catalog } from "#shared/catalog/catalog.ts";
import { CatalogError, parseCatalog } from "#shared/catalog/schema.ts";
import { type Fields, isObject } from "#shared/json/fields.ts";

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
  parts: CatalogPart[];
  json: Fields;
}

/** Members whose names come from several files. All others stand in one file. */
const joined = ["providers", "pricing_groups", "plans"];

/**
 * Reads the catalog at a path, a file or a folder. Throws `CatalogError` for a file that is no JSON object, and for
 * anything that two files say. What is said is checked by `checkedCatalog`.
 */
export function readCatalogFiles(path: string): CatalogFiles {
  const parts = filesOf(path).map(readPart);
  const problems: string[] = [];
  const json: Fields = {};
  const saidIn = new Map<string, string>();
  for (const { file, json: part } of parts) {
    const once = (name: string) => {
      const before = saidIn.get(name);
      if (before !== undefined) problems.push(`${file}: ${name} stands in ${before} too`);
      saidIn.set(name, basename(file));
    };
    for (const [name, value] of Object.entries(part)) {
      if (name === "models" && Array.isArray(value)) {
        json.models = [...((json.models ?? []) as unknown[]), ...(value as unknown[])];
      } else if (joined.includes(name) && isObject(value)) {
        for (const inner of Object.keys(value)) once(`${name}.${inner}`);
        json[name] = { ...(json[name] as Fields | undefined), ...value };
      } else {
        once(name);
        json[name] = value;
      }
    }
  }
  if (problems.length > 0) throw new CatalogError(problems);
  return { isFolder: statSync(path).isDirectory(), parts, json };
}

/** Reads a catalog and checks it, as `checkedCatalog` does. */
export function readCatalog(path: string): Catalog {
  return checkedCatalog(readCatalogFiles(path));
}

/** Checks what the files say together. Throws `CatalogError`, whose problems begin with file and line. */
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
    throw new CatalogError([`${file}: not JSON: ${(error as Error).message}`]);
  }
  throw new CatalogError([`${file}: a catalog is one JSON object`]);
}

/** A name or an index for each step from the top of a file. */
type Path = (string | number)[];

/** A problem with its place before it, as `FILE:LINE: `. It begins with its path in the whole catalog. */
export function located({ parts }: CatalogFiles, problem: string): string {
  const path = pathOf(problem);
  const [first = "", second] = path;
  let before = 0;
  for (const part of parts) {
    const models = first === "models" && typeof second === "number" ? part.json.models : undefined;
    if (Array.isArray(models)) {
      const index = Number(second) - before;
      if (index < models.length) return `${lineOf(part, ["models", index, ...path.slice(2)])}: ${problem}`;
      before += models.length;
    } else if (has(part.json, first, second)) return `${lineOf(part, path)}: ${problem}`;
  }
  return `${parts[0]?.file}: ${problem}`;
}

function has(json: Fields, first: string | number, second: string | number | undefined): boolean {
  const value = json[first];
  return value !== undefined && (second === undefined || !isObject(value) || second in value);
}

/** The deepest part of a path that a file has, as `FILE:LINE`. */
function lineOf({ file, text }: CatalogPart, path: Path): string {
  let node: ValueNode = parse(text).body;
  let line = node.loc.start.line;
  for (const step of path) {
    const child = memberOf(node, step);
    if (!child) break;
    line = child.loc.start.line;
    node = child.value;
  }
  return `${file}:${line}`;
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
