/** What is loaded as one text does what it does file by file. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test } from "vitest";
import { synthesizeLocally } from "#infra/local/stack/local-app.ts";
import { loadQuickly } from "#infra/local/stack/quick-load.ts";
import { synthesize, templateIn } from "#infra/local/stack/synthesis.ts";
import { region } from "#infra/local/stack/template.ts";

const root = new URL("../../../..", import.meta.url).pathname;
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "quick-load-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the template is the same to the byte", async () => {
  const [here, there] = [temporaryFolder(), temporaryFolder()];
  synthesizeLocally(here, { taskLifetimeSeconds: 100 });
  const settings = { assembly: there, taskLifetimeSeconds: "100" };
  const template = await synthesize(settings, (end) => cleanups.push(end));
  expect(readFileSync(template, "utf8")).toBe(readFileSync(templateIn(here), "utf8"));
});

test("a module finds its folder, its address, its packages, and what it imports", async () => {
  const entry = "test/infra/local/stack/quickly-loaded.ts";
  const loaded = await loadQuickly<typeof import("#test/infra/local/stack/quickly-loaded.ts")>(entry);
  const path = join(root, entry);
  expect(loaded).toMatchObject({ folder: dirname(path), address: pathToFileURL(path).href, isMain: false });
  expect([loaded.imported, loaded.id.length]).toEqual([region, 26]);
});
