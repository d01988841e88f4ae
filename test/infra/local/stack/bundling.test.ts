/** The last step of a stack checks what it says, before it is kept. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeBundles } from "#infra/local/stack/bundling.ts";
import { templateIn } from "#infra/local/stack/synthesis.ts";
import { sample } from "#test/support/catalog.ts";
import { functionNamed, openStack } from "#test/support/kept-stack.ts";

const cleanups: (() => void)[] = [];
const onTemporary = (remove: () => void) => void cleanups.push(remove);
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

test("a state machine that is not valid is told", async () => {
  const assembly = dirname(functionNamed(await openStack(sample(), onTemporary), "Settle").directory);
  const template = templateIn(assembly);
  const text = readFileSync(template, "utf8");
  const last = { assembly, catalogFile: "", names: [], isPatient: false, isLast: true };
  await makeBundles(last, onTemporary);
  writeFileSync(template, text.replace('\\"StartAt\\":\\"', '\\"StartAt\\":\\"Nowhere'));
  const told = expect(makeBundles(last, onTemporary)).rejects;
  await told.toThrow(/the stack cannot be built:[\s\S]*MISSING_TRANSITION_TARGET/);
});
