/** Walking JSON Schemas, as clients send them for tools and answers. */
import { type Fields, isObject } from "./fields.ts";

/** Keywords whose values are instances and not schemas. */
const instances = new Set(["const", "enum", "default", "examples"]);

/** Keywords whose values hold schemas under names that are no keywords. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/**
 * A schema after a change of each schema inside it, the innermost first. It is the same object where nothing changed.
 * A member that a client names `default` or `enum` is a member, and no keyword.
 */
export function mapSchemas(schema: unknown, change: (schema: Fields) => Fields): unknown {
  if (Array.isArray(schema)) return mapItems(schema, (item) => mapSchemas(item, change));
  // A number with its digits is no schema.
  if (!isObject(schema) || JSON.isRawJSON(schema)) return schema;
  const inner = mapMembers(schema, (value, key) => {
    if (instances.has(key)) return value;
    if (!named.has(key) || !isObject(value)) return mapSchemas(value, change);
    return mapMembers(value, (member) => mapSchemas(member, change));
  });
  return change(inner);
}

/** The root of a schema after a change of each schema inside it. */
export function mapSchema(schema: Fields, change: (schema: Fields) => Fields): Fields {
  return mapSchemas(schema, change) as Fields;
}

/** An object after a change of its values, or the same one where none changed. */
function mapMembers(fields: Fields, change: (value: unknown, key: string) => unknown): Fields {
  const entries = Object.entries(fields);
  const next = entries.map(([key, value]) => [key, change(value, key)] as const);
  return next.every(([, value], at) => value === entries[at]?.[1]) ? fields : Object.fromEntries(next);
}

/** An array after a change of its items, or the same one where none changed. */
export function mapItems<Item>(items: readonly Item[], change: (item: Item) => unknown): readonly unknown[] {
  const next = items.map(change);
  return next.every((item, at) => item === items[at]) ? items : next;
}
