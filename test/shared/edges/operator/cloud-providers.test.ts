/** What of a catalog is called at a cloud. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { cloudProviders } from "#shared/edges/operator/cloud-providers.ts";

test("the default catalog's providers at clouds are those with a credential of a cloud", () => {
  const all = cloudProviders(readCatalog(defaultCatalog));
  expect(all.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["vertex", "vertex-claude-eu", "azure", "azure-claude"]),
  );
  expect(all.find(({ name }) => name === "azure-claude")?.models).toContain("claude-opus-5-5");
  expect(all.map(({ name }) => name)).not.toContain("openai");
});

test("the catalog of Bedrock has models that make vectors, and none that makes pictures is asked", () => {
  const all = cloudProviders(readCatalog(join(defaultCatalog, "../bedrock")));
  const invoked = all.filter(({ name }) => name.startsWith("bedrock-invoke"));
  const vectors = new Set(invoked.flatMap((each) => each.vectors));
  expect(vectors).toContain("amazon.titan-embed-text-v2:0");
  expect([...vectors].filter((name) => name.startsWith("stability"))).toEqual([]);
});
