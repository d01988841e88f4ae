/** The sizes of the console's files: what a first visit loads, and all of it. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { consoleFiles } from "#infra/console-assets.ts";
import { documentName } from "#shared/console/assets.ts";

/** Without the OpenAPI document, which no page loads. */
const loadable = consoleFiles().filter(({ name }) => name !== documentName);
const files = new Map(loadable.map((file) => [file.name, file.bytes]));
const size = (name: string) => gzipSync(files.get(name) ?? "", { level: 9 }).length;
const total = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + size(name), 0);
const textOf = (name: string) => files.get(name)?.toString() ?? "";

/** Files with everything that they always import. */
function withImports(names: string[]): Set<string> {
  const all = new Set(names);
  for (const name of all)
    for (const [, imported] of textOf(name).matchAll(/(?:from|import)"\.\/([^"]+)"/g))
      if (imported) all.add(imported);
  return all;
}

/** The one file whose text has all of these. */
function fileWith(...texts: string[]): string {
  const found = [...files.keys()].filter((name) => texts.every((text) => textOf(name).includes(text)));
  expect(found, texts.join()).toHaveLength(1);
  return found[0] ?? "";
}

const kB = 1000;
const index = textOf("index.html");
const linked = [...index.matchAll(/"\/assets\/([^"]+)"/g)].map(([, name]) => name ?? "");

describe("the first page", () => {
  const parts = { overview: ["Cost of the last 30 days"], "sign-in": ["Type the code"] };
  test.each(Object.entries(parts))("%s has at most 30 KB, with the words of its language", (page, texts) => {
    const code = [...files.keys()].find(
      (name) => name.startsWith(`${page}-`) && /usage\/summary|auth\/code/.test(textOf(name)),
    );
    const loaded = withImports([...linked, fileWith("Skip to the content"), fileWith(...texts), code ?? ""]);
    loaded.add("index.html");
    expect(code).toBeDefined();
    expect(total(loaded)).toBeGreaterThan(10 * kB);
    expect(total(loaded)).toBeLessThanOrEqual(30 * kB);
  });
});

test("all pages in one language have at most 60 KB", () => {
  const han = (name: string) => (textOf(name).match(/\p{Script=Han}/gu) ?? []).length;
  const chinese = [...files.keys()].filter((name) => han(name) > 50);
  expect(chinese.length).toBeGreaterThan(3);
  expect(total(files.keys()) - total(chinese)).toBeLessThanOrEqual(60 * kB);
});

test("a name changes with the bytes, and the page preloads what its script imports", () => {
  const names = [...files.keys()].filter((name) => !/^(?:index\.html|pages\.json)$/.test(name));
  expect(names.filter((name) => !/-[A-Z0-9a-f]{8}\.(?:js|css|svg)$/.test(name))).toEqual([]);
  const script = linked.find((name) => name.startsWith("main-")) ?? "";
  for (const imported of withImports([script])) expect(linked).toContain(imported);
});

test("the page has no inline script and no inline style, which its policy forbids", () => {
  expect(index).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
});
