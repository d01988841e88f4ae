/**
 * What the pages read is what the API answers. The types of the console are compared with the schemas of its OpenAPI
 * document, which is held to the answers themselves (test/local/console-openapi.test.ts). So a member that gets another
 * name, or may be null, fails here and leaves no page that reads `undefined`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorsIn, type JsonSchema, typeOf } from "#test/console/schema-types.ts";

const root = join(import.meta.dirname, "../..");
const document = JSON.parse(readFileSync(join(root, "shared/edges/openapi/console.json"), "utf8")) as {
  components: { schemas: Record<string, JsonSchema> };
};
const { schemas } = document.components;

/** Each type of the console's files of types, by the schema that it reads. */
const read: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "api-types.ts": {
    Tokens: "Tokens",
    Account: "Account",
    SessionSeen: "Session",
    ApiKey: "ApiKey",
    MemberKey: "MemberKey",
    UsageSeries: "UsageSeries",
    UsageSummary: "UsageSummary",
    Limits: "Limits",
    Model: "Model",
    ModelProviders: "ModelProviders",
  },
  "call-types.ts": { Call: "Call", Receipt: "Receipt" },
  "money-types.ts": {
    PaymentMethod: "PaymentMethod",
    Order: "Order",
    Plan: "Plan",
    PlanQuote: "PlanQuote",
    Invoice: "Invoice",
    InvoiceableOrder: "InvoiceableOrder",
    StatementMonth: "MonthBalance",
    Member: "Member",
    Invitation: "Invitation",
    AuditEntry: "AuditEntry",
  },
};

/** Schemas that have the other members of a type, such as the secret of the answer that makes a key. */
const others: Readonly<Record<string, string>> = {
  Tokens: "SignedIn",
  ApiKey: "CreatedKey",
  MemberKey: "CreatedKey",
  Call: "Receipt",
  Invitation: "CreatedInvitation",
};

/** Helpers of types: a type with its literals widened, and the names that it has and another does not. */
const helpers = `
type Wide<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean
  : T extends readonly (infer I)[] ? Wide<I>[] : T extends object ? { [K in keyof T]: Wide<T[K]> } : T;
type Keys<T> = T extends unknown ? keyof T : never;
type Value<T, K> = T extends unknown ? (K extends keyof T ? NonNullable<T[K]> : never) : never;
type IsAny<T> = 0 extends 1 & T ? true : false;
type Strays<C, S> = IsAny<S> extends true ? never
  : C extends readonly (infer I)[] ? (S extends readonly (infer J)[] ? Strays<I, NonNullable<J>> : never)
  : C extends object ? { [K in Keys<C>]: string extends K ? never
    : K extends Keys<S> ? Strays<Value<C, K>, Value<S, K>> : K }[Keys<C>] : never;
`;

/** A text that compiles where each type of a table reads only what its schema has, as the schema has it. */
function checked(
  names: Readonly<Record<string, JsonSchema>>,
  pairs: [type: string, schema: string][],
  from = "",
) {
  const declared = Object.entries(names).map(([name, schema]) => `type Schema_${name} = ${namesOf(schema)};`);
  const asserted = pairs.flatMap(([type, schema]) => [
    `export const answers_${type}: Wide<Read_${type}> = null as unknown as Schema_${schema};`,
    `export const strays_${type}: never = null as unknown as Strays<Read_${type}, Schema_${schema} | Schema_${others[type] ?? schema}>;`,
  ]);
  return [from, helpers, ...declared, ...asserted].join("\n");
}

const namesOf = (schema: JsonSchema) =>
  typeOf(schema).replaceAll(/(?<![\w"])[A-Z]\w+(?=[\s|\])};]|$)/g, (name) =>
    name in schemas ? `Schema_${name}` : name,
  );

/** The lines that import the types of the console's files. */
const imports = Object.entries(read).map(([file, types]) => {
  const named = Object.keys(types).map((type) => `${type} as Read_${type}`);
  return `import type { ${named.join(", ")} } from "${join(root, "console", file)}";`;
});

const pairs = Object.values(read).flatMap((types) => Object.entries(types));

test("every type reads what its schema has, under its name, and as it may be", () => {
  expect(errorsIn(checked(schemas, pairs, imports.join("\n")))).toEqual([]);
});

test("every answer that a page asks for is a type of the table, or is declared where it is asked for", () => {
  const files = readdirSync(join(root, "console"), { recursive: true, encoding: "utf8" });
  const code = files
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(join(root, "console", file), "utf8"));
  const asked = code.flatMap((text) =>
    [...text.matchAll(/\bapi\.(?:get|post|patch)<(?:List<)?(\w+)/g)].map(([, name = ""]) => name),
  );
  expect(asked.length).toBeGreaterThan(30);
  const known = new Set(pairs.map(([type]) => type));
  expect([...new Set(asked)].filter((name) => !known.has(name)).toSorted()).toEqual([
    "Item",
    "Joined",
    "ReceiptAnswer",
    "SentCode",
  ]);
});

describe("a member is missed", () => {
  const from = (type: string) => `type Read_Thing = ${type};`;
  const schema = (member: JsonSchema, required = ["cost"]) => ({
    Thing: { type: "object", properties: { cost: member }, required } satisfies JsonSchema,
  });
  const errors = (type: string, names: Record<string, JsonSchema>) =>
    errorsIn(checked(names, [["Thing", "Thing"]], from(type))).length;

  test.each([
    ["not where it is the same", "{ cost: string }", { type: "string" }, 0],
    ["not where it is one of few texts", '{ cost: "1" | "2" }', { type: "string" }, 0],
    ["under another name", "{ price: string }", { type: "string" }, 2],
    ["under another name, though it may be absent", "{ price?: string }", { type: "string" }, 2],
    ["where it may be null", "{ cost: string }", { type: ["string", "null"] }, 1],
    ["where it is another kind", "{ cost: number }", { type: "string" }, 1],
    [
      "within a list",
      "{ cost: { at?: string }[] }",
      { type: "array", items: { type: "object", properties: { on: {} } } },
      2,
    ],
  ])("%s", (_, type, member, count) => {
    expect(errors(type, schema(member as JsonSchema))).toBe(count);
  });

  test("where the schema lets it be absent", () => {
    expect(errors("{ cost: string }", schema({ type: "string" }, []))).toBe(1);
  });
});
