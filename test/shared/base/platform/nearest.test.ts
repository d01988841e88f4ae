/** What somebody may have meant. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { changesBetween, nearest } from "#shared/base/platform/nearest.ts";

const words = ["org create", "org credit", "org credits", "org show", "key create", "audit", "sweep"];

test.each([
  ["org craete", ["org create"]],
  ["org credts", ["org credits", "org create", "org credit"]],
  ["key crate", ["key create"]],
  ["adit", ["audit"]],
  ["a", []],
  ["something else", []],
  ["", []],
])("%s", (word, expected) => {
  expect(nearest(word, words, 3)).toEqual(expected);
});

test("a word that is known is nearest to itself, and one change of it is found", () => {
  const name = fc.string({ minLength: 3, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(name, { maxLength: 20 }), name, fc.nat(), (others, word, at) => {
      expect(nearest(word, [...others, word])).toEqual([word]);
      const place = at % word.length;
      const shorter = word.slice(0, place) + word.slice(place + 1);
      expect(nearest(shorter, [word])).toEqual(shorter.length < 1 ? [] : [word]);
    }),
  );
});

test("never more than is asked for", () => {
  const near = ["aaaa", "aaab", "aaac", "aaad"];
  expect(nearest("aaaa", near, 2)).toEqual(["aaaa", "aaab"]);
});

/** The same by its definition, and slowly. */
function changes(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const [restA, restB] = [a.slice(0, -1), b.slice(0, -1)];
  const same = a.at(-1) === b.at(-1) ? 0 : 1;
  const least = Math.min(changes(restA, b) + 1, changes(a, restB) + 1, changes(restA, restB) + same);
  const isSwap = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1);
  return isSwap ? Math.min(least, changes(a.slice(0, -2), b.slice(0, -2)) + 1) : least;
}

test("changes are counted as they are defined, and those beyond the bound not at all", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
  fc.assert(
    fc.property(word, word, fc.nat(6), (a, b, most) => {
      const all = changes(a, b);
      expect(changesBetween(a, b, most)).toBe(all > most ? Number.POSITIVE_INFINITY : all);
    }),
  );
});
