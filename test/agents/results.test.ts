/** The table of the coding agents is that of the last run that was kept. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plays } from "./plays.ts";
import { programs } from "./programs.ts";
import { matrixFile, matrixOf, readResults } from "./results.ts";
import { protocols } from "./world.ts";

const results = readResults();

test("MATRIX.md shows the last run", () => {
  expect(readFileSync(matrixFile, "utf8")).toBe(matrixOf(results));
});

test("the last run had the versions that are installed", () => {
  expect(results.versions).toEqual(Object.fromEntries(programs.map(({ name, version }) => [name, version])));
});

const played = programs.filter(({ name }) => results.cells.some(({ client }) => client === name));

test.each(played)("$name was played in every play, with every protocol", ({ name }) => {
  const seen = results.cells.filter(({ client }) => client === name);
  for (const { title } of plays) {
    expect(seen.filter(({ feature }) => feature === title).map(({ provider }) => provider)).toEqual(
      protocols,
    );
  }
});

test("nothing fails", () => {
  expect(results.cells.filter(({ verdict }) => verdict.startsWith("fails"))).toEqual([]);
});
