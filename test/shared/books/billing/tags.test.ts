/** Tags: what a header may say, and that the one form of it says the same. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import {
  hasTag,
  isTagName,
  isTagPair,
  isTags,
  readTags,
  tagsObject,
  tagsPattern,
  tagValue,
  withOtherTags,
} from "#shared/books/billing/tags.ts";

const seed = 20261130;
const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,31}$/).filter((each) => each !== "user");
const value = fc.stringMatching(/^[A-Za-z0-9_.:/@+-]{1,64}$/);
const tags = (most: number = limits.tagsMax) =>
  fc.uniqueArray(fc.tuple(name, value), { minLength: 1, maxLength: most, selector: ([each]) => each });
const written = (pairs: readonly (readonly [string, string])[], between = ",") =>
  pairs.map(([own, is]) => `${own}=${is}`).join(between);

describe("a text that keeps the rule", () => {
  test("has one form, whatever its order and its spaces, which says the same", () => {
    const all = fc.property(tags(), fc.constantFrom(",", ", ", " ,\t"), fc.nat(), (pairs, between, turn) => {
      const text = written(pairs, between);
      const turned = pairs.map((_, at) => pairs[(at + turn) % pairs.length] ?? ["", ""]);
      const form = readTags(` ${text} `);
      expect(form).toBe(readTags(written(turned as typeof pairs)));
      expect(isTags(form)).toBe(true);
      expect(tagsObject(form ?? "")).toEqual(Object.fromEntries(pairs));
      expect(new RegExp(tagsPattern).test(text)).toBe(true);
      expect((form ?? "").length).toBeLessThanOrEqual(783);
      for (const [own, is] of pairs) {
        expect([tagValue(form, own), isTagName(own)]).toEqual([is, true]);
        expect([hasTag(form, `${own}=${is}`), isTagPair(`${own}=${is}`)]).toEqual([true, true]);
        expect(hasTag(form, `${own}=${is}.`)).toBe(false);
      }
      expect(tagValue(form, "none-of-them")).toBe(Object.fromEntries(pairs)["none-of-them"] ?? null);
    });
    fc.assert(all, { seed, numRuns: 500 });
  });

  test("wins by name over others, and both together are at most eight", () => {
    const all = fc.property(tags(), tags(), (own, others) => {
      const both = withOtherTags(readTags(written(own)) ?? "", readTags(written(others)) ?? "");
      const must = { ...Object.fromEntries(others), ...Object.fromEntries(own) };
      expect(both && tagsObject(both)).toEqual(Object.keys(must).length > limits.tagsMax ? undefined : must);
      if (both !== undefined) expect(isTags(both)).toBe(true);
    });
    fc.assert(all, { seed, numRuns: 500 });
  });
});

const nine = Array.from({ length: 9 }, (_, at) => [`n${at}`, "v"] as const);

test.each([
  "",
  " ",
  ",",
  "team",
  "team=",
  "=search",
  "team=search,",
  "team=search,,feature=rag",
  "team=search;feature=rag",
  "team=search,team=search",
  "team=search,team=other",
  "Team=search",
  "1team=search",
  "user=ann",
  "team=a b",
  "team=ü",
  "team=a=b",
  'team="search"',
  "team=a\u0000",
  `${"n".repeat(33)}=v`,
  `n=${"v".repeat(65)}`,
  written(nine),
])("%j breaks the rule", (text) => {
  expect(readTags(text)).toBeUndefined();
  expect(isTags(text)).toBe(false);
});

test("no text makes it throw, and no text is tags but its own one form", () => {
  const all = fc.property(
    fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[a-z=,. ]{0,40}$/)),
    (text) => {
      const form = readTags(text);
      expect(isTags(text)).toBe(form === text && form !== undefined);
      expect(isTagPair(text) && !text.includes("=")).toBe(false);
      if (form === undefined) return;
      expect(text).toMatch(new RegExp(tagsPattern));
      expect(readTags(form)).toBe(form);
    },
  );
  fc.assert(all, { seed, numRuns: 2000 });
  for (const other of [undefined, null, 1, {}, ["team=search"], "b=1,a=1"]) expect(isTags(other)).toBe(false);
  expect(["user", "Team", "", "a b", "a".repeat(33)].filter(isTagName)).toEqual([]);
  expect(["user=ann", "team", "a=1,b=1", " a=1"].filter(isTagPair)).toEqual([]);
});
