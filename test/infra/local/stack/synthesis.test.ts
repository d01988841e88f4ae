/** A kept stack is taken whole or not at all, whatever other starts and power cuts do to it. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepAssembly, openAssembly } from "#infra/local/stack/synthesis.ts";
import { giveCatalog } from "#infra/local/start/built-stack.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { sample } from "#test/support/catalog.ts";

/** What another start does while this one copies: before a file is linked, or after a stack was copied. */
const during: { before?: (() => void) | undefined; after?: (() => void) | undefined } = {};
/** What a file system without links, or another disk than that of the kept stack, says. */
let linkError: string | undefined;

vi.mock("node:fs", async (original) => {
  const real = await original<typeof fs>();
  const once = (name: keyof typeof during) => {
    const act = during[name];
    during[name] = undefined;
    act?.();
  };
  const linkSync: typeof fs.linkSync = (...args) => {
    once("before");
    if (linkError) throw Object.assign(new Error(linkError), { code: linkError });
    real.linkSync(...args);
  };
  const cpSync: typeof fs.cpSync = (...args) => {
    real.cpSync(...args);
    once("after");
  };
  return { ...real, cpSync, linkSync };
});

let root = "";
let keptIn = "";
const opened: (() => void)[] = [];
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), "synthesis-"));
  keptIn = join(root, "kept");
});
afterEach(() => {
  linkError = undefined;
  for (const remove of opened.splice(0)) remove();
  fs.rmSync(root, { recursive: true });
});

/** A folder as a synthesis leaves it. */
function synthesized(code = "export const a = 1;"): string {
  const folder = fs.mkdtempSync(join(root, "out-"));
  fs.mkdirSync(join(folder, "asset.1"));
  fs.writeFileSync(join(folder, "asset.1/bundled.catalog-ABC.json"), "{}");
  fs.writeFileSync(join(folder, "asset.1/index.mjs"), code);
  fs.writeFileSync(join(folder, "some.template.json"), "{}");
  return folder;
}

function open(taskLifetimeSeconds?: string) {
  const onTemporary = (remove: () => void) => void opened.push(remove);
  const { folder, isKept } = openAssembly({ keptIn, taskLifetimeSeconds, onTemporary });
  if (isKept) giveCatalog(folder, parseCatalog(sample()));
  const code = join(folder, "asset.1/index.mjs");
  return {
    isKept,
    files: fs.readdirSync(folder),
    code: fs.existsSync(code) ? fs.readFileSync(code, "utf8") : undefined,
  };
}

const isAnew = { isKept: false, files: [], code: undefined };
const cut = (name: string, text: string) => () => fs.writeFileSync(join(keptIn, name), text);

test("a kept stack is taken by a start with the same lifetime of tasks", () => {
  expect(open()).toEqual(isAnew);
  keepAssembly(synthesized(), keptIn);
  expect(open()).toMatchObject({ isKept: true, code: "export const a = 1;" });
  expect(open("60")).toEqual(isAnew);
});

test.each([
  ["has an empty file", cut("asset.1/index.mjs", "")],
  ["has a file with other content of the same size", cut("asset.1/index.mjs", "\0".repeat(19))],
  ["lacks a file", () => fs.rmSync(join(keptIn, "asset.1/index.mjs"))],
  ["has an empty seal", cut("kept.json", "")],
  ["lacks its seal", () => fs.rmSync(join(keptIn, "kept.json"))],
])("a kept stack that %s is not taken, and the next one takes its place", (_, damage) => {
  keepAssembly(synthesized(), keptIn);
  damage();
  expect(open()).toEqual(isAnew);
  keepAssembly(synthesized("export const a = 2;"), keptIn);
  expect(open()).toMatchObject({ isKept: true, code: "export const a = 2;" });
});

test.each([undefined, "EXDEV", "EPERM"])(
  "a start writes its own catalog and leaves the kept one (links: %s)",
  (error) => {
    keepAssembly(synthesized(), keptIn);
    linkError = error;
    const catalog = join(keptIn, "asset.1/bundled.catalog-ABC.json");
    for (let start = 0; start < 2; start++) {
      expect(open()).toMatchObject({ isKept: true, code: "export const a = 1;" });
      expect(fs.readFileSync(catalog, "utf8")).toBe("{}");
    }
  },
);

test.each(["asset.1", "."])("a start goes on where another one removes %s while it copies", (removed) => {
  keepAssembly(synthesized(), keptIn);
  during.before = () => fs.rmSync(join(keptIn, removed), { recursive: true });
  expect(open()).toEqual(isAnew);
});

test("of two that are kept at once the first stays, untouched, and nothing else", () => {
  let first: fs.Stats | undefined;
  during.after = () => {
    keepAssembly(synthesized("export const a = 1;"), keptIn);
    first = fs.statSync(keptIn);
  };
  keepAssembly(synthesized("export const a = 2;"), keptIn);
  expect(fs.statSync(keptIn).ino).toBe(first?.ino);
  expect(open()).toMatchObject({ isKept: true, code: "export const a = 1;" });
  expect(fs.readdirSync(dirname(keptIn)).filter((name) => name.startsWith("kept"))).toEqual(["kept"]);
});

test("a folder that cannot be kept says why, and leaves nothing", () => {
  expect(() => keepAssembly(join(root, "nowhere"), keptIn)).toThrow("ENOENT");
  expect(fs.readdirSync(root)).toEqual([]);
});
