/** Schemas of an OpenAPI document as types of TypeScript, and what the compiler says of a text that uses them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
}

const simple: Readonly<Record<string, string>> = { integer: "number", null: "null" };

/** The type of a schema. What a schema leaves open is `any`; a reference is the name of its schema. */
export function typeOf(schema: JsonSchema): string {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return "any";
  return types
    .map((type) => {
      if (type === "object") return objectOf(schema);
      if (type === "array")
        return `(${schema.prefixItems?.map(typeOf).join(" | ") ?? typeOf(schema.items ?? {})})[]`;
      return simple[type] ?? type;
    })
    .join(" | ");
}

function objectOf({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const members = Object.entries(properties).map(
    ([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema)};`,
  );
  if (typeof additionalProperties === "object" && members.length === 0)
    return `Record<string, ${typeOf(additionalProperties)}>`;
  return members.length === 0 && additionalProperties !== false ? "any" : `{ ${members.join(" ")} }`;
}

/** What the compiler says of a text, a line for each error; with the options of the console. */
export function errorsIn(text: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "schema-types-"));
  const options = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], lib: ["esnext", "dom"] },
    ...{ module: "esnext", moduleResolution: "bundler", allowImportingTsExtensions: true },
  };
  try {
    writeFileSync(join(folder, "checked.ts"), text);
    const config = { compilerOptions: options, files: ["checked.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(import.meta.dirname, "../../node_modules/typescript/lib/tsc.js");
    execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (!stdout) throw error;
    return stdout.split(/\n(?! )/).filter((line) => line !== "");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
