/** The documents of the headers say what the code has: no header is missing on either side. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../../../");
const text = ["headers", "header-tables"]
  .map((name) => readFileSync(join(root, `shared/calls/gateway/${name}.md`), "utf8"))
  .join("\n");
const code = ["shared", "functions"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  )
  .filter((file) => file.endsWith(".ts") && !file.startsWith("shared/edges/openapi/"))
  .map((file) => readFileSync(join(root, file), "utf8"))
  .join("\n");

const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted();

describe("the documents of the headers", () => {
  test("have every header of ours, and of browsers, that the code has", () => {
    const names = /["'`{, ]((?:x-gateway|access-control)-[a-z-]+[a-z]|(?:x-)?request-id)["'`:]/g;
    const inCode = sorted([...code.matchAll(names)].map(([, name = ""]) => name));
    const inText = sorted([...text.matchAll(names)].map(([, name = ""]) => name));
    expect(inText).toEqual(inCode);
    expect(inCode).toContain("x-gateway-attempts");
    expect(inCode).toContain("request-id");
  });

  test("name no other header that the code does not know", () => {
    const rows = [...text.matchAll(/^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|/gm)].map(([, cell = ""]) => cell);
    const names = rows.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name = ""]) => name));
    expect(names.length).toBeGreaterThan(15);
    const known = (name: string) => new RegExp(`["'\`{ ]${name}["':, ]|\\b${name}:`).test(code);
    expect(names.filter((name) => !known(name))).toEqual([]);
  });
});
