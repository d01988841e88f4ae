/** Words for JSON schemas (2020-12), which OpenAPI 3.1 has. */

/** A JSON schema. */
export type Schema = Readonly<Record<string, unknown>>;

export const string: Schema = { type: "string" };
export const boolean: Schema = { type: "boolean" };
export const integer: Schema = { type: "integer" };
export const number: Schema = { type: "number" };
/** Anything that JSON has. */
export const anything: Schema = {};
export const instant: Schema = { type: "string", format: "date-time" };
/** An amount of points: a decimal string, because a number could lose digits. */
export const points: Schema = { type: "string", pattern: "^-?\\d+(\\.\\d+)?$", examples: ["0.000065"] };

/** The pattern of the names of keys and projects: no control characters, and no `#`. */
export const plainName = "^[^\\u0000-\\u001f\\u007f-\\u009f#]*$";

/** A schema with a description, or with other members. */
export function such(schema: Schema, more: string | Schema): Schema {
  return { ...schema, ...(typeof more === "string" ? { description: more } : more) };
}

export function list(items: Schema, more: Schema = {}): Schema {
  return { type: "array", items, ...more };
}

export function oneOf(values: readonly string[], more: Schema = {}): Schema {
  return { type: "string", enum: [...values], ...more };
}

/** The schema or null. */
export function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  return {
    ...schema,
    type: [type, "null"],
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  };
}

interface Members {
  required?: Readonly<Record<string, Schema>>;
  optional?: Readonly<Record<string, Schema>>;
  description?: string;
}

/** An object with these members, and maybe others. */
export function object({ required = {}, optional = {}, description }: Members): Schema {
  const names = Object.keys(required);
  return {
    type: "object",
    ...(description !== undefined && { description }),
    properties: { ...required, ...optional },
    ...(names.length > 0 && { required: names }),
  };
}

/** An object with these members and no other. */
export function closed(members: Members): Schema {
  return { ...object(members), additionalProperties: false };
}

/** A schema of the document's components. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A page of a list. */
export function page(items: Schema): Schema {
  return closed({
    required: {
      object: { const: "list" },
      data: list(items),
      has_more: boolean,
      last_id: orNull(such(string, "Where the next page begins: give it as `after`.")),
    },
  });
}
