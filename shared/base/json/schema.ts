/** Walking JSON Schemas, as clients send them for tools and answers. */
import { type Fields, isObject } from "./fields.ts";
import { mapItems } from "./map-items.ts";

/** Keywords whose values are instances and not schemas. */
const instances = new Set(["const", "enum", "default", "examples"]);

/** Keywords whose values hold schemas under names that are no keywords. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** A schema after a change of each one inside, innermost first. Members named `default` or `enum` are no keywords. */
export function mapSchemas(schema: unknown, change: (schema: Fields) => Fields): unknown {
  const map = (value: unknown): unknown => {
    if (Array.isArray(value)) return mapItems(value, map);
    return isObject(value) ? change(mapMembers(value, mapMember)) : value;
  };
  const mapMember = (value: unknown, key: string): unknown => {
    if (typeof value !== "object" || instances.has(key)) return value;
    return named.has(key) && isObject(value) ? mapMembers(value, map) : map(value);
  };
  return map(schema);
}

/** The root of a schema after a change of each schema inside it. */
export function mapSchema(schema: Fields, change: (schema: Fields) => Fields): Fields {
  return mapSchemas(schema, change) as Fields;
}

/** An object after a change of its values, or the same one where none changed: most schemas stay as they are. */
function mapMembers(fields: Fields, change: (value: unknown, key: string) => unknown): Fields {
  let next: Fields | undefined;
  for (const key in fields) {
    const value = fields[key];
    const changed = change(value, key);
    if (changed === value) continue;
    next ??= { ...fields };
    next[key] = changed;
  }
  return next ?? fields;
}
