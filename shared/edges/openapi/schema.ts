/** Words for JSON schemas (2020-12). Each also has the type of what fits it, for the compiler alone. */

declare const fits: unique symbol;
declare const names: unique symbol;

type Words = Readonly<Record<string, unknown>>;
/** A JSON schema of a `T`. One that is written out in full, without these words, says nothing of its type. */
export type Schema<T = unknown> = Words & { readonly [fits]?: { is: T } };

/** What fits the schema of the document's components that has this name. */
interface Named<Name extends string> {
  readonly [names]: Name;
}

/** The type of what fits a schema, where its names stand for these components. */
export type Fitting<Given, Components> = Given extends Schema<infer T> ? Resolved<T, Components> : never;

type Resolved<T, Components> =
  T extends Named<infer Name>
    ? Fitting<Components[Name & keyof Components], Components>
    : T extends object
      ? { [Member in keyof T]: Resolved<T[Member], Components> }
      : T;

export const string: Schema<string> = { type: "string" };
export const boolean: Schema<boolean> = { type: "boolean" };
export const integer: Schema<number> = { type: "integer" };
export const number: Schema<number> = { type: "number" };
/** Anything that JSON has. */
export const anything: Schema = {};
export const instant: Schema<string> = { type: "string", format: "date-time" };
/** An amount of points: a decimal string, because a number could lose digits. */
export const points: Schema<string> = {
  type: "string",
  pattern: "^-?\\d+(\\.\\d+)?$",
  examples: ["0.000065"],
};

/** The pattern of the names of keys and projects: no control characters, and no `#`. */
export const plainName = "^[^\\u0000-\\u001f\\u007f-\\u009f#]*$";

/** A schema with a description, or with other members. */
export function such<T>(schema: Schema<T>, more: string | Words): Schema<T> {
  return { ...schema, ...(typeof more === "string" ? { description: more } : more) };
}

export function list<T>(items: Schema<T>, more: Words = {}): Schema<readonly T[]> {
  return { type: "array", items, ...more };
}

export function oneOf<const T extends string>(values: readonly T[], more: Words = {}): Schema<T> {
  return { type: "string", enum: [...values], ...more };
}

/** This value alone. */
export function just<const T extends string | boolean>(value: T): Schema<T> {
  return { const: value };
}

/** What fits one of two schemas. */
export function either<One, Other>(one: Schema<One>, other: Schema<Other>): Schema<One | Other> {
  return { anyOf: [one, other] };
}

/** The schema or null. */
export function orNull<T>(schema: Schema<T>): Schema<T | null> {
  const { type, enum: values } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  return {
    ...schema,
    type: [type, "null"],
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  };
}

type SchemaFields = Readonly<Record<string, Schema>>;
type None = Record<never, never>;

type Value<Given> = Given extends Schema<infer T> ? T : never;
type Shape<Required, Optional> = {
  -readonly [Name in keyof Required]: Value<Required[Name]>;
} & { -readonly [Name in keyof Optional]?: Value<Optional[Name]> | undefined };
/** The same as one type, which is what messages of the compiler show. */
type Whole<T> = { [Name in keyof T]: T[Name] };

/** An object with these members, and maybe others. */
export function object<Required extends SchemaFields, Optional extends SchemaFields = None>(
  required: Required,
  optional = {} as Optional,
  description?: string,
): Schema<Whole<Shape<Required, Optional>>> {
  const needed = Object.keys(required);
  return {
    type: "object",
    ...(description !== undefined && { description }),
    properties: { ...required, ...optional },
    ...(needed.length > 0 && { required: needed }),
  };
}

/** An object with these members and no other. */
export function closed<Required extends SchemaFields, Optional extends SchemaFields = None>(
  required: Required,
  optional = {} as Optional,
  description?: string,
): Schema<Whole<Shape<Required, Optional>>> {
  return { ...object(required, optional, description), additionalProperties: false };
}

/** A schema of the document's components. */
export function ref<const Name extends string>(name: Name): Schema<Named<Name>> {
  return { $ref: `#/components/schemas/${name}` };
}

/** A page of a list. */
export function page<T>(items: Schema<T>) {
  return closed({
    object: just("list"),
    data: list(items),
    has_more: boolean,
    last_id: orNull(such(string, "Where the next page begins: give it as `after`.")),
  });
}
