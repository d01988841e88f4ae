/**
 * Every error code of the contract is in the table of errors, and every code of the table is reached by a test that asks
 * for it. There is no list of exceptions.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { errorCodes } from "#shared/base/errors.ts";

const root = new URL("../../", import.meta.url).pathname;

/** Tests of tables name codes that nobody has reached: those of errors, of documents, and of words in the browser. */
const tablesOnly =
  /^test\/(?:house|console|browser|shared\/edges\/openapi)\/|\/(?:error-styles|errors-document)\.test\.ts$/;

/** The texts of the tests that ask something. */
function askingTests(): string[] {
  return readdirSync(join(root, "test"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !tablesOnly.test(file))
    .map((file) => readFileSync(join(root, file), "utf8"));
}

/** A source without what only tells: comments, and the names of tests. */
function withoutWords(source: string): string {
  return source
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/(?<!:)\/\/.*$/gm, "")
    .replaceAll(/\b(?:test|describe)\(\s*(["'`]).*?\1/g, "");
}

/** Codes that none of these sources expects: as a number or a text of its own. */
function unreached(codes: readonly number[], sources: readonly string[]): number[] {
  const found = new Set(
    sources
      .flatMap((source) => withoutWords(source).match(/(?<![\d.])[45]\d{4}(?![\d.])/g) ?? [])
      .map(Number),
  );
  return codes.filter((code) => !found.has(code));
}

/** The codes of contract §7.3. */
function contractCodes(): number[] {
  const [, section = ""] = readFileSync(join(root, "shared/contract.md"), "utf8").split("### 7.3 Codes");
  const [table = ""] = section.split("\n## ");
  return [...table.matchAll(/^\| (\d{5}) \|/gm)].map(([, code]) => Number(code));
}

const codes = Object.values(errorCodes).map(({ code }) => code as number);

test("every code of the contract is in the table of errors", () => {
  expect(contractCodes()).toHaveLength(28);
  expect(contractCodes().filter((code) => !codes.includes(code))).toEqual([]);
});

test("every code is reached by a test", () => {
  expect(unreached(codes, askingTests())).toEqual([]);
});

test("a code is not reached by a comment, the name of a test, or another number", () => {
  const sources = [
    "/* 40001 */ expect(1).toBe(1); // 40002",
    'test("it is 40003", () => {});',
    "expect(400040).toBe(1.40005);",
    "expect(codeOf(answer)).toBe(40010);",
    'expect(body).toEqual({ error: { code: "40011" } });',
    "test.each([[{}, 40012]])",
  ];
  const asked = [40001, 40002, 40003, 40004, 40005, 40010, 40011, 40012];
  expect(unreached(asked, sources)).toEqual([40001, 40002, 40003, 40004, 40005]);
  expect(unreached([49999], askingTests())).toEqual([49999]);
});
