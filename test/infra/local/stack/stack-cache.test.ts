/** Where a synthesized stack is kept: another place for every change of what it is made of. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { forgetOlderStacks, stackFolder } from "#infra/local/stack/stack-cache.ts";

const root = mkdtempSync(join(tmpdir(), "stack-cache-"));
afterAll(() => rmSync(root, { recursive: true }));

const write = (name: string, text: string) => {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
};

beforeEach(() => {
  rmSync(root, { recursive: true });
  write("functions/gateway.ts", "export const a = 1;");
  write("shared/books/catalog/catalog.json", "{}");
  write("package-lock.json", "{}");
  write("node_modules/esbuild/package.json", '{"version":"1.0.0"}');
});

test("the same sources have the same place, whenever they were written", () => {
  const before = stackFolder(root);
  write("functions/gateway.ts", "export const a = 1;");
  write("test/some.test.ts", "");
  expect(stackFolder(root)).toBe(before);
});

test.each([
  ["a changed source", () => write("functions/gateway.ts", "export const a = 2;")],
  ["a new source", () => write("infra/deep/down/new.ts", "")],
  ["a file that is bundled as it is", () => write("shared/books/catalog/catalog.json", "{ }")],
  ["a style of the console", () => write("console/style.css", "")],
  ["another lock file", () => write("package-lock.json", '{"a":1}')],
  ["packages installed otherwise", () => write("node_modules/.package-lock.json", "{}")],
  ["another esbuild", () => write("node_modules/esbuild/package.json", '{"version":"1.0.1"}')],
  [
    "a file that was moved",
    () => renameSync(join(root, "functions/gateway.ts"), join(root, "functions/gateway2.ts")),
  ],
  [
    "text that moved from one file to another",
    () => {
      write("functions/gateway.ts", "export const a = 1");
      write("shared/books/catalog/catalog.json", ";{}");
    },
  ],
])("%s has another place", (_, change) => {
  const before = stackFolder(root);
  change();
  expect(stackFolder(root)).not.toBe(before);
});

test("another lifetime of tasks has another place", () => {
  expect(stackFolder(root, "60")).not.toBe(stackFolder(root));
});

test("of the stacks that are over an hour old the newest is kept, and all that are younger", () => {
  const kept = stackFolder(root);
  const others = ["old", "newer", "newest", "young", "younger"].map((name) => join(dirname(kept), name));
  const make = (folder: string, age: number) => {
    const at = Date.now() / 1000 - age;
    mkdirSync(folder, { recursive: true });
    utimesSync(folder, at, at);
  };
  for (const [at, folder] of [...others.slice(0, 3), kept].entries()) make(folder, 86_400 - at);
  const isThere = () => [...others, kept].map((folder) => existsSync(folder));
  forgetOlderStacks(kept);
  expect(isThere()).toEqual([false, false, true, false, false, true]);
  // Other starts may be copying these.
  for (const folder of others.slice(3)) make(folder, 3_500);
  forgetOlderStacks(kept);
  expect(isThere()).toEqual([false, false, false, true, true, true]);
});
