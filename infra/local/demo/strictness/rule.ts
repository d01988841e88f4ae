/** One thing that a vendor refuses, and what the rules read a body with. */

export type Json = Record<string, unknown>;
export type DemoHeaders = Record<string, string | string[] | undefined>;

/** What the vendor says, with what stands beside the sentence in its error form. */
export interface VendorError {
  message: string;
  param?: string;
  code?: string;
}

export interface Rule {
  name: string;
  /** Where it was seen: a repository's thread, a page, or the vendor's own document. */
  source: string;
  models: RegExp;
  /** The refusal of a body, or nothing. */
  refuses(body: Json, headers: DemoHeaders, model: string): string | VendorError | false | undefined;
}

/** A rule under its name in `rulesFor`. One without models of its own is for those of its table. */
export type NamedRule = Omit<Rule, "name" | "models"> & Partial<Pick<Rule, "models">>;

/** Rules for these models by their names, in the order in which they are asked. */
export function rulesFor(models: RegExp, named: Record<string, NamedRule>): readonly Rule[] {
  return Object.entries(named).map(([name, rule]) => ({ name, models, ...rule }));
}

/** Names that a list would put on a line each. */
export const words = (...lines: string[]): string[] => lines.join(" ").split(" ");

/** Whether a value is given, and is none of these words. */
export function isOther(value: unknown, known: readonly string[]): boolean {
  return value !== undefined && !known.includes(String(value));
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a dotted path, undefined where there is none; null counts as none. */
export function at(body: unknown, path: string): unknown {
  const value = path
    .split(".")
    .reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), body);
  return value ?? undefined;
}

/** A list's objects; none where there is no list. */
export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The first member of a body that is not among the known ones. */
export function unknownKey(fields: unknown, known: readonly string[]): string | undefined {
  return isObject(fields) ? Object.keys(fields).find((key) => !known.includes(key)) : undefined;
}

/** Every schema inside a schema, with the path of its place in Google's own writing. */
export function schemasIn(schema: unknown, path: string): { schema: Json; path: string }[] {
  if (!isObject(schema)) return [];
  const inner = [
    ...Object.values(isObject(schema.properties) ? schema.properties : {}).map(
      (value, index) => [value, `${path}.properties[${index}].value`] as const,
    ),
    ...(["anyOf", "oneOf", "allOf"] as const).flatMap((key) =>
      listOf(schema[key]).map((value, index) => [value, `${path}.${key}[${index}]`] as const),
    ),
    [schema.items, `${path}.items`] as const,
  ];
  return [{ schema, path }, ...inner.flatMap(([value, place]) => schemasIn(value, place))];
}

const instances = ["const", "enum", "default", "examples"];
const mapped = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/** Every schema inside a schema, itself included. A member may be named as a keyword is. */
export function objectsIn(schema: unknown): Json[] {
  if (Array.isArray(schema)) return schema.flatMap(objectsIn);
  if (!isObject(schema)) return [];
  const inner = Object.entries(schema).flatMap(([key, value]) => {
    if (instances.includes(key)) return [];
    return mapped.includes(key) && isObject(value)
      ? Object.values(value).flatMap(objectsIn)
      : objectsIn(value);
  });
  return [schema, ...inner];
}

/** What a client names itself, so that its keys are no fields of Google's. */
const named = words("parameters parametersJsonSchema responseSchema responseJsonSchema args response");

/** A body with Google's fields in camel case: its API takes both spellings. */
export function camelCased(body: Json): Json {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      const inner = (each: unknown) => (isObject(each) ? camelCased(each) : each);
      if (named.includes(camel)) return [camel, value];
      return [camel, Array.isArray(value) ? value.map(inner) : inner(value)];
    }),
  );
}

/** A text, and "" for anything else: what a client sends may break whoever takes it for one. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
