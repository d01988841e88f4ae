/** The last step of a stack: what it says is checked before it is kept, for all starts that take it. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { templateIn } from "#infra/local/stack/synthesis.ts";
import { makeBundles } from "#infra/local/start/bundling.ts";
import { readSource } from "#infra/local/start/catalog-source.ts";
import { sample } from "#test/support/catalog.ts";
import { functionNamed, openStack } from "#test/support/kept-stack.ts";

const cleanups: (() => void)[] = [];
const onTemporary = (remove: () => void) => void cleanups.push(remove);
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const stack = async () => dirname(functionNamed(await openStack(sample(), onTemporary), "Settle").directory);

test("the catalog that ships is kept as it was checked, and no other is taken for it", async () => {
  const assembly = await stack();
  const { catalog, bases } = await readSource(defaultCatalog, assembly);
  expect({ catalog, bases }).toEqual({ catalog: readCatalog(defaultCatalog), bases: [] });
  // It is taken from there, and not read again.
  writeFileSync(join(assembly, "shipped.json"), JSON.stringify({ ...catalog, version: "kept" }));
  expect((await readSource(defaultCatalog, assembly)).catalog.version).toBe("kept");
  const other = join(assembly, "other.json");
  writeFileSync(other, JSON.stringify(sample()));
  expect((await readSource(other, assembly)).catalog).toEqual(readCatalog(other));
});

test("a state machine that is not valid is told", async () => {
  const assembly = await stack();
  const template = templateIn(assembly);
  const text = readFileSync(template, "utf8");
  const last = { assembly, catalogFile: "", names: [], isPatient: false, isLast: true };
  await makeBundles(last, onTemporary);
  writeFileSync(template, text.replace('\\"StartAt\\":\\"', '\\"StartAt\\":\\"Nowhere'));
  const told = expect(makeBundles(last, onTemporary)).rejects;
  await told.toThrow(/the stack cannot be built:[\s\S]*MISSING_TRANSITION_TARGET/);
});
