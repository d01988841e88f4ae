/** The bundles that deploy: how large they are, and which packages are in them or beside them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Synthesized } from "#test/support/template.ts";

const scratch = mkdtempSync(join(tmpdir(), "bundles-test-"));
let prod: Synthesized;

beforeAll(() => {
  prod = new Synthesized("prod", scratch);
});

afterAll(() => rmSync(scratch, { recursive: true }));

it.each([
  ["Gateway", 370],
  ["Settle", 385],
  ["Sweep", 450],
  ["VideoTask", 420],
])("bundles %s within %i KB", (name, most) => {
  expect(statSync(prod.bundle(name)).size).toBeLessThanOrEqual(most * 1024);
});

it("bundles AWS's clients, and what they share, into every function but the gateway", () => {
  const has = (name: string, text: RegExp) => text.test(readFileSync(prod.bundle(name), "utf8"));
  expect(has("Gateway", /smithy|aws-sdk/i)).toBe(false);
  for (const name of ["Settle", "Sweep", "VideoTask"])
    expect([name, has(name, /"@aws-sdk\/client-dynamodb"/)]).toEqual([name, true]);
});

it.each(["Gateway", "VideoTask"])("lays undici beside %s, which is not in the bundle itself", (name) => {
  const folder = dirname(prod.bundle(name));
  const program = `const { default: { Agent } } = await import("undici"); console.log(typeof new Agent().dispatch, import.meta.resolve("undici"));`;
  const found = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(found).toBe(
    `function ${pathToFileURL(join(realpathSync(folder), "node_modules/undici/index.js"))}\n`,
  );
  const bundle = readFileSync(prod.bundle(name), "utf8");
  expect(bundle).toContain('import("undici")');
  // What every WebAssembly module begins with: that is undici's parser.
  expect(bundle).not.toContain("AGFzbQ");
});

it.each(["Settle", "Sweep"])("keeps undici out of %s, which has AWS's clients alone", (name) => {
  expect(readdirSync(dirname(prod.bundle(name)))).not.toContain("node_modules");
  expect(readFileSync(prod.bundle(name), "utf8")).not.toContain("undici:client");
});
