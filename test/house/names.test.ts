/** The name of a type that is exported stands for one thing in the whole product. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url).pathname;

/** What a page reads of a noun of ours, under the noun's own name: its fields are those of the document's schema. */
const ofPages = "console/api-types.ts";

interface Declared {
  name: string;
  file: string;
  isExported: boolean;
}

/** The types that files declare at their top. */
function declared(): Declared[] {
  const files = ["shared", "functions", "infra", "console", "terminal"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  );
  return files
    .filter((file) => /\.tsx?$/.test(file) && file !== ofPages)
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      const heads = text.matchAll(/^(export )?(?:abstract )?(?:interface|type|class) ([A-Z]\w*)/gm);
      return [...heads].map(([, exported, name = ""]) => ({
        name,
        file,
        isExported: exported !== undefined,
      }));
    });
}

test("the name of an exported type is declared once", () => {
  const byName = Map.groupBy(declared(), ({ name }) => name);
  const twice = [...byName.values()].filter(
    (all) => all.length > 1 && all.some(({ isExported }) => isExported),
  );
  expect(twice.map((all) => `${all[0]?.name}: ${all.map(({ file }) => file).join(", ")}`)).toEqual([]);
});
