/** What somebody may have meant. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { nearest } from "#shared/platform/nearest.ts";

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
