/** The table of both matrices: written, read again, and compared in words. */
import { describe, expect, test } from "vitest";
import { type Cell, cellsOf, countsOf, differences, partOf, withPart } from "./table.ts";

const cells: Cell[] = [
  { client: "openai", feature: "whole", provider: "anthropic", verdict: "ok" },
  { client: "openai", feature: "whole", provider: "gemini", verdict: "fails: 400 a | b" },
  { client: "zai", feature: "whole", provider: "gemini", verdict: "n.a.: no such thing" },
  { client: "openai", feature: "streamed", provider: "anthropic", verdict: "ok" },
];
const written = `## JavaScript

### whole

| Client | anthropic | gemini |
|---|---|---|
| openai | ok | fails: 400 a \\| b |
| zai |  | n.a.: no such thing |

### streamed

| Client | anthropic |
|---|---|
| openai | ok |`;

describe("a part", () => {
  test("is a table of clients by providers for each feature", () => {
    expect(partOf("JavaScript", cells)).toBe(written);
    expect(cellsOf("JavaScript", `# The table\n\n${written}\n`)).toEqual(cells);
    expect(countsOf(cells)).toBe("2 ok, 1 n.a., 1 fail");
  });

  test("cannot have a cell twice", () => {
    expect(() => partOf("JavaScript", [...cells, ...cells])).toThrow(
      "openai, whole, anthropic is given twice",
    );
  });

  test("is replaced in its place, and added where it is not", () => {
    const one: Cell[] = cells.slice(0, 1);
    const both = withPart(withPart("# The table\n\nWhat it is.\n", "JavaScript", one), "Python", cells);
    expect(both).toContain("# The table\n\nWhat it is.\n\n## JavaScript\n\n### whole");
    const changed = withPart(both, "JavaScript", cells);
    expect(cellsOf("JavaScript", changed)).toEqual(cells);
    expect(cellsOf("Python", changed)).toEqual(cells);
    expect(withPart(changed, "JavaScript", one)).toBe(both);
  });
});

describe("differences", () => {
  const table = `# The table\n\n${written}\n`;

  test("there are none from what was written", () => {
    expect(differences("JavaScript", table, cells)).toEqual([]);
    expect(differences("JavaScript", table, cells.toReversed())).toEqual([]);
  });

  test("a changed, a new and a missing cell are told apart", () => {
    const [first, , ...rest] = cells as [Cell, Cell, ...Cell[]];
    const now: Cell[] = [
      { ...first, verdict: "fails: 500" },
      { client: "new", feature: "whole", provider: "gemini", verdict: "ok" },
      ...rest,
    ];
    expect(differences("JavaScript", table, now)).toEqual([
      'openai, whole, anthropic: the table says "ok"; this run saw "fails: 500"',
      'openai, whole, gemini: the table says "fails: 400 a | b"; this run did not try it',
      'new, whole, gemini: the table does not have it; this run saw "ok"',
    ]);
  });

  test("the other part is none of its business", () => {
    expect(differences("Python", table, [])).toEqual([]);
  });
});
