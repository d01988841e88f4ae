/** Where `operator model …` reads and writes: the catalog of a stage, or another one that is named. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { modelPlace } from "#infra/operator/model-place.ts";

describe("the place", () => {
  const stage = (name: string) =>
    modelPlace({ catalogFile: undefined, where: { local: false, readyFile: undefined, stage: name } });

  test("of a stage that has the catalog that ships is a catalog of its own, which extends it", () => {
    const { path, besides, catalog } = stage("prod");
    expect(existsSync(path)).toBe(false);
    expect(path.endsWith("infra/stages/prod-catalog")).toBe(true);
    expect(catalog).toEqual(readCatalog(defaultCatalog));
    const [settings] = besides;
    const before = readFileSync(settings?.file ?? "", "utf8");
    expect(settings?.text).toBe(before.replace("../../shared/books/catalog/default", "prod-catalog"));
  });

  test("is never guessed", () => {
    expect(() => stage("nowhere")).toThrow("the stage nowhere has no file");
    expect(() =>
      modelPlace({ catalogFile: "/nowhere", where: { local: false, readyFile: undefined, stage: "prod" } }),
    ).toThrow("there is no catalog /nowhere");
  });
});
