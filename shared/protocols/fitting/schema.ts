/** JSON Schema without the keywords that a model refuses. */
import { isObject } from "../../json/fields.ts";
import type { Draft } from "./draft.ts";

/** Keywords whose values are instances and not schemas. */
const instances = new Set(["const", "enum", "default", "examples"]);

/** Keywords whose values hold schemas under names that are no keywords. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** The schema without these keywords, the same object where it has none of them. What was found is added to `found`. */
function withoutKeywords(schema: unknown, refused: readonly string[], found: Set<string>): unknown {
  if (Array.isArray(schema)) {
    return sameOr(schema, (item) => withoutKeywords(item, refused, found));
  }
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema);
  const kept = entries.flatMap(([key, value]): [string, unknown][] => {
    if (refused.includes(key)) {
      found.add(key);
      return [];
    }
    if (instances.has(key)) return [[key, value]];
    if (!named.has(key) || !isObject(value)) return [[key, withoutKeywords(value, refused, found)]];
    const inner = Object.entries(value);
    const next = inner.map(([name, member]) => [name, withoutKeywords(member, refused, found)] as const);
    const isSame = next.every(([, member], index) => member === inner[index]?.[1]);
    return [[key, isSame ? value : Object.fromEntries(next)]];
  });
  const isSame = kept.length === entries.length && kept.every(([, value], at) => value === entries[at]?.[1]);
  return isSame ? schema : Object.fromEntries(kept);
}

/** An array after a change of its items, or the same one where none changed. */
function sameOr<Item>(items: readonly Item[], change: (item: Item) => unknown): readonly unknown[] {
  const changed = items.map(change);
  return changed.every((item, at) => item === items[at]) ? items : changed;
}

/** Takes refused keywords out of the schema at a path, each named behind the path. */
export function fitSchema(draft: Draft, path: string, refused: readonly string[] | undefined): void {
  const schema = draft.at(path);
  if (!isObject(schema) || !refused?.length) return;
  const found = new Set<string>();
  draft.set(path, withoutKeywords(schema, refused, found));
  for (const keyword of found) draft.name(`${path}.${keyword}`, `format.schema.${keyword}`);
}

/** The same for the schemas of tools: only those of strict tools are held to what the model takes. */
export function fitStrictTools(draft: Draft, at: string[], refused: readonly string[] | undefined): void {
  const tools = draft.at("tools");
  if (!Array.isArray(tools) || !refused?.length) return;
  const found = new Set<string>();
  const [member = "", inner] = at;
  const fitTool = (tool: unknown): unknown => {
    const holder = isObject(tool) && inner !== undefined ? tool[member] : tool;
    if (!isObject(tool) || !isObject(holder) || holder.strict !== true) return tool;
    const name = inner ?? member;
    const schema = withoutKeywords(holder[name], refused, found);
    if (schema === holder[name]) return tool;
    const fitted = { ...holder, [name]: schema };
    return inner === undefined ? fitted : { ...tool, [member]: fitted };
  };
  draft.set("tools", sameOr(tools, fitTool));
  for (const keyword of found) draft.name(`tools.${at.join(".")}.${keyword}`, `tools.parameters.${keyword}`);
}
