/** The sizes of the console's files: what a first visit loads, and all of it. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { consoleFiles } from "#infra/bundles/console-assets.ts";
import { consolePages } from "#infra/bundles/console-pages.ts";
import { adminDocumentName, documentName, pagesName, programFile } from "#shared/edges/console/assets.ts";

/** What no page loads: the OpenAPI document, the list of the pages, which the server reads, and the program for a terminal. */
const unloaded = [documentName, adminDocumentName, pagesName, programFile];
const loadable = consoleFiles().filter(({ name }) => !unloaded.includes(name));
const files = new Map(loadable.map((file) => [file.name, file.bytes]));
const size = (name: string) => gzipSync(files.get(name) ?? "", { level: 9 }).length;
const total = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + size(name), 0);
const textOf = (name: string) => files.get(name)?.toString() ?? "";

/** Files with everything that they always import. */
function withImports(names: string[]): Set<string> {
  const all = new Set(names);
  for (const name of all)
    for (const [, imported] of textOf(name).matchAll(/(?:from|import)"\/assets\/([^"]+)"/g))
      if (imported) all.add(imported);
  return all;
}

/** As in the budgets of the bundles (test/deployed/bundles.test.ts). */
const KB = 1024;
const index = textOf("index.html");
const linked = [...index.matchAll(/"\/assets\/([^"]+)"/g)].map(([, name]) => name ?? "");

/** The groups of pages that are loaded with the first of them (console/pages.ts). */
const groups = [...files.keys()].flatMap((name) => /^([a-z]+)-view-/.exec(name)?.[1] ?? []);

/** What only the readers of one language load: the words that come first, and those of each group. */
const words = {
  en: [fileWith("Skip to the content", "Type the code"), ...groups.map((group) => named(`${group}-en`))],
  zh: [fileWith("跳到正文", "输入验证码"), ...groups.map((group) => named(`${group}-zh`))],
};
type Language = keyof typeof words;
const languages = Object.keys(words) as Language[];

/** The one file of this name, to which the build adds a hash. */
function named(name: string): string {
  const [found, ...others] = [...files.keys()].filter((file) => file.startsWith(`${name}-`));
  if (!found || others.length > 0) throw new Error(`not one file is called ${name}`);
  return found;
}

/** The one file whose text has all of these. */
function fileWith(...texts: string[]): string {
  const [found, ...others] = [...files.keys()].filter((name) =>
    texts.every((text) => textOf(name).includes(text)),
  );
  if (!found || others.length > 0) throw new Error(`not one file has ${texts.join()}`);
  return found;
}

describe.each(languages)("in the language %s", (language) => {
  test("the first page, which is the overview or the sign-in, has at most 31 KB", () => {
    const loaded = withImports(["index.html", ...linked, words[language][0] ?? ""]);
    const code = [...loaded].map(textOf).join("");
    for (const path of ["usage/summary", "auth/code"]) expect(code).toContain(path);
    expect(total(loaded)).toBeGreaterThan(10 * KB);
    expect(total(loaded)).toBeLessThanOrEqual(31 * KB);
  });

  test.each(groups)("the first page and the pages of the group %s have at most 70 KB", (group) => {
    const first = ["index.html", ...linked, words[language][0] ?? ""];
    const loaded = withImports([...first, named(`${group}-view`), named(`${group}-${language}`)]);
    expect(total(loaded)).toBeGreaterThan(total(withImports(first)) + 5 * KB);
    expect(total(loaded)).toBeLessThanOrEqual(70 * KB);
  });
});

test("the first page and all groups are every file that is loaded", () => {
  const own = groups.map((group) => named(`${group}-view`));
  const loaded = withImports(["index.html", ...linked, ...own, ...languages.flatMap((each) => words[each])]);
  const workers = [...files.keys()].filter((name) => name.startsWith("human-worker-"));
  // The library of passkeys comes with the first use of one.
  const passkeys = fileWith("WebAuthn is not supported in this browser");
  expect([...loaded, ...workers, passkeys].sort()).toEqual([...files.keys()].sort());
});

test("no other file has words of a language but the titles of pages, and what the language is called", () => {
  const han = (text: string) => (text.match(/\p{Script=Han}/gu) ?? []).length;
  const most =
    han(
      consolePages()
        .map(([, { title }]) => title.zh)
        .join(""),
    ) + han("中文");
  expect([...files.keys()].filter((name) => han(textOf(name)) > most).sort()).toEqual([...words.zh].sort());
});

test("a name changes with the bytes, and the page preloads what its script imports", () => {
  const names = [...files.keys()].filter((name) => name !== "index.html");
  expect(names.filter((name) => !/-[A-Z0-9a-f]{8}\.(?:js|css|svg)$/.test(name))).toEqual([]);
  const script = linked.find((name) => name.startsWith("main-")) ?? "";
  const imported = withImports([script]);
  expect(imported.size).toBeGreaterThan(1);
  for (const name of imported) expect(linked).toContain(name);
});

test("the page has no inline script and no inline style, which its policy forbids", () => {
  expect(index).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
});
