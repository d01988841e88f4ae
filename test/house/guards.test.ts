/** Every fault and threat of billing.md has its row, and every row points at a test and a guard that are there. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fileOf, readSources } from "#test/guards/anchor.ts";
import { callFaults, ownFaults, threats } from "#test/guards/faults.ts";
import { halves, isProved } from "#test/guards/guard.ts";
import { faultsAndThreats, policies, rows } from "#test/guards/rows.ts";

const proved = rows.filter(isProved);
const root = new URL("../../", import.meta.url);
const read = (file: string) =>
  existsSync(new URL(file, root)) ? readFileSync(new URL(file, root), "utf8") : "";

test("each fault and threat has one row", () => {
  const ids = Object.keys({ ...ownFaults, ...callFaults, ...threats });
  expect(faultsAndThreats.map(({ id }) => id)).toEqual(ids);
});

test("each policy has an id of its own, made of its topic and a number", () => {
  const ids = policies.map(({ id }) => id);
  expect(ids.filter((id) => !/^[a-z]+-\d+$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

test("every test that is named is there", () => {
  const missing = proved.filter(({ test }) => {
    const [file, name] = halves(test);
    return !read(`test/${file}.test.ts`).includes(name);
  });
  expect(missing).toEqual([]);
});

test("every guard that is named is there, once", () => {
  const sources = readSources(root.pathname);
  for (const row of proved) expect(() => fileOf(row, sources), row.id).not.toThrow();
});

test("a text that stands nowhere, or twice, is no guard", () => {
  const sources = new Map([
    ["shared/a.ts", "one; two;"],
    ["shared/b.ts", "two;"],
  ]);
  expect(fileOf({ guard: "one;" }, sources)).toBe("shared/a.ts");
  expect(fileOf({ guard: "two;", in: "b.ts" }, sources)).toBe("shared/b.ts");
  expect(() => fileOf({ guard: "two;" }, sources)).toThrow("has to say which one by `in`");
  expect(() => fileOf({ guard: "three;" }, sources)).toThrow("nothing in the product says three;");
});

test("what does not apply says why", () => {
  for (const row of rows) {
    if (!isProved(row)) expect(row.not_applicable.length, row.id).toBeGreaterThan(20);
  }
});

test("test/README.md counts the rows as they are", () => {
  const count = `${faultsAndThreats.length} faults and threats, ${faultsAndThreats.filter(isProved).length} of them with a test that fails without the guard`;
  expect(read("test/README.md")).toContain(count);
});
