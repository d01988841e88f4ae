/** Gemini's `Schema`, a subset of OpenAPI 3.0 in proto-JSON, as JSON Schema (protocols.md §6.2, pitfall 11). */
import { exactInteger } from "../../../../base/json/exact.ts";
import { type Fields, isObject } from "../../../../base/json/fields.ts";
import { camelKeys } from "../names.ts";

/** Keys that only order or illustrate. */
const ornaments = new Set(["propertyOrdering", "example"]);

/** Counts are 64-bit in proto-JSON, which may write them as strings. */
const counts = new Set(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]);

/** The JSON Schema that means the same. Unknown keys are kept as they are. */
export function toJsonSchema(value: unknown): Fields {
  if (!isObject(value)) return {};
  const { type, nullable, ...rest } = camelKeys(value);
  const schema: Fields = {};
  const name = typeof type === "string" ? type.toLowerCase() : type;
  if (name !== undefined && name !== "type_unspecified")
    schema.type = nullable === true ? [name, "null"] : name;
  for (const [key, member] of Object.entries(rest)) {
    if (!ornaments.has(key)) schema[key] = convert(key, member);
  }
  if (nullable !== true) return schema;
  if (Array.isArray(schema.enum)) schema.enum = [...schema.enum, null];
  if (Array.isArray(schema.anyOf)) schema.anyOf = [...schema.anyOf, { type: "null" }];
  return schema;
}

function convert(key: string, member: unknown): unknown {
  if (counts.has(key)) return typeof member === "string" ? exactInteger(member) : member;
  if (key === "items" || (key === "additionalProperties" && isObject(member))) return toJsonSchema(member);
  if (key === "anyOf" && Array.isArray(member)) return member.map(toJsonSchema);
  if (key === "properties" && isObject(member)) {
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [name, toJsonSchema(inner)]));
  }
  return member;
}
