/** The recipe of a container names what is there. Nothing here runs one. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtFiles, builtFolders } from "#infra/local/stack/stack-cache.ts";

const root = join(import.meta.dirname, "../../..");
const read = (name: string) => readFileSync(join(root, name), "utf8");
const recipe = read("infra/local/Containerfile");
const document = read("infra/local/README.md");
const { scripts, devDependencies } = JSON.parse(read("package.json")) as {
  scripts: Record<string, string>;
  devDependencies: Record<string, string>;
};

/** The words of each line with this instruction. */
const lines = (instruction: string) =>
  [...recipe.matchAll(new RegExp(`^${instruction} (.+)$`, "gm"))].map(([, words = ""]) => words.split(" "));
const copied = lines("COPY").flatMap((words) => words.slice(0, -1));

test("its image is pinned to the Node of package.json", () => {
  expect(lines("FROM")).toEqual([[`node:${devDependencies.node}-bookworm-slim`]]);
});

test("it copies what is there, and all that a stack is built of", () => {
  expect(copied.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  expect(copied).toEqual(expect.arrayContaining([...builtFolders, ...builtFiles.filter(isOfRepository)]));
});

const isOfRepository = (name: string) => !name.startsWith("node_modules/");

test("it starts what the documents say", () => {
  expect(lines("CMD")).toEqual([['["npm",', '"start"]']]);
  expect(lines("RUN")).toEqual([["npm", "ci"]]);
  expect(scripts.start).toBeDefined();
});

test("the document builds this file, and runs what it has built in the network of the host", () => {
  const [, build = "", run = ""] = /^(docker build .+)\n(docker run .+)$/m.exec(document) ?? [];
  expect(existsSync(join(root, / -f (\S+) /.exec(build)?.[1] ?? ""))).toBe(true);
  expect(run).toContain("--network host");
  expect(run.split(" ").at(-1)).toBe(/ -t (\S+) /.exec(build)?.[1]);
});
