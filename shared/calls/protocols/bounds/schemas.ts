/** Schemas as a protocol's vendors take them, with as small a loss as can be. It is named (crossings.md "Bounds"). */
import { type Fields, isAbsent, isObject } from "../../../base/json/fields.ts";
import { mapSchema } from "../../../base/json/schema.ts";
import { withoutMembers } from "../native-tools.ts";

/** What a vendor wants of every schema. */
export interface SchemaForm {
  /** The root is one object, and no choice among several. */
  plain_root?: true;
  /** An object says its properties, and an array its items. */
  complete?: true;
  /** Beside a reference stand these members alone. */
  beside_ref?: readonly string[];
}

/** Combinations of schemas, which a root may not be. `not` has no branches that could be merged. */
const combinations = ["allOf", "anyOf", "oneOf"] as const;
const rootRefused = [...combinations, "enum", "not"];

/** A tool's schema in this form. What it loses is added to `dropped`. */
export function schemaIn(form: SchemaForm, schema: Fields, dropped: Set<string>): Fields {
  const root = form.plain_root ? plainRoot(schema, dropped) : schema;
  return mapSchema(root, (each) => {
    const known =
      form.beside_ref && Object.hasOwn(each, "$ref") ? besideRef(each, form.beside_ref, dropped) : each;
    return form.complete ? complete(known) : known;
  });
}

/** One object with the members of all branches. Required are those of `allOf`, and what every branch requires. */
function plainRoot(schema: Fields, dropped: Set<string>): Fields {
  if (schema.type === "object" && !rootRefused.some((key) => Object.hasOwn(schema, key))) return schema;
  const properties: Fields = isObject(schema.properties) ? { ...schema.properties } : {};
  const required = new Set(namesIn(schema.required));
  for (const key of combinations) {
    const branches = Array.isArray(schema[key]) ? schema[key].filter(isObject) : [];
    for (const branch of branches) {
      for (const [name, member] of Object.entries(isObject(branch.properties) ? branch.properties : {})) {
        properties[name] ??= member;
      }
    }
    const lists = branches.map((branch) => namesIn(branch.required));
    const binding =
      key === "allOf"
        ? lists.flat()
        : (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)));
    for (const name of binding) required.add(name);
  }
  for (const key of rootRefused) if (Object.hasOwn(schema, key)) dropped.add(`tools.parameters.${key}`);
  return {
    ...withoutMembers(schema, [...rootRefused, "required"]),
    type: "object",
    properties,
    ...(required.size > 0 && { required: [...required] }),
  };
}

function namesIn(required: unknown): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** Whether the schema names this type, alone or among others. */
function hasType({ type }: Fields, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

/** An object without properties gets none of them, and an array without items takes any. */
function complete(schema: Fields): Fields {
  if (schema.type === "object" && !isObject(schema.properties)) return { ...schema, properties: {} };
  return hasType(schema, "array") && isAbsent(schema.items) ? { ...schema, items: {} } : schema;
}

function besideRef(schema: Fields, kept: readonly string[], dropped: Set<string>): Fields {
  const others = Object.keys(schema).filter((key) => key !== "$ref" && !kept.includes(key));
  for (const key of others) dropped.add(`tools.parameters.${key}`);
  return others.length > 0 ? withoutMembers(schema, others) : schema;
}

/** The schema with every object closed that says nothing of it. */
export function closed(schema: Fields): Fields {
  return mapSchema(schema, (each) =>
    each.type === "object" && isAbsent(each.additionalProperties)
      ? { ...each, additionalProperties: false }
      : each,
  );
}

/** Keywords that OpenAI's strict schemas do not have (its structured outputs guide). */
const strictRefused = [
  ...["allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else"],
  ...["patternProperties", "propertyNames", "unevaluatedProperties", "minProperties", "maxProperties"],
  ...["unevaluatedItems", "contains", "minContains", "maxContains", "uniqueItems", "default"],
];

/** A schema that OpenAI holds a model to. */
interface Strictened {
  schema: Fields;
  /** Members that became nullable because the vendor requires all of them. A null of one means that it is not there. */
  optional: Set<string>;
}

/** A strict schema as OpenAI takes it (crossings.md "Bounds"). Undefined if an object is open or the root is none. */
export function strictened(schema: Fields, dropped: Set<string>): Strictened | undefined {
  const optional = new Set<string>();
  const ownNulls = new Set<string>();
  let isOpen = schema.type !== "object";
  const strict = mapSchema(schema, (each) => {
    const lost = strictRefused.filter((key) => Object.hasOwn(each, key));
    for (const key of lost) dropped.add(`schema.${key}`);
    const { oneOf, ...rest } = lost.length > 0 ? withoutMembers(each, lost) : each;
    const choice = oneOf === undefined ? rest : { ...rest, anyOf: oneOf };
    if (!hasType(choice, "object")) return choice;
    const { additionalProperties: more } = choice;
    isOpen ||= more === true || isObject(more);
    const required = namesIn(choice.required);
    const members = Object.entries(isObject(choice.properties) ? choice.properties : {});
    const properties = members.map(([name, member]) => {
      if (takesNull(member)) ownNulls.add(name);
      if (required.includes(name)) return [name, member] as const;
      optional.add(name);
      return [name, nullable(member)] as const;
    });
    return {
      ...choice,
      properties: Object.fromEntries(properties),
      required: members.map(([name]) => name),
      additionalProperties: false,
    };
  });
  if (isOpen) return undefined;
  // The client's own schema gives such a null a meaning.
  for (const name of ownNulls) optional.delete(name);
  return { schema: strict, optional };
}

function takesNull(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const isListed = Array.isArray(schema.enum) && schema.enum.includes(null);
  const inChoice = Array.isArray(schema.anyOf) && schema.anyOf.some(takesNull);
  return hasType(schema, "null") || isListed || inChoice;
}

function nullable(schema: unknown): unknown {
  if (takesNull(schema) || !isObject(schema)) return schema;
  const { type, enum: values, anyOf } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: "null" }] };
  if (typeof type !== "string" && !Array.isArray(type)) return { anyOf: [schema, { type: "null" }] };
  const listed = Array.isArray(values) ? { enum: [...values, null] } : {};
  return { ...schema, type: [...[type].flat(), "null"], ...listed };
}
