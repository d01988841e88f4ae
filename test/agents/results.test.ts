/** The last run with the coding agents that was kept. */
import { expect, test } from "vitest";
import { plays } from "./plays.ts";
import { programs } from "./programs.ts";
import { readResults } from "./results.ts";
import { protocols } from "./world.ts";

const results = readResults();

test("the last run had the versions that are installed", () => {
  expect(results.versions).toEqual(Object.fromEntries(programs.map(({ name, version }) => [name, version])));
});

const played = programs.filter(({ name }) => results.cells.some(({ client }) => client === name));

test.each(played)("of $name, each play that was tried was tried with every protocol", ({ name }) => {
  const own = results.cells.filter(({ client }) => client === name);
  const tried = plays.filter(({ title }) => own.some(({ feature }) => feature === title));
  expect(tried.map((play) => play.name)).toContain("two-turns");
  for (const { title } of tried) {
    expect(own.filter(({ feature }) => feature === title).map(({ provider }) => provider)).toEqual(protocols);
  }
});

test("nothing fails", () => {
  expect(results.cells.filter(({ verdict }) => verdict.startsWith("fails"))).toEqual([]);
});
